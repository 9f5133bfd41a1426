// Groups: steps outside chains that share a kernel.
#pragma once

#include "compiler/passes/Planner.h"
#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

namespace idc::passes {

/// Puts the groups of segmentsOf() together, decides what is stored between them and what is made again, and fills in
/// their layouts. A thread's part of one value takes at most the target's `groupWords`, or a block holds the group in
/// levels, unless one step alone needs more. `number`: of the different ways to do so that are known, the best being 0;
/// false, with the best, when there are not so many. `best` becomes that one and those behind it, at most `listed`,
/// with the bytes that they read and write.
bool mergeGroups(FlowProgram &program, const Target &target, Plan plan, size_t number, size_t listed,
                 std::vector<Candidate> &best);

} // namespace idc::passes
