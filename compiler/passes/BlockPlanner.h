// Plans kernels whose blocks exchange through shared memory.
#pragma once

#include "compiler/passes/Planner.h"

namespace idc::passes {

/// Splits the steps into kernels and passes for a machine with registers, lanes, warps and shared memory. False with
/// `error` set when a step has more digits than a block holds.
bool planBlocks(const PlanRequest &request, const Target &target, Schedule &schedule, std::string &error);

} // namespace idc::passes
