// What one steps through in a page: the values after every step at a small size, and where elements are in every
// kernel.
#pragma once

#include "compiler/explain/Facts.h"

#include <string>

namespace idc::explain {

/// The players as HTML, with the script that drives them (player.js): one for the values and one for each kernel, where
/// these have frames (Frames.h).
std::string players(const Facts &facts);

} // namespace idc::explain
