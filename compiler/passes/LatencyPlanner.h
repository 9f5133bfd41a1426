// Plans kernels for one problem at a time.
#pragma once

#include "compiler/passes/Planner.h"

namespace idc::passes {

/// The schedules that are expected to do one problem alone soonest: many small blocks, kernels that start while the one
/// before ends. None when a step has more digits than a block holds.
void proposeLatency(const PlanRequest &request, const Target &target, CandidatePool &pool);

} // namespace idc::passes
