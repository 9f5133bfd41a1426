// Exponents of roots of unity for people.
#pragma once

#include "dialect/digits/Polynomial.h"

#include <cstdint>
#include <string>
#include <vector>

namespace idc::explain {

/// An exponent of a root of unity of order `root` in the terms of programs: "i_3*digits(2, 1)", "-2*i_4 + 1". `radices`
/// are those of the digits, least significant first.
std::string spellExponent(const digits::Polynomial &exponent, int64_t root, const std::vector<int> &radices);

} // namespace idc::explain
