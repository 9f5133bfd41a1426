// Discrete Fourier and Hadamard transforms in double-double arithmetic on the GPU, the yardstick for errors.
//
// Textbook radix-2: bit reversal, then one kernel per level (Cooley and Tukey 1965). Roots of unity come from the CPU
// in long double (relative error about 1e-19) as two short tables whose product is formed in double-double.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cuda_runtime.h>
#include <memory>
#include <string>
#include <vector>

namespace gpucheck {

class Buffer;

/// Fourier transforms of exponent sign -1, +1, without a scale factor, of complex numbers or, of N real ones, between these
/// and N/2 + 1 frequencies.
enum class Transform { Forward, Inverse, Hadamard, RealForward, RealInverse };
inline bool isOfReals(Transform transform) {
  return transform == Transform::RealForward || transform == Transform::RealInverse;
}
enum class Real { F32, F64 };

/// The base-2 logarithms of the lengths of a transform's dimensions, outermost first.
using Exponents = std::vector<int>;
constexpr int largestExponent = 28; // of the product of the lengths
/// "12" for one dimension, "4x4" for two.
std::string sizeText(const Exponents &exponents);

constexpr size_t bytesOf(Real real) { return real == Real::F32 ? 4 : 8; }
/// Real numbers per element: 2 for the complex transforms.
constexpr size_t componentsOf(Transform transform) { return transform == Transform::Hadamard ? 1 : 2; }

class Reference {
public:
  explicit Reference(cudaStream_t stream);
  ~Reference();

  /// Transforms the given members of a batch of problems of these lengths at `input` (device) and keeps the results.
  /// `members` are indices into the batch. Throws CudaError.
  void compute(Transform transform, Real real, const Exponents &exponents, const void *input,
               const std::vector<uint64_t> &members);

  /// sqrt(sum |output*scale - reference|^2 / sum |reference|^2) over the members of the last compute(); NaN when output
  /// holds one. `scale` is a power of two.
  double error(const void *output, double scale) const;

  /// Compares this class with naive sums in long double for n = 1..9, two and three dimensions of unequal lengths, and
  /// a few outputs of n = 20. Returns the largest relative error found.
  double validate();

private:
  template <class T> double errorOf(const T *output, double scale) const;
  void prepareRoots(int n);

  cudaStream_t stream;
  std::unique_ptr<Buffer> roots, result, members;
  int rootsFor = -1; // n of the table, -1: none
  Transform transform = Transform::Forward;
  Real real = Real::F64;
  int n = 0;
  size_t count = 0; // members of the last compute()
};

/// Unscaled Hadamard transform of a whole batch in the data's own precision, one kernel per level; `components` is
/// batch * 2^n. In place.
void hadamardInPlace(Real real, int n, void *values, size_t components, cudaStream_t stream);

/// The largest over the batch of sqrt(sum |a*scaleA - b|^2 / sum |b|^2) within one problem of `components` real
/// numbers; infinity when a problem holds NaN or infinity. Waits for the stream.
double worstDifference(Real real, const void *a, double scaleA, const void *b, size_t components, size_t batch,
                       cudaStream_t stream);

} // namespace gpucheck
