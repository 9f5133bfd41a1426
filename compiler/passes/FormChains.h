// Chains: which steps of a function follow each other on digits that a planner can spread.
#pragma once

#include "compiler/passes/Steps.h"

namespace idc::passes {

struct Target;

/// The steps of a function as chains and groups, in the order in which they begin. Chains are what the planners of the
/// target take: binary digits of nodes that its registers hold, and digits of other radices where a block has room for
/// tiles of them, of `maxMixedBytes`. Without a target nothing is too large: what follows each other, on any machine.
FlowProgram findChains(mlir::func::FuncOp function, const Target *target);

} // namespace idc::passes
