// Groups: steps outside chains that share a flat kernel.
#pragma once

#include "compiler/passes/Planner.h"
#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

namespace idc::passes {

/// Puts groups of findSegments() together, decides what is stored between them and what is made again, and fills in
/// their layouts. A thread's part of one value takes at most the target's `groupWords`, or a block holds the group in
/// levels, unless one step alone needs more.
void mergeGroups(FlowProgram &program, const Target &target, Plan plan);

} // namespace idc::passes
