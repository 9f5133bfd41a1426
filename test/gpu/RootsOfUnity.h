// Roots of unity and naive transforms on the CPU in long double (64-bit significand on x86-64).
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gpucheck {

/// exp(-2 pi i j / 2^n) as sums of two doubles; n <= 30.
struct SplitRoot {
  double re[2], im[2];
};
SplitRoot splitRootOfUnity(uint64_t j, int n);

/// Relative L2 error of `output` against sums of 2^n terms in long double; the exponents are of the lengths of the
/// dimensions, outermost first, n is their sum. `output` holds each real number as a pair
/// (high, low). sign -1 and +1: Fourier transform of complex data with that exponent; 0: Hadamard transform of real
/// data. Only the outputs in `picks` are compared; when it is empty, all.
double naiveError(int sign, const std::vector<int> &exponents, const double *input, const double *output,
                  std::vector<size_t> picks);

} // namespace gpucheck
