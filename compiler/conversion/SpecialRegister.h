// Special registers of a GPU, read where they are used.
#pragma once

#include "mlir/IR/Builders.h"

namespace idc::conversion {

/// Reads `name` ("tid.x") as an i32 at this place and at no other: what is derived from the value need not be kept in
/// registers from one round of a loop to the next.
mlir::Value readSpecialRegister(mlir::OpBuilder &b, mlir::Location loc, llvm::StringRef name);

} // namespace idc::conversion
