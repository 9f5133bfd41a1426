// What the values of a group take of a block's shared memory.
#pragma once

#include "compiler/passes/Steps.h"

namespace idc::passes {

/// The most bytes of a block that wait in shared memory at a time: values that steps take at another level than they
/// are made at, and what other threads than all hold for later sections (Sections.h) of its own level. `moves`: also
/// what is loaded or stored, in whatever mapping it is held. Of a group whose blocks share nothing.
int64_t sharedBytesOf(const FlowGroup &group, bool moves);

} // namespace idc::passes
