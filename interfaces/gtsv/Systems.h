// Batches of tridiagonal systems, compiled for their shape.
#pragma once

#include "interfaces/compiled/Program.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace idc::interfaces {

/// Where the systems lie, in elements: equation i of system s at i * stride + s * matrix in the diagonals, and at
/// i * stride + s * side in the right sides, whose place the solutions take. matrix = 0: all have one matrix.
struct SystemsShape {
  std::string number; // "f32", "complex<f64>", ...
  int64_t elementBytes;
  int64_t equations, systems;
  int64_t stride, matrix, side;
};

class Systems {
public:
  /// `checked`: with a status for each system; then solutions go apart. Throws Failure.
  Systems(const SystemsShape &shape, const std::string &target, bool checked);

  /// Bytes that solve() needs, beginning at a multiple of 16.
  int64_t scratchBytes() const { return bytes; }

  /// Replaces right sides `x` by solutions; the elements before the first of `below` and behind the last of `above` are
  /// not used. `status`, 0 for each system that was solved, only of checked ones. Throws Failure.
  void solve(void *below, void *main, void *above, void *x, int32_t *status, void *scratch, void *stream) const;

  /// The systems of such a shape in the calling thread's current context, made when they are asked for first.
  static std::shared_ptr<const Systems> find(const SystemsShape &shape, const std::string &target,
                                             bool checked = false);

private:
  std::unique_ptr<Program> solver, copier; // the latter where solutions cannot take the place of right sides
  int64_t problems, workspaceAt = 0, bytes = 0;
};

} // namespace idc::interfaces
