// Levels: how a block holds a group of steps whose digits are too many for the registers of a thread.
#pragma once

#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

namespace idc::passes {

/// The 32-bit words of an element in registers.
int64_t wordsOf(mlir::Type element);
/// A step of a node that holds more words has a kernel to itself.
constexpr int64_t registersOfThread = 255;
/// Words, or elements, of a thread beyond which what it holds is better taken from shared memory one after the other.
constexpr int64_t muchOfThread = 64;

/// The 32-bit words of the largest value of a step in a thread that holds what its node acts on; 0 without a node.
int64_t wordsOfNode(const FlowGroup &group, mlir::Operation *step);
/// Whether all results of a step lack some of its axes.
bool contracts(const FlowGroup &group, mlir::Operation *step);

/// The axes of a group from the lowest address up, by the largest value that is read or written.
struct GroupOrder {
  llvm::SmallVector<int> axes;
  /// Axes that this value lacks come last.
  int64_t rank(int axis) const { return llvm::find(axes, axis) - axes.begin(); }
};
GroupOrder orderOf(const FlowGroup &group);

/// What a thread and a block may hold on a GPU, of a group in levels.
struct LevelLimits {
  int64_t words;        // 32-bit words of one value in a thread
  int64_t runBytes;     // consecutive bytes of a buffer in a thread; 0: any
  int64_t fastLanes;    // values of the axes with the lowest addresses that the threads of a block hold
  int64_t threads;      // of a block
  int64_t resident = 1; // blocks for which a multiprocessor has registers
  int64_t cluster = 1;  // blocks of a cluster
  int64_t levels = 62;
  bool strided = false; // only where nodes do not act on the lowest addresses, so that lanes take some of these
  /// Of a cooperative kernel: words of the widest value that a block holds at a time. What is beyond is for up to
  /// `cluster` blocks of a grid that is resident, then for turns of these. 0: no such kernel.
  int64_t tile = 0;
  /// Of these: values of the highest axes that a thread holds at the first level, though nodes act on them later.
  int64_t spread = 1;
  /// In phases (PhasePlanner.h), also where no place is computed: no more than one block, and levels where phases do
  /// not fit.
  bool phases = false;
  /// Of phases: threads meet wherever one value can take the place of another in shared memory.
  bool turns = false;
};

/// Decides where the axes of a possible group live, and writes it into the group: launch, levels and runs. Returns
/// false when neither the registers of a thread nor a block can hold what its nodes act on together, nor the blocks of
/// a cluster; all nodes' axes are then in registers, all others number the blocks. With several levels every axis of a
/// node has one, at which it is in registers; at all others lanes hold it, or below its level the blocks of a cluster.
/// (On a CPU there is one level, of the target's `groupWords`.) Neighbouring threads take neighbouring addresses.
bool planLevels(FlowGroup &group, const Target &target, const LevelLimits &limits);

/// Gives threads to a group of one level, which needs no exchanges: the axes of the block number with the lowest
/// addresses become lanes, about as many values of them as the target's `flatThreads`. On a CPU there are none.
void spreadOverThreads(FlowGroup &group, const Target &target);

/// The mapping in which a tile of elements of `elementBytes` bytes, which lie as `placed` says, is loaded or stored:
/// the given one, or, where its threads hold runs of more than `runBytes`, one in which neighbours hold neighbouring
/// runs of one access: of as many registers and threads, or, where digits make up no such, or long runs would be
/// divided into less than lines, of `threads` at most. What does not lie in order stays with threads that have as many
/// registers. Where the length of a problem allows narrow accesses only, runs are shorter by as much.
digits::Mapping memoryMapping(const digits::Mapping &held, const digits::BufferView &placed, int64_t elementBytes,
                              int64_t runBytes, int64_t threads, bool isInOrder, const Target &target);

} // namespace idc::passes
