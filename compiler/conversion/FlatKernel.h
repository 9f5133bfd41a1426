// Kernels of one step without a tile: every thread (or turn of a CPU loop) does one node.
#pragma once

#include "compiler/conversion/Scalars.h"
#include "compiler/conversion/TwiddleTables.h"

#include "id/IdDialect.h"

#include "mlir/IR/Builders.h"

namespace idc::conversion {

/// Emits the body of a flat kernel for one block number: `problem` (i64) of the batch, and `number` (i64), which counts
/// the block digits, low first, in their radices. `buffers` maps the body's buffers (arguments and yielded values) to
/// pointers, `parameters` has the run-time scalars. Errors are emitted at the op.
mlir::LogicalResult emitFlatBody(mlir::OpBuilder &b, mlir::Location loc, TwiddleTables &tables, id::KernelOp kernel,
                                 const llvm::DenseMap<mlir::Value, mlir::Value> &buffers, const Parameters &parameters,
                                 mlir::Value problem, mlir::Value number);

/// Values of `number`: the product of the radices of the block digits.
int64_t flatExtent(id::KernelOp kernel);

} // namespace idc::conversion
