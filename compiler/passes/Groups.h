// Groups: steps outside chains that share a flat kernel.
#pragma once

#include "compiler/passes/Steps.h"

namespace idc::passes {

/// Puts groups of findSegments() together, decides what is stored between them and what is made again, and fills in
/// their layouts. A thread's part of one value takes at most `registerWords` 32-bit words, unless one step alone needs
/// more.
void mergeGroups(FlowProgram &program, int64_t registerWords);

} // namespace idc::passes
