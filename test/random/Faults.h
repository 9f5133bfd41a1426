// Mistakes that a compiler could make, planted into its levels by the test: random programs have to show every one.
#pragma once

#include "Levels.h"

#include <vector>

namespace idc::random {

struct Fault {
  const char *name;
  /// Changes a level everywhere the mistake could be; returns the number of places. One of them is set.
  int (*flow)(mlir::ModuleOp) = nullptr;
  int (*stages)(mlir::ModuleOp) = nullptr;
  int (*kernels)(mlir::ModuleOp) = nullptr;
  int (*launches)(std::vector<conversion::LoweredKernel> &) = nullptr;
};

const std::vector<Fault> &allFaults();

/// The changes that plant `fault`; each adds the places to `places`.
Changes plant(const Fault &fault, int &places);

} // namespace idc::random
