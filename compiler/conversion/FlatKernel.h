// Kernels of steps of any kind: every thread (or turn of a CPU loop) does one block number, or a block does.
#pragma once

#include "compiler/conversion/Buffers.h"
#include "compiler/conversion/CooperativeRounds.h"
#include "compiler/conversion/FlatSections.h"
#include "compiler/conversion/Scalars.h"
#include "compiler/conversion/TwiddleTables.h"

#include "id/IdDialect.h"

#include "mlir/IR/Builders.h"

namespace idc::conversion {

/// A block whose threads exchange: tiles have lane digits, numbered through the block, block digits, which number the
/// blocks of a problem, and maybe batch digits among the lanes.
struct FlatBlock {
  mlir::Value thread;  // i32: counts the lane digits
  mlir::Value rank;    // i32: counts the rank digits; null: no cluster
  mlir::Value slot;    // i64: which of the tiles of a block, each for problems of its own, this thread works on
  mlir::Value block;   // i64: counts the block digits
  mlir::Value first;   // i64: a problem that the block has in any case
  mlir::Value batch;   // i64
  bool awaits = false; // a dependent launch: what kernels before it write is there after a wait
};

/// Emits the body of a flat kernel: for one block number, `problem` (i64) of the batch and `number` (i64), which counts
/// the block digits, low first, in their radices; or, with `block`, for a thread of a block, `problem` the one whose
/// batch digits are 0. `buffers` maps the body's buffers (arguments and yielded values) to their memory, `parameters`
/// has the run-time scalars. Errors are emitted at the op.
mlir::LogicalResult emitFlatBody(mlir::OpBuilder &b, mlir::Location loc, TwiddleTables &tables, id::KernelOp kernel,
                                 const llvm::DenseMap<mlir::Value, BufferMemory> &buffers, const Parameters &parameters,
                                 mlir::Value problem, mlir::Value number);
mlir::LogicalResult emitFlatBody(mlir::OpBuilder &b, mlir::Location loc, TwiddleTables &tables, id::KernelOp kernel,
                                 const llvm::DenseMap<mlir::Value, BufferMemory> &buffers, const Parameters &parameters,
                                 mlir::Value problem, const FlatBlock &block, const FlatSections &sections);

/// Emits the rounds of a cooperative kernel. `batch` is i64.
mlir::LogicalResult emitFlatBody(mlir::OpBuilder &b, mlir::Location loc, TwiddleTables &tables, id::KernelOp kernel,
                                 const llvm::DenseMap<mlir::Value, BufferMemory> &buffers, const Parameters &parameters,
                                 mlir::Value batch, CooperativeRounds &rounds, const FlatSections &sections);
/// Words of 4 bytes that the blocks of a cooperative kernel post for each other.
int64_t postedCells(id::KernelOp kernel);

} // namespace idc::conversion
