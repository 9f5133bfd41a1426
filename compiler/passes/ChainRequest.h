// What planners need to know of chains.
#pragma once

#include "compiler/passes/JoinedChains.h"
#include "compiler/passes/Planner.h"

namespace idc::passes {

PlanRequest requestOf(const JoinedChains &chains, Plan plan);

} // namespace idc::passes
