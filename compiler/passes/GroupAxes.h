// Axes: digits of the values of a group that run together.
#pragma once

#include "compiler/passes/Steps.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace idc::passes {

/// Rules that made a difference.
struct AskedRules {
  bool apart = false, fetch = false, join = false;
};

struct AxisRules {
  /// Digits that nodes insert are axes of their own; else each takes that of the last one removed, where it can.
  bool apart;
  /// Where a step's operands would bring two digits of one value onto one axis, one of them comes from computed places.
  bool fetch;
  /// The steps that may be no code where they put together what is stored (FlowGroup::joined).
  llvm::function_ref<bool(mlir::Operation *)> mayJoin;
  /// Those that made a difference are noted there, if given.
  AskedRules *asked = nullptr;
};

/// The group of these steps, in this order, without its stores and without what holds it; nothing when they cannot
/// share a kernel: a value would have two digits on one axis, a digit another radix than its axis, or a value that the
/// group makes would lack an axis that no node acts on, so that threads would repeat each other's work. `error`, if
/// given, then says so.
std::optional<FlowGroup> findAxes(const FlowProgram &program, llvm::ArrayRef<mlir::Operation *> steps,
                                  const AxisRules &rules, std::string *error = nullptr);

/// Fills in a group that only moves what it stores: one load, every digit an axis of the block number.
void layOutCopy(const FlowProgram &program, FlowGroup &copy);

/// The threads that a step of a group takes, in warps of `lanes`: as many as the one of its values that has most.
int64_t threadsOf(const FlowGroup &group, mlir::Operation *step, int64_t lanes);

/// The first step that takes more threads than the first of all, or null: what a team cannot do, whose first step is
/// done by all threads.
mlir::Operation *stepOfMoreThreads(const FlowGroup &group, int64_t lanes);

} // namespace idc::passes
