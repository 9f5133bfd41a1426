// Kernels of one step without a tile: every thread (or turn of a CPU loop) does one node.
#pragma once

#include "compiler/conversion/Scalars.h"
#include "compiler/conversion/TwiddleTables.h"

#include "id/IdDialect.h"

#include "mlir/IR/Builders.h"

namespace idc::conversion {

/// A block that holds whole problems, whose threads exchange: tiles have lane digits in place of block digits.
struct FlatBlock {
  int64_t problems = 1;    // in the block
  int64_t threads = 1;     // of each
  mlir::Value slot;        // i64: which of them this thread works on
  mlir::Value inBatch;     // i1: the problem is stored
  int64_t sharedBytes = 0; // what the exchanges take, set by emitFlatBody
};

/// Emits the body of a flat kernel for one block number: `problem` (i64) of the batch, and `number` (i64), which counts
/// the block digits (with `block`: the lane digits), low first, in their radices. `buffers` maps the body's buffers
/// (arguments and yielded values) to pointers, `parameters` has the run-time scalars. Errors are emitted at the op.
mlir::LogicalResult emitFlatBody(mlir::OpBuilder &b, mlir::Location loc, TwiddleTables &tables, id::KernelOp kernel,
                                 const llvm::DenseMap<mlir::Value, mlir::Value> &buffers, const Parameters &parameters,
                                 mlir::Value problem, mlir::Value number, FlatBlock *block = nullptr);

/// Values of `number`: the product of the radices of the block digits, or of the lane digits.
int64_t flatExtent(id::KernelOp kernel);
/// The bytes of shared memory that the exchanges of a flat kernel take for one problem.
int64_t flatSharedBytes(id::KernelOp kernel);

} // namespace idc::conversion
