// Plans kernels that are one pass over memory each, lanes being the elements of a vector.
#pragma once

#include "compiler/passes/Planner.h"

namespace idc::passes {

/// As few passes as registers allow, lanes on low address digits. None when a step has more digits than the registers
/// hold.
void proposeVectors(const PlanRequest &request, const Target &target, CandidatePool &pool);

} // namespace idc::passes
