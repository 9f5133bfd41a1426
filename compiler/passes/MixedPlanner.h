// Plans for digits of any radices.
#pragma once

#include "compiler/passes/Planner.h"

namespace idc::passes {

/// The `count` cheapest schedules (or fewer), best first: kernels of consecutive steps, each on tiles that a block holds
/// in passes of a few steps each, with exchanges through shared memory. None, with `error` set, when no block has room
/// for a step.
std::vector<Schedule> planMixed(const PlanRequest &request, const Target &target, size_t count, std::string &error);

} // namespace idc::passes
