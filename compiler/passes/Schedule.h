// Schedules: kernels, each a sequence of step ranges with the mapping that holds during them. docs/ir.md spells them.
#pragma once

#include "dialect/digits/Launch.h"
#include "dialect/digits/Mapping.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <string>
#include <vector>

namespace idc::passes {

struct RangePlan {
  /// Join: steps outside chains that are no code: what they put together is stored in parts.
  enum class Kind { Load, Steps, Join, Store };
  Kind kind = Kind::Steps;
  int first = 0, last = 0; // step numbers from 1; unused for Load and Store
  digits::Mapping mapping; // not of Join
  /// Of Load and Store of steps outside chains, in place of a mapping: the consecutive bytes of a buffer that a thread
  /// takes at most; 0: it takes what its mapping says.
  int64_t runs = 0;
  /// Of Load and Store: a block moves its problems in one stretch, through shared memory.
  bool staged = false;
};

struct KernelPlan {
  digits::Launch launch;
  std::vector<RangePlan> ranges; // optional Load, Steps and Join …, optional Store
  /// Address order of the kernel's result in the workspace, lowest address digit first; empty: logical order. The last
  /// kernel's order is the program's own.
  std::vector<int> order;
  /// When not 0, the result lies in a ring of so many problems, and the next kernel of the schedule is a second pass of
  /// this one: its tile k is done when the first pass does tile k + delay.
  int64_t ring = 0, delay = 0;
  bool apart = false; // of steps outside chains: digits that nodes insert have axes of their own
  std::string axes;   // for readers: which digits the axes are

  /// True when the kernel does steps, of a chain or others.
  bool hasSteps() const;
  /// The first step that it does, or 0.
  int firstStep() const;
  /// The last step of its last range, or 0.
  int lastStep() const;
  /// How often the blocks of a cluster change what each of them has.
  int exchangesBetweenBlocks() const;
};

struct Schedule {
  std::vector<KernelPlan> kernels;
};

/// The schedule as an attribute of the function (`id.schedule`) and back; fromAttribute is false on a malformed one,
/// with `error` set. Radices are least significant first. What is staged without a mapping has that of the steps
/// beside.
mlir::ArrayAttr toAttribute(const Schedule &schedule, mlir::MLIRContext *context);
bool fromAttribute(mlir::ArrayAttr attribute, const std::vector<int> &radices, Schedule &schedule, std::string &error);

/// Source text of the schedule: `schedule ENTRY for TARGET where CONDITION { with CHOICE = 3 … }`.
std::string printSchedule(const Schedule &schedule, const std::string &entry, const std::string &target,
                          const std::string &condition,
                          const std::vector<std::pair<std::string, int64_t>> &choices = {});

} // namespace idc::passes
