// cuSPARSE's solvers of tridiagonal systems.
#pragma once
#include "Cuda.h"
#include "Reference.h"
#include <memory>
#include <string>
#include <vector>

namespace gpucheck {

/// One routine for systems of one size. Its buffer belongs to the object.
class CusparseSolver {
public:
  virtual ~CusparseSolver() = default;

  /// The routine without its prefix, e.g. "gtsv2_nopivot".
  virtual std::string name() const = 0;
  /// Of a, b, c, d: what a call overwrites. d becomes the solution.
  virtual std::vector<bool> overwrites() const = 0;
  virtual void run(void *a, void *b, void *c, void *d, cudaStream_t stream) = 0;
};

/// gtsv2_nopivot and gtsv2, of one system.
std::vector<std::unique_ptr<CusparseSolver>> solversOfOne(Real real, size_t rows);
/// gtsv2StridedBatch, of systems that lie one after another.
std::vector<std::unique_ptr<CusparseSolver>> solversOfStrided(Real real, size_t rows, size_t systems);
/// gtsvInterleavedBatch, by elimination without pivoting and by LU and QR with it.
std::vector<std::unique_ptr<CusparseSolver>> solversOfInterleaved(Real real, size_t rows, size_t systems);

} // namespace gpucheck
