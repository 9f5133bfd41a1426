// Functions that LLVM has no operation for, from the C library.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace idc::codegen {

/// Turns erf in the module's functions into calls of the C library's erf and erff, lane by lane. Other ops are left
/// alone: LLVM has intrinsics for them.
void callHostLibrary(mlir::ModuleOp module);

} // namespace idc::codegen
