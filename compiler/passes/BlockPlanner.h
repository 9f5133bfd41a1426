// Plans kernels whose blocks exchange through shared memory.
#pragma once

#include "compiler/passes/Planner.h"

namespace idc::passes {

/// The `count` cheapest schedules (or fewer) for a machine with registers, lanes, warps and shared memory, best first.
/// None when a step has more digits than a block holds.
std::vector<Schedule> planBlocks(const PlanRequest &request, const Target &target, size_t count);

} // namespace idc::passes
