// How a program whose arrays lie in host memory (id/Chunks.h) is divided into chunks, and with which kernels.
#pragma once

#include "compiler/passes/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace idc::codegen {

/// Runs `manager`, which plans kernels and cuts passes, on the module of such a function, for several numbers of chunks
/// and sizes of tiles, and keeps what spends the least time on the link: few chunks have long rows, and small tiles
/// leave more digits that can number chunks. A kernel more on the device costs little beside a copy to the host. Where
/// kernels can neither come in chunks nor reach the host's arrays, it goes on with what `asGiven` makes, if that is not
/// null: the same program, of arrays that are not the beginnings of longer sequences. Emits an error where kernels need
/// more memory than there is.
mlir::LogicalResult planChunks(mlir::OwningOpRef<mlir::ModuleOp> &module, const passes::Target &target,
                               mlir::PassManager &manager,
                               llvm::function_ref<mlir::OwningOpRef<mlir::ModuleOp>()> asGiven);

} // namespace idc::codegen
