// How a program whose arrays lie in host memory (id/Chunks.h) is divided into chunks, and with which kernels.
#pragma once

#include "compiler/passes/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace idc::codegen {

/// Runs `manager`, which plans kernels and cuts passes, on the module of such a function, for several numbers of chunks
/// and sizes of tiles, and keeps what spends the least time on the link: few chunks have long rows, and small tiles
/// leave more digits that can number chunks. A kernel more on the device costs little beside a copy to the host. Emits an
/// error where digits of its sequences cannot number as many chunks as its memory takes.
mlir::LogicalResult planChunks(mlir::OwningOpRef<mlir::ModuleOp> &module, const passes::Target &target,
                               mlir::PassManager &manager);

} // namespace idc::codegen
