// Plans of groups: candidates from bounds of what threads and blocks hold.
#pragma once

#include "compiler/passes/Planner.h"
#include "compiler/passes/Steps.h"

namespace idc::passes {

/// Plans what is outside the chains of segmentsOf(). `number`: of the different plans, the cheapest being 0; false,
/// with the cheapest, when there are not so many. `best` becomes that one and those behind it, at most `listed`.
bool planGroups(FlowProgram &program, const Target &target, Plan plan, size_t number, size_t listed,
                std::vector<Candidate> &best);

} // namespace idc::passes
