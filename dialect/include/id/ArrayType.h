// Arrays as callers see them, which are those of the function's type unless it says otherwise.
#pragma once

#include "id/IdDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace idc::id {

/// On an argument or a result: where its elements lie, if not one behind the other.
constexpr const char layoutAttr[] = "id.layout";

/// On an argument or a result: the sequence that callers pass, where the function's type has two of its neighbours as
/// one element, or further elements behind it (in host memory, id/Chunks.h).
constexpr const char arrayAttr[] = "id.array";

/// On a function: every result may have the memory of an argument, and kernels are planned and compiled for it.
constexpr const char inPlaceAttr[] = "id.in_place";

inline SeqType argumentArray(mlir::func::FuncOp function, unsigned argument) {
  auto array = function.getArgAttrOfType<mlir::TypeAttr>(argument, arrayAttr);
  return mlir::cast<SeqType>(array ? array.getValue() : function.getArgumentTypes()[argument]);
}

inline SeqType resultArray(mlir::func::FuncOp function, unsigned result) {
  auto array = mlir::dyn_cast_or_null<mlir::TypeAttr>(function.getResultAttr(result, arrayAttr));
  return mlir::cast<SeqType>(array ? array.getValue() : function.getResultTypes()[result]);
}

/// The array of a value of the function: what callers pass for an argument, or get for a result; else its own type.
inline SeqType arrayOf(mlir::func::FuncOp function, mlir::Value value) {
  if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(value))
    return argumentArray(function, argument.getArgNumber());
  SeqType array = mlir::cast<SeqType>(value.getType());
  for (mlir::OpOperand &result : function.getBody().front().getTerminator()->getOpOperands())
    if (result.get() == value)
      array = resultArray(function, result.getOperandNumber());
  return array;
}

inline int64_t bytesOf(SeqType sequence) { return sequence.getNumElements() * elementBytes(sequence.getElement()); }

} // namespace idc::id
