// Plans whose kernels have room in the shared memory of a block.
#pragma once

#include "compiler/passes/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace idc::codegen {

/// Runs `manager`, which plans kernels, on a module: once for a CPU, and where a schedule is given. Planners count what
/// exchanges have alive at a time; with their barriers some kernels take more, as branches wait for each other. Where
/// that is more than a block has, plans again as for a machine whose blocks have less by as much, a few times; what
/// still does not fit stays as it is, and is refused where kernels are made.
mlir::LogicalResult planInSharedMemory(mlir::OwningOpRef<mlir::ModuleOp> &module, const passes::Target &target,
                                       mlir::PassManager &manager);

} // namespace idc::codegen
