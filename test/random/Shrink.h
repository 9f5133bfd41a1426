// A smaller program that fails like a given one.
#pragma once

#include "Source.h"

#include <functional>

namespace idc::random {

/// Drops steps and inputs and lowers numbers of the draft as long as `fails` holds of the program; asks it at most
/// `tries` times.
Program shrink(Program program, const std::function<bool(const Program &)> &fails, int tries = 400);

} // namespace idc::random
