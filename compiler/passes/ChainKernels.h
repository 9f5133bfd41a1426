// The kernels of chains as groups: all threads hold every value.
#pragma once

#include "compiler/passes/JoinedChains.h"
#include "compiler/passes/Schedule.h"
#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

namespace idc::passes {

/// Gives the columns of a kernel's mappings the radices of a chain's digits; the text of a schedule has none.
void setRadices(KernelPlan &kernel, const FlowChain &chain);

/// What is wrong with kernels `first` … `end - 1` of a schedule for these chains on this machine; empty when nothing
/// is.
std::string checkKernels(const Schedule &schedule, size_t first, size_t end, const JoinedChains &chains,
                         const Target &target);

/// One group for each of these kernels, which have been checked; for several chains there is one. Its axes are those of
/// the chains, its levels the mappings of ranges with steps. The first load of each group but the first one is of what
/// the group before stores, and has no buffer yet.
std::vector<FlowGroup> groupsOf(const JoinedChains &chains, llvm::ArrayRef<KernelPlan> kernels);

} // namespace idc::passes
