// LLVM IR and PTX of a gpu.module, in process.
#pragma once

#include "compiler/passes/Target.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace idc::codegen {

/// The optimised LLVM IR and the PTX of the one gpu.module in `module`, which must be in the LLVM dialect. Fails with
/// an emitted error.
mlir::LogicalResult generatePtx(mlir::ModuleOp module, const passes::Target &target, std::string &llvmIr,
                                std::string &ptx);

} // namespace idc::codegen
