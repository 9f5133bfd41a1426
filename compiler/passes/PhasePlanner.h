// Phases: how a block holds steps that take elements of each other's values from computed places.
#pragma once

#include "compiler/passes/LevelPlanner.h"

namespace idc::passes {

/// Decides where the axes of such a group live, as planLevels() does. Returns false when a block cannot hold it; the
/// group is then as it was.
bool planPhases(FlowGroup &group, const Target &target, const LevelLimits &limits);

} // namespace idc::passes
