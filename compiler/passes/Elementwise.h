// Steps on each element alone, which other ops can change places with.
#pragma once

#include "compiler/passes/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace idc::passes {

/// The same op but for its operands.
bool isAlike(mlir::Operation *a, mlir::Operation *b);

/// True when what the step does to an element does not depend on where it is.
bool namesNoDigit(id::PointwiseOp step);

/// True when a step multiplies by no roots of unity whose exponents name digits.
bool hasNoRootsByDigits(id::PointwiseOp step);

/// True when all that a body yields are arguments, or chosen among them by what no argument says: elements of so many
/// numbers, each of them whole.
bool choosesElements(mlir::Region &body, int leaves);

/// Clones the ops of such a body, but for the terminator, where numbers stand for its elements: `values` has those of
/// its arguments, and what stands for ops that are not cloned; then those of all.
void cloneChoice(mlir::OpBuilder &builder, mlir::Region &body, mlir::IRMapping &values);

/// Erases what nothing in a body needs.
void eraseDead(mlir::Block &body);

/// The result of the function that a value is, up to steps on each element alone; null for others.
mlir::OpOperand *returnedAs(mlir::Value value);

/// The type of a sequence as long as `sequence`, of such elements.
id::SeqType withElement(mlir::Type sequence, mlir::Type element);

} // namespace idc::passes
