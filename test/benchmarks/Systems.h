// Tridiagonal systems made on the GPU, and how well they were solved.
#pragma once
#include "Cuda.h"
#include "Reference.h"

namespace gpucheck {

/// Where equations lie. Equation r of a system stands `stride` elements after equation r - 1; systems that differ in
/// the elements between lie beside each other.
struct SystemLayout {
  size_t rows = 0;   // of one system
  size_t stride = 1; // 1: a system's equations lie together
  bool periodic = false;
  size_t shared = 1; // systems, one after another, that share coefficients; these then lie together

  /// Of the coefficients alone.
  SystemLayout coefficients() const { return {rows, shared == 1 ? stride : 1, periodic, 1}; }
};

/// Arrays of device memory: a·x(before) + b·x + c·x(after) = d.
struct SystemArrays {
  const void *a, *b, *c, *d;
};

/// Fills the `count` coefficients of each kind: a and c uniform in [-1, 1], b in [3, 5]; where the systems are not
/// periodic the first a and the last c of each are 0, as other libraries want them.
void fillCoefficients(Real real, const SystemLayout &layout, void *a, void *b, void *c, size_t count, uint64_t seed,
                      cudaStream_t stream);

/// How far x is from solving its systems.
struct Residual {
  double relative; // ‖Ax - d‖ / ‖d‖ over all systems
  double worst;    // the largest |(Ax - d)[i]| / (|A||x| + |d|)[i] of an equation; infinity where x is not finite
};

/// In double; `count` unknowns. Waits for the stream.
Residual residual(Real real, const SystemLayout &layout, const SystemArrays &systems, const void *x, size_t count,
                  cudaStream_t stream);

} // namespace gpucheck
