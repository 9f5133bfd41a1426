// What planners need to know of a chain.
#pragma once

#include "compiler/passes/Planner.h"
#include "compiler/passes/Steps.h"

namespace idc::passes {

PlanRequest requestOf(const FlowChain &chain, Plan plan);

} // namespace idc::passes
