// Kernels of a schedule and the segments that they do.
#pragma once

#include "compiler/passes/Schedule.h"
#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

namespace idc::passes {

/// The end of the kernels from `first` on that a chain takes: up to the one with its last step, one without steps.
size_t kernelsOf(const Schedule &schedule, size_t first, const FlowChain &chain);

/// True when the schedule has kernels for what is outside chains, or there is nothing to do outside.
bool namesGroups(const Schedule &schedule, const FlowProgram &program);

/// A group as a kernel of a schedule: its steps by their numbers, with what holds the axes that their values have.
KernelPlan kernelOf(const FlowProgram &program, const FlowGroup &group, const Target &target);

/// Puts the segments of segmentsOf() in the order of the schedule's kernels, and its steps outside chains together as
/// these kernels say. A value that is used in another kernel or returned is stored by the first kernel that makes it.
/// Axes that no range of a kernel holds number its blocks. False, with `error` set, when such a kernel cannot be built;
/// what is wrong with kernels of chains is left to be found.
bool formGroups(FlowProgram &program, const Schedule &schedule, const Target &target, std::string &error);

} // namespace idc::passes
