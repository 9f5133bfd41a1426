// Where the elements of a value lie in a tile that it is a view of.
#pragma once

#include "compiler/passes/Steps.h"

namespace idc::passes {

/// For every digit of the buffer, the digit of the value that it is, from 1; 0: it is computed.
llvm::SmallVector<int> keptDigits(const FlowValue &value);

/// The value as a tile of type `result`, by an exchange of `tile`, which is the buffer, from computed places.
mlir::Value fetch(mlir::OpBuilder &builder, mlir::Location loc, const FlowValue &value, mlir::Value tile,
                  id::TileType result);

} // namespace idc::passes
