// Plans for digits of any radices.
#pragma once

#include "compiler/passes/Planner.h"

namespace idc::passes {

/// One kernel in which a block holds whole problems: passes of a few steps each, all other digits in the thread number,
/// exchanges through shared memory. False with `error` set when a problem does not fit a block.
bool planMixed(const PlanRequest &request, const Target &target, Schedule &schedule, std::string &error);

} // namespace idc::passes
