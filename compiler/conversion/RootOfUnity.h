// exp(-2πi·e/N), rounded once.
#pragma once

#include <complex>
#include <cstdint>

namespace idc::conversion {

/// The primitive N-th root of unity to the power e (any sign), exact in the multiples of a quarter turn, elsewhere
/// within 0.51 units in the last place of double: the angle is reduced to an eighth of a turn in integers, sine and
/// cosine are evaluated in extended precision.
std::complex<double> rootOfUnity(int64_t n, int64_t e);

} // namespace idc::conversion
