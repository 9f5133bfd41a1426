// Plans in which two kernels that follow each other are passes of one, with rings between them (id.ring).
#pragma once

#include "compiler/passes/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"

namespace idc::codegen {

/// Plans a module again with `manager` where two of its kernels had better be passes of one: what goes from one to the
/// other then stays in the cache. `flow` is the module as it was before it was planned. Kernels are built before this
/// can be known: they are plain grids of as many threads, where the one with fewer may take several of its tiles
/// together, whose blocks hold a tile of one problem each, two of them on a multiprocessor at least, and what is
/// between them is for the second alone. A plan that cannot be made so stays as it is.
void planRings(mlir::OwningOpRef<mlir::ModuleOp> &module, mlir::ModuleOp flow, const passes::Target &target,
               mlir::PassManager &manager);

} // namespace idc::codegen
