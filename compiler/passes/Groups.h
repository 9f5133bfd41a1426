// Groups: steps outside chains that share a kernel.
#pragma once

#include "compiler/passes/LevelPlanner.h"

namespace idc::passes {

enum class Merged {
  Within,    // the limits
  Beyond,    // with fewer columns, or shorter runs
  Unplanned, // not at all: a thread has all that nodes act on
};

/// Puts the groups of segmentsOf() together, decides what is stored between them and what is made again, and fills in
/// their layouts. A thread's part of one value takes at most the target's `groupWords`, or a block holds the group in
/// levels within the limits, unless one step alone needs more. Says what became of a group once its stores were known.
Merged mergeGroups(FlowProgram &program, const Target &target, const LevelLimits &limits);

/// The bytes of a problem that a load reads, each once.
int64_t bytesOf(const FlowLoad &load);

} // namespace idc::passes
