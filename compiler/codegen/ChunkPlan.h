// How a program whose arrays lie in host memory (id/Chunks.h) is divided into chunks, and with which kernels.
#pragma once

#include "compiler/passes/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"

namespace idc::codegen {

/// Notes that the function's arguments and results lie in host memory, and that it may take so many bytes of the
/// device's. An error where digits of its sequences cannot number as many chunks as that takes.
llvm::Error placeInHostMemory(mlir::func::FuncOp function, int64_t memory);

/// Runs `manager`, which plans kernels and cuts passes, on the module of such a function, for several numbers of chunks
/// and sizes of tiles, and keeps what spends the least time on the link: few chunks have long rows, and small tiles
/// leave more digits that can number chunks. A kernel more on the device costs little beside a copy to the host.
mlir::LogicalResult planChunks(mlir::OwningOpRef<mlir::ModuleOp> &module, const passes::Target &target,
                               mlir::PassManager &manager);

} // namespace idc::codegen
