// What the values of a group take of a block's shared memory.
#pragma once

#include "compiler/passes/Steps.h"

namespace idc::passes {

/// What takes shared memory at a time.
enum class Sharing {
  Values, // that wait
  Moves,  // and what is loaded or stored, in whatever mapping it is held
  Turns,  // the same, one after the other: threads meet between what a section reads and what it writes
};

/// The most bytes of a block that are taken at a time: by values that steps take at another level than they are made at,
/// and by what other threads than all hold for later sections (Sections.h) of its own level. Of a group whose blocks
/// share nothing.
int64_t sharedBytesOf(const FlowGroup &group, Sharing sharing);

} // namespace idc::passes
