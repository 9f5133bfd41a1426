// What gpu-bench measures: the programs that the GPU check knows, and those of test/benchmarks/programs.json.
#pragma once
#include "Kernel.h"
#include <optional>
#include <string>
#include <vector>

namespace gpucheck {

/// One compiled program at one size.
struct Case {
  std::string program, type, size;    // size: the sizes that the program was compiled for, "12" or "4x4"
  std::string image, manifest;        // paths
  std::optional<Transform> transform; // what it computes; none: nothing here computes that
  std::vector<long long> lengths;     // of the transform's dimensions, outermost first; empty: one of all elements
  double unscale = 1;                 // factor by which a result is multiplied to become that of the unscaled transform

  std::string name() const { return program + "-" + type + "-" + size; }
};

/// The cases of a folder of the check's programs, and of a folder with a list, cases.json, that test/gpu/prepare made.
/// A folder that does not exist has none. Throws std::runtime_error when a file cannot be read.
std::vector<Case> listCases(const std::string &kernels, const std::string &benchmarks, const Selection &selection);

} // namespace gpucheck
