// Steps on each element alone that change places with other ops: what they need to know and cost, and how they come
// behind a gather at a program's beginning.
#pragma once

#include "compiler/passes/Elementwise.h"

#include "mlir/IR/Builders.h"

namespace idc::passes {

/// True for a gather of elements that no tile has.
bool isFarGather(mlir::Operation *taker);

/// The users of a value, those of its permutations for these.
llvm::SmallVector<mlir::Operation *> takersOf(mlir::Value value);

/// True where more is made by a step on `after` elements than its operations on `before` are worth.
bool isTooMuch(mlir::Operation *step, int64_t before, int64_t after);

/// True where a body needs to know of an element's place, by digits of these radices, its number alone.
bool knowsNumber(id::PointwiseOp step, llvm::ArrayRef<int32_t> radices);

/// True for a step of one operand that knows no digit.
bool isMovable(id::PointwiseOp step);

/// Whether a value is an argument, some of its elements, those in another order, or what steps like these make of them.
bool isAtBeginning(mlir::Value value);

/// Whether a step may come behind what takes a result of it: nothing else takes its results, or, of more elements than
/// a block holds, it is cheaper done again than kept in memory.
bool canLeave(id::PointwiseOp step);

/// The step whose only result `value` is; another one of its own where others take results, too.
id::PointwiseOp ownStep(mlir::OpBuilder &builder, id::PointwiseOp step, mlir::Value value);

/// The same step on other sequences.
id::PointwiseOp onInstead(mlir::OpBuilder &builder, id::PointwiseOp step, llvm::ArrayRef<mlir::Value> inputs);

/// The same moves, in turn, of another value.
mlir::Value moved(mlir::OpBuilder &builder, llvm::ArrayRef<mlir::Operation *> moves, mlir::Value value);

/// Lets steps at the beginning, and nodes that put in a digit there, come behind a gather of what they make.
void moveBehind(id::GatherOp gather);

} // namespace idc::passes
