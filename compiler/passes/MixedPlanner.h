// Plans for digits of any radices.
#pragma once

#include "compiler/passes/Planner.h"

namespace idc::passes {

/// The cheapest schedules: kernels of consecutive steps, each on tiles that a block holds in passes of a few steps
/// each, with exchanges through shared memory. None when no block has room for a step.
void proposeMixed(const PlanRequest &request, const Target &target, CandidatePool &pool);

} // namespace idc::passes
