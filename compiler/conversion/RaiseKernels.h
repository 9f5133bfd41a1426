// From planned kernels back to digit flow.
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace idc::conversion {

/// Puts in the place of a function's kernels what they compute: loads and stores become permutations, exchanges vanish,
/// or become gathers where their places are computed, steps act on whole sequences. Which machine they were planned for
/// is forgotten. Fails, without an error and with the function in pieces, where a kernel has parts of sequences or
/// joins.
mlir::LogicalResult raiseKernels(mlir::func::FuncOp function);

} // namespace idc::conversion
