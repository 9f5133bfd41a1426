// The last MLIR step shared by both machines: everything to the LLVM dialect.
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace idc::codegen {

/// Rewrites scf, cf, arith, math and machine in `module` to the LLVM dialect, in place.
mlir::LogicalResult lowerToLlvmDialect(mlir::ModuleOp module);

} // namespace idc::codegen
