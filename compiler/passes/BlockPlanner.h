// Plans kernels whose blocks exchange through shared memory.
#pragma once

#include "compiler/passes/Planner.h"

namespace idc::passes {

/// The cheapest schedules for a machine with registers, lanes, warps and shared memory. None when a step has more
/// digits than a block holds.
void proposeBlocks(const PlanRequest &request, const Target &target, CandidatePool &pool);

} // namespace idc::passes
