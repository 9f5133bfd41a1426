// Plans kernels for one problem at a time.
#pragma once

#include "compiler/passes/Planner.h"

namespace idc::passes {

/// The `count` schedules (or fewer) that are expected to do one problem alone soonest, best first: many small blocks,
/// kernels that start while the one before ends. None when a step has more digits than a block holds.
std::vector<Schedule> planLatency(const PlanRequest &request, const Target &target, size_t count);

} // namespace idc::passes
