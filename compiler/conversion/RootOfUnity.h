// exp(-2πi·e/N), rounded once.
#pragma once

#include <complex>
#include <cstdint>

namespace idc::conversion {

/// The primitive N-th root of unity to the power e (any sign), N at least 1: real and imaginary part are the doubles
/// next to the exact ones, the same on every platform. No zero is negative.
std::complex<double> rootOfUnity(int64_t n, int64_t e);

} // namespace idc::conversion
