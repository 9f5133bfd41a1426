// What gpu-trees measures: the programs of test/benchmarks/trees.json.
#pragma once
#include "Kernel.h"
#include "Systems.h"
#include <string>
#include <vector>

namespace gpucheck {

/// One compiled program at one size, for a batch.
struct TreeCase {
  enum Checks { Tridiagonal, Sums } checks; // what its result has to be
  std::string program, type, size;
  std::string image, manifest; // paths
  size_t batch;
  SystemLayout layout; // Sums: only `rows` has a meaning, the length of a segment

  std::string name() const { return program + "-" + type + "-" + size; }
  Real real() const { return type == "f64" ? Real::F64 : Real::F32; }
};

/// From the list cases.json that test/gpu/prepare made in the folder. Throws std::runtime_error when it cannot be read.
std::vector<TreeCase> listTreeCases(const std::string &folder, const Selection &selection);

} // namespace gpucheck
