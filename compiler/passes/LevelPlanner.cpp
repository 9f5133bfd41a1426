// A node needs its digits in registers. Steps are taken in program order; the axes that they act on go into the
// registers of the current level as long as a thread can hold its part of every value, then into those of the next:
//
//   exclusive scan of 2^9 values, 8 to a thread: level 0 holds axes 1..3, level 1 axes 4..6, level 2 axes 7..9
//   up:    64 threads add up 8 values each, 8 threads 8 sums, one thread 8 sums
//   down:  one thread has 8 prefixes, 8 threads 8 each, 64 threads 8 each
//
// So a contraction goes on in fewer and fewer threads, the expansion comes back the same way, and what the expansion
// needs is still where the contraction left it. Between two levels values go through shared memory; there are few of
// them, as every level has contracted what it gives away.
//
// Threads hold neighbours of the largest buffer. Where the axes of nodes have not the lowest addresses, threads take
// those that have. Blocks of few threads are filled with further axes, then with further problems.
#include "compiler/passes/LevelPlanner.h"

#include "compiler/passes/GroupAxes.h"
#include "compiler/passes/GroupMemory.h"
#include "compiler/passes/PhasePlanner.h"
#include "compiler/passes/ScatteredPlaces.h"
#include "compiler/passes/TurnOrder.h"

#include "llvm/ADT/STLExtras.h"

#include <limits>

using namespace mlir;
using namespace idc;
using namespace idc::passes;

namespace {

/// What one access takes: all of it lies inside of the buffer, or nothing, and it is aligned in every problem.
int64_t accessBytesOf(const digits::BufferView &placed, int64_t elementBytes, const Target &target) {
  if (placed.bounds.empty())
    return target.vectorBytes;
  auto isPossible = [&](int64_t width) {
    bool possible = placed.problem % width == 0 && placed.address.constant % width == 0;
    for (size_t digit = 0; digit < placed.address.weight.size(); ++digit) {
      int64_t weight = std::abs(placed.address.weight[digit]);
      bool inside = weight > 0 && weight < width;
      possible &= inside || weight % width == 0;
      for (const digits::BufferView::Bound &bound : placed.bounds)
        possible &= !inside || bound.index.weight[digit] == 0 || bound.limit % width == 0;
    }
    return possible;
  };
  int64_t bytes = target.vectorBytes;
  while (bytes > elementBytes && (bytes % elementBytes != 0 || !isPossible(bytes / elementBytes)))
    bytes /= 2;
  return bytes;
}

class LevelPlanner {
public:
  LevelPlanner(FlowGroup &group, const Target &target, const LevelLimits &limits)
      : group(group), target(target), limits(limits), order(orderOf(group)), isGpu(target.kind != "cpu") {
    for (Operation *step : group.steps)
      if (!group.joined.contains(step))
        steps.push_back(step);
    allBlocks = group.otherAxes;
    llvm::stable_sort(allBlocks, [&](int a, int b) { return order.rank(a) < order.rank(b); });
    blocks = allBlocks;
  }

  /// Plans the group, and writes what holds it; false where that is beyond the limits.
  bool run() {
    const bool fits = plan();
    write();
    // Blocks of a cluster or a team share what waits; the others have to have room for it at least.
    return fits && (!cooperative || !stepOfMoreThreads(group, target.lanes)) &&
           (cooperative || hasMemory(Sharing::Values));
  }

private:
  /// Whether a block has shared memory for what is written, and for padding.
  bool hasMemory(Sharing sharing) const { return sharedBytesOf(group, sharing) * 9 / 8 <= target.sharedBytesPerBlock; }

  bool plan() {
    SmallVector<int> oneLevel(group.radices.size(), -1);
    for (int axis : group.nodeAxes)
      oneLevel[axis] = 0;
    if (!isGpu)
      return fits(oneLevel, 0, steps, target.groupWords) && operations(oneLevel) <= maxOperations;
    if (contractsMuch())
      return false;
    // What is joined in the registers of a thread is stored whole, its parts would be stored by bits; and problems that
    // end within an access are taken together.
    const int together = problemsTogether(oneLevel);
    if ((!group.joined.empty() || together) && blocks.empty() && fits(oneLevel, 0, steps, 2 * limits.words) &&
        operations(oneLevel) <= maxOperations && hasRoom(oneLevel)) {
      batchRegisters = together;
      levels = std::move(oneLevel);
      fillLanes();
      return true;
    }
    // What no thread has registers for is read from where it lies, by as many threads as there are.
    if (isWideNode(oneLevel))
      return steps.size() > 1 && operations(oneLevel) <= maxOperations;
    SmallVector<int> several;
    if (assign(limits.words, limits.runBytes, several) && operations(several) <= maxOperations) {
      bool hasSeveral = llvm::any_of(several, [](int level) { return level > 0; });
      if (!hasSeveral && !hasLongRuns(several)) {
        undo();
        return true;
      }
      bool wanted = !limits.strided || fastLanes(nullptr) > 1;
      if (wanted && (limits.tile ? spreadOverGrid(several) : hasRoom(several) || spreadOverCluster(several))) {
        levels = std::move(several);
        if (fillLanes() >= target.lanes || hasSeveral)
          return true;
      }
    }
    // What takes a warp's shared memory for fewer threads is read and written from where it lies.
    undo();
    return fits(oneLevel, 0, steps, target.groupWords) && operations(oneLevel) <= maxOperations;
  }

  /// Whether single nodes, beside other steps, contract more than a thread holds of neighbours in memory: phases take
  /// that from shared memory.
  bool contractsMuch() const {
    auto isLarge = [&](Operation *step) { return wordsOfNode(group, step) > muchOfThread; };
    const int lowest = order.axes.empty() ? -1 : order.axes.front();
    auto isOfNeighbours = [&](Operation *step) {
      return llvm::is_contained(group.axesOfNode(step), lowest) && isLarge(step);
    };
    return steps.size() > 1 && llvm::any_of(steps, isOfNeighbours) &&
           llvm::all_of(steps, [&](Operation *step) { return !isLarge(step) || contracts(group, step); });
  }

  /// Whether there is one node of more values than a thread has registers for, and all steps on so many elements alone
  /// are for steps here: what a thread makes in the order of its code, and stores nothing of.
  bool isWideNode(ArrayRef<int> levels) const {
    auto isNode = [](Operation *step) { return isa<id::NodeOp>(step); };
    auto isWide = [&](Operation *step) { return wordsAt(levels, 0, step) > registersOfThread; };
    auto isHere = [&](Operation *step) { return llvm::is_contained(steps, step); };
    return llvm::count_if(steps, isNode) == 1 && llvm::any_of(steps, isWide) &&
           llvm::all_of(steps, [&](Operation *step) {
             return isNode(step) || !isWide(step) || llvm::all_of(step->getUsers(), isHere);
           });
  }

  /// Back to one level.
  void undo() {
    blocks = allBlocks;
    for (auto *list : {&levels, &lanes, &ranks, &turns, &spread})
      list->clear();
    cooperative = false;
    batchRegisters = batchLanes = 0;
  }

  /// Puts the plan into the group: its launch, a mapping for every level, and the level of every step.
  void write() {
    group.launch = digits::Launch();
    for (int axis : ranks)
      (cooperative ? group.launch.team : group.launch.cluster) *= group.radices[axis];
    group.levelOf.clear();
    group.levels.clear();
    if (!levels.empty())
      placeSteps();
    for (int level = 0; level <= lastLevel(levels); ++level)
      group.levels.push_back(mappingAt(level));
    // Runs go through shared memory, where that has room for what a block takes at a time, and for padding.
    const bool inRuns = !levels.empty() && hasMemory(Sharing::Turns);
    group.loadRuns = inRuns ? target.levelRunBytes : 0;
    group.storeRuns = inRuns ? target.vectorBytes : 0;
  }

  /// What holds all axes, and the batch digits that a block holds, at a level.
  digits::Mapping mappingAt(int level) const {
    using digits::Field;
    digits::Mapping mapping;
    auto hold = [&](Field field, int axis) { mapping.push(field, axis + 1, group.radices[axis]); };
    auto isInRegisters = [&](int axis) {
      return levels.empty() || (levels[axis] == level && !isTurn(axis)) || (level == 0 && isSpread(axis));
    };
    const int numAxes = static_cast<int>(group.radices.size());
    for (int axis : group.nodeAxes)
      if (isInRegisters(axis))
        hold(Field::Reg, axis);
    for (int axis : lanes)
      hold(Field::Lane, axis);
    for (int axis : group.nodeAxes)
      if (!isInRegisters(axis) && !isRank(axis, levels, level) && !isTurn(axis))
        hold(Field::Lane, axis);
    for (int digit = 1; digit <= batchRegisters + batchLanes; ++digit)
      mapping.push(digit <= batchRegisters ? Field::Reg : Field::Lane, numAxes + digit);
    for (int axis : ranks)
      if (isRank(axis, levels, level))
        hold(Field::Rank, axis);
      else
        mapping[Field::Rank].push_back({{}, group.radices[axis]});
    for (int axis : turns)
      hold(Field::Turn, axis);
    for (int axis : blocks)
      hold(Field::Block, axis);
    return mapping;
  }

  /// Scalar operations that a group may unroll to: beyond, code grows past the instruction cache.
  static constexpr int64_t maxOperations = 8192;
  /// Threads below which a block is filled.
  static constexpr int64_t fullThreads = 256;

  FlowGroup &group;
  const Target &target;
  const LevelLimits &limits;
  GroupOrder order;
  bool isGpu;
  SmallVector<Operation *> steps; // those that are code

  // Where the axes live.
  SmallVector<int> levels;    // of every axis: where it is in registers, or -1; empty: one level
  SmallVector<int> allBlocks; // axes that no node acts on, lowest addresses first
  SmallVector<int> blocks;    // those that number the blocks
  SmallVector<int> lanes;     // those that the threads of a block hold
  int batchRegisters = 0;     // low batch digits that a thread holds with all of its problems
  int batchLanes = 0;         // batch digits above them that lanes hold, above all else
  SmallVector<int> ranks;     // axes of nodes that the blocks of a cluster hold below their levels, low first
  bool cooperative = false;   // the blocks are no cluster but any of a grid whose blocks are all resident
  SmallVector<int> spread;    // axes of nodes that threads hold at the first level already
  SmallVector<int> turns;     // axes of nodes that these blocks work through in order, low first

  /// True when the blocks of the cluster hold this axis, at a level; above, each has all of what is left.
  bool isRank(int axis, ArrayRef<int> levels, int level) const {
    return llvm::is_contained(ranks, axis) && llvm::all_of(ranks, [&](int rank) { return level < levels[rank]; });
  }

  int64_t product(ArrayRef<int> axes, llvm::function_ref<bool(int)> counts) const {
    int64_t count = 1;
    for (int axis : axes)
      if (counts(axis))
        count *= group.radices[axis];
    return count;
  }

  /// True when a thread can hold its part of every value of these steps, which are at a level: `words` 32-bit words,
  /// and, with `runBytes`, runs of so many bytes of buffers.
  bool fits(ArrayRef<int> levels, int level, ArrayRef<Operation *> steps, int64_t words, int64_t runBytes = 0) const {
    auto inRegisters = [&](int axis) { return levels[axis] == level; };
    if (wordsAt(levels, level, steps) > words)
      return false;
    if (!runBytes)
      return true;
    auto runFits = [&](ArrayRef<int> axes, Type buffer) {
      bool lowest = llvm::any_of(axes, [&](int axis) { return inRegisters(axis) && order.rank(axis) == 0; });
      return !lowest || product(axes, inRegisters) * id::elementBytes(id::elementOf(buffer)) <= runBytes;
    };
    for (const FlowLoad &load : group.loads)
      if (!runFits(load.axes, load.from.buffer.getType()))
        return false;
    for (const FlowStore &store : group.stores)
      if (group.axes.contains(store.value) && !runFits(group.axes.lookup(store.value), store.made.getType()))
        return false;
    return true;
  }

  /// The 32-bit words of the largest value that a thread holds of the given steps, at a level.
  int64_t wordsAt(ArrayRef<int> levels, int level, ArrayRef<Operation *> steps) const {
    int64_t words = 0;
    for (Operation *step : steps)
      for (Value value : llvm::concat<Value>(step->getOperands(), step->getResults()))
        words = std::max(words, product(group.axesOf(step, value), [&](int axis) {
                                  return (levels[axis] == level && !isTurn(axis)) || (level == 0 && isSpread(axis));
                                }) * wordsOf(id::elementOf(value.getType())));
    return words;
  }

  /// Batch digits of a thread that holds whole problems, all of them at one level: so many that what it reads and
  /// writes of every buffer is a multiple of the widest access, as far as runs stay short and its words allow. Views of
  /// buffers would be read number by number.
  int problemsTogether(ArrayRef<int> levels) const {
    int batchDigits = 0;
    int64_t longest = 0;
    auto consider = [&](Type buffer) {
      longest = std::max(longest, sequenceBytes(buffer));
      while ((sequenceBytes(buffer) << batchDigits) % target.vectorBytes != 0)
        ++batchDigits;
    };
    for (const FlowLoad &load : group.loads) {
      if (!load.from.views.empty())
        return 0;
      consider(load.from.buffer.getType());
    }
    for (const FlowStore &store : group.stores) {
      if (!store.views.empty())
        return 0;
      consider(store.made.getType());
    }
    while (batchDigits > 0 &&
           (longest << batchDigits > target.levelRunBytes || wordsAt(levels, 0, steps) << batchDigits > limits.words))
      --batchDigits;
    return batchDigits;
  }

  /// True when a thread holds more consecutive bytes of a buffer than one access takes.
  bool hasLongRuns(ArrayRef<int> levels) const {
    auto isLong = [&](ArrayRef<int> axes, Value buffer, const digits::BufferView &placed) {
      auto inRegisters = [&](int axis) { return levels[axis] >= 0; };
      int64_t bytes = id::elementBytes(id::elementOf(buffer.getType()));
      return llvm::any_of(axes, [&](int axis) { return inRegisters(axis) && order.rank(axis) == 0; }) &&
             product(axes, inRegisters) * bytes > accessBytesOf(placed, bytes, target);
    };
    return llvm::any_of(
               group.loads,
               [&](const FlowLoad &load) { return isLong(load.axes, load.from.buffer, load.from.placed()); }) ||
           llvm::any_of(group.stores, [&](const FlowStore &store) {
             return group.axes.contains(store.value) &&
                    isLong(group.axes.lookup(store.value), store.made, *store.placed());
           });
  }

  /// The values of a tile of a cooperative kernel, or 0.
  int64_t tileValues() const {
    int64_t widest = 1;
    for (Operation *step : steps)
      for (Value value : llvm::concat<Value>(step->getOperands(), step->getResults()))
        widest = std::max(widest, wordsOf(id::elementOf(value.getType())));
    return limits.tile / widest;
  }

  bool isSpread(int axis) const { return llvm::is_contained(spread, axis); }
  bool isTurn(int axis) const { return llvm::is_contained(turns, axis); }

  int64_t elementsOf(Operation *step) const {
    return product(group.arrangement.find(step)->second, [](int) { return true; });
  }

  bool assign(int64_t words, int64_t runBytes, SmallVector<int> &levels) {
    levels.assign(group.radices.size(), -1);
    int current = -1;
    int64_t assigned = 1; // values of the axes that have a level
    // A block, and the blocks that work on a problem at the same time, have levels of their own.
    auto exceeds = [&](int64_t most, int64_t more) { return assigned <= most && assigned * more > most; };
    SmallVector<Operation *> here; // of the current level
    bool isPosted = false;         // which begins with posts: their tags take as many registers
    // From the wide side, which has most threads.
    bool fromEnd = elementsOf(steps.back()) > elementsOf(steps.front());
    for (size_t i = 0; i < steps.size(); ++i) {
      Operation *step = steps[fromEnd ? steps.size() - 1 - i : i];
      SmallVector<int> axes = group.axesOfNode(step);
      if (axes.empty())
        continue;
      int known = levels[axes.front()];
      if (llvm::any_of(axes, [&](int axis) { return levels[axis] != known; }))
        return false; // of two levels
      if (known >= 0)
        continue;
      const int64_t more = product(axes, [](int) { return true; }), tile = tileValues();
      const bool endsTile = tile && exceeds(tile, more), endsRanks = tile && exceeds(tile * limits.cluster, more);
      assigned *= more;
      if (tile && assigned > tile * limits.cluster) {
        current += endsRanks;
        for (int axis : axes) {
          levels[axis] = current;
          turns.push_back(axis);
        }
        continue;
      }
      auto attempt = [&](int level) {
        for (int axis : axes)
          levels[axis] = level;
        here.push_back(step);
        return fits(levels, level, here, isPosted ? std::min(words, target.levelWords / 4) : words, runBytes);
      };
      if (current >= 0 && !endsTile && attempt(current))
        continue;
      if (current >= 0 && !endsTile) { // undone
        for (int axis : axes)
          levels[axis] = -1;
        here.pop_back();
      }
      // The first level has most threads: what it needs, the others may take twice.
      constexpr int64_t always = 16;
      if (current == 0)
        words = std::min(std::max(words, target.levelWords), std::max(always, 2 * wordsAt(levels, 0, here)));
      if (endsTile)
        words = target.levelWords;
      here.clear();
      ++current;
      // One step is always possible, but alone where it has more values than a thread has registers for.
      if (!attempt(current) && steps.size() > 1 && wordsAt(levels, current, here) > registersOfThread)
        return false;
      isPosted = endsTile;
    }
    return true;
  }

  /// Threads that the widest arrangement takes.
  int64_t threadsOf(ArrayRef<int> levels) const {
    int64_t threads = 1;
    for (Operation *step : steps)
      for (int axis : group.axesOfNode(step))
        threads = std::max(threads, product(group.arrangement.find(step)->second, [&](int other) {
                             return levels[other] >= 0 && levels[other] != levels[axis] && !isTurn(other) &&
                                    !(levels[axis] == 0 && isSpread(other)) && !isRank(other, levels, levels[axis]);
                           }));
    return threads;
  }

  /// Gives axes to the blocks of a cluster, from those that are contracted last, until a block has room for the rest.
  /// Returns false where there are not enough, or blocks would be too many.
  bool spreadOverCluster(ArrayRef<int> levels) {
    SmallVector<int> axes;
    for (int axis : group.nodeAxes)
      if (levels[axis] > 0 && llvm::isPowerOf2_64(group.radices[axis]))
        axes.push_back(axis);
    llvm::stable_sort(
        axes, [&](int a, int b) { return std::pair(levels[a], order.rank(a)) < std::pair(levels[b], order.rank(b)); });
    int64_t blocks = 1;
    while (!axes.empty()) {
      int axis = axes.pop_back_val();
      blocks *= group.radices[axis];
      if (blocks > limits.cluster)
        break;
      ranks.insert(ranks.begin(), axis);
      if (hasRoom(levels))
        return true;
    }
    ranks.clear();
    return false;
  }

  /// Gives what is beyond a tile to the blocks of a grid. Returns false where they have no part in it, or what they do
  /// in turns would have to be known ahead.
  bool spreadOverGrid(ArrayRef<int> levels) {
    int64_t held = 1;
    SmallVector<int> axes(group.nodeAxes);
    llvm::stable_sort(
        axes, [&](int a, int b) { return std::pair(levels[a], order.rank(a)) < std::pair(levels[b], order.rank(b)); });
    for (int axis : axes)
      if ((held *= group.radices[axis]) > tileValues() && !isTurn(axis))
        ranks.push_back(axis);
    const int64_t together = product(ranks, [](int) { return true; });
    int64_t values = 1;
    for (int axis : llvm::reverse(axes))
      if (levels[axis] > 0 && !isTurn(axis) && !llvm::is_contained(ranks, axis) &&
          (values *= group.radices[axis]) <= limits.spread)
        spread.push_back(axis);
    cooperative = !ranks.empty();
    const bool fitsAccess = wordsAt(levels, 0, stepsAt(levels, 0)) <= limits.words * limits.spread;
    const int64_t park = cooperative ? 2 * parkedBytes(levels) : 0;
    // What goes from level to level meanwhile (of a tile of records twice that of single numbers), and the system's
    // own.
    constexpr int64_t beside = 20480 + 1024;
    if (together <= limits.cluster && fitsAccess &&
        park + beside <= target.sharedBytesPerMultiprocessor / limits.resident && hasRoom(levels) &&
        (!cooperative || (group.joined.empty() && waitsOnce(levels) && hasTurns())))
      return true;
    ranks.clear();
    spread.clear();
    turns.clear();
    return cooperative = false;
  }

  /// Bytes of a block's part of what is made before blocks wait for others and used afterwards: operands of expansions,
  /// and what is read again.
  int64_t parkedBytes(ArrayRef<int> levels) const {
    DenseMap<Value, bool> madeBefore;
    DenseSet<int> readBefore, again;
    DenseSet<Value> parked;
    int64_t bytes = 0;
    auto add = [&](ArrayRef<int> axes, Type type) {
      bytes +=
          product(axes,
                  [&](int axis) { return levels[axis] >= 0 && !isTurn(axis) && !llvm::is_contained(ranks, axis); }) *
          static_cast<int64_t>(
              llvm::alignTo(id::elementBytes(id::elementOf(type)), id::exchangeWordBytes(id::elementOf(type))));
    };
    bool afterwards = false;
    for (Operation *step : steps) {
      SmallVector<int> axes = group.axesOfNode(step);
      afterwards |= !axes.empty() && levels[axes.front()] >= levels[ranks.front()];
      for (OpOperand &operand : step->getOpOperands()) {
        if (auto load = group.loadOf.find({step, operand.getOperandNumber()}); load != group.loadOf.end()) {
          if (!afterwards)
            readBefore.insert(load->second);
          else if (readBefore.contains(load->second) && again.insert(load->second).second)
            add(group.loads[load->second].axes, operand.get().getType());
        } else if (afterwards && madeBefore.lookup(operand.get()) && parked.insert(operand.get()).second) {
          add(group.axesOf(step, operand.get()), operand.get().getType());
        }
      }
      for (Value result : step->getResults())
        madeBefore[result] = !afterwards;
    }
    return bytes;
  }

  /// True when steps go to the levels that all blocks share, and come back from there once: a team posts once, what it
  /// has made.
  bool waitsOnce(ArrayRef<int> levels) const {
    bool made = false, waits = false, back = false;
    for (Operation *step : steps) {
      SmallVector<int> axes = group.axesOfNode(step);
      if (axes.empty())
        continue;
      const bool shared = levels[axes.front()] >= levels[ranks.front()];
      if (shared && (back || !made))
        return false;
      made |= !shared;
      back |= waits && !shared;
      waits |= shared;
    }
    return true;
  }

  /// True when what acts on turns can be done in them, and something comes back from it: blocks need not wait for each
  /// other where all is contracted.
  bool hasTurns() const {
    auto turnOf = [&](Operation *step) -> std::optional<int> {
      SmallVector<int> axes = group.axesOfNode(step);
      if (axes.empty() || !isTurn(axes.front()))
        return std::nullopt;
      return static_cast<int>(llvm::find(turns, axes.front()) - turns.begin());
    };
    const ArrayRef<Operation *> own = stepsOnTurns(steps, turnOf);
    if (own.empty())
      return turns.empty();
    const bool begun = group.stores.empty(); // steps are still to join
    const bool comesBack = turnOf(own.back()) == 0 && expands(own.back());
    return (begun || comesBack) && canBeDoneInTurns(own, turnOf);
  }

  /// True for a node whose results have its digits.
  static bool expands(Operation *step) {
    auto node = cast<id::NodeOp>(step);
    return llvm::all_of(node.getOutputs(), [&](Value value) { return node.isArray(value); });
  }

  /// True when the threads of a block and their registers are within limits: about twice those of a value, as an
  /// expansion has what a contraction kept beside its own.
  bool hasRoom(ArrayRef<int> levels) const {
    int64_t threads = threadsOf(levels) * fastLanes(nullptr);
    return lastLevel(levels) < limits.levels && threads <= limits.threads &&
           limits.resident * threads * 2 * widestWords(levels) <= target.registersPerMultiprocessor;
  }

  static int lastLevel(ArrayRef<int> levels) {
    return levels.empty() ? 0 : std::max(0, *llvm::max_element(levels)); // empty: one element
  }

  /// The 32-bit words of the largest value that a thread holds at any level.
  int64_t widestWords(ArrayRef<int> levels) const {
    int64_t words = 1;
    for (int level = 0; level <= lastLevel(levels); ++level)
      words = std::max(words, wordsAt(levels, level, stepsAt(levels, level)));
    return words;
  }

  SmallVector<Operation *> stepsAt(ArrayRef<int> levels, int level) const {
    SmallVector<Operation *> there;
    for (Operation *step : steps) {
      SmallVector<int> axes = group.axesOfNode(step);
      if (!axes.empty() && levels[axes.front()] == level)
        there.push_back(step);
    }
    return there;
  }

  int64_t operations(ArrayRef<int> levels) const {
    int64_t count = 0;
    for (Operation *step : steps) {
      SmallVector<int> axes = group.axesOfNode(step);
      int level = axes.empty() ? 0 : levels[axes.front()];
      int64_t times = product(group.arrangement.find(step)->second, [&](int axis) {
        return levels[axis] == level && !llvm::is_contained(axes, axis) && !isTurn(axis);
      });
      constexpr int64_t lookUp = 64; // of a factor whose exponent is found at run time
      int64_t body =
          step->getNumRegions() ? static_cast<int64_t>(step->getRegion(0).front().getOperations().size()) : 0;
      bool hasFactors = isa<id::TwiddleOp>(step);
      step->walk([&](id::OmegaOp) { hasFactors = true; });
      count += times * (body + (hasFactors ? lookUp : 0));
    }
    return count;
  }

  /// The values of the axes below those of nodes that threads hold, so that a warp reads whole lines; adds the axes to
  /// `lanes`.
  int64_t fastLanes(SmallVectorImpl<int> *lanes) const {
    int64_t lowest = std::numeric_limits<int64_t>::max(), count = 1;
    for (int axis : group.nodeAxes)
      lowest = std::min(lowest, order.rank(axis));
    for (int axis : blocks) {
      if (order.rank(axis) >= lowest || count * group.radices[axis] > limits.fastLanes)
        continue;
      count *= group.radices[axis];
      if (lanes)
        lanes->push_back(axis);
    }
    return count;
  }

  /// A node's level is that of its axes; that of another step, the one at which its operands are made, or its first
  /// user's.
  void placeSteps() {
    DenseMap<Value, int> madeAt;
    auto levelHere = [&](Operation *step) -> std::optional<int> {
      SmallVector<int> axes = group.axesOfNode(step);
      if (!axes.empty())
        return levels[axes.front()];
      for (OpOperand &operand : step->getOpOperands())
        if (!group.loadOf.count({step, operand.getOperandNumber()}))
          for (Value value = operand.get(); value;) {
            if (auto made = madeAt.find(value); made != madeAt.end())
              return made->second;
            Operation *moved = value.getDefiningOp();
            value = moved && moved->getNumOperands() == 1 && !moved->getNumRegions() ? moved->getOperand(0) : Value();
          }
      return std::nullopt;
    };
    SmallVector<Operation *> open;
    for (Operation *step : steps) {
      std::optional<int> level = levelHere(step);
      if (!level) {
        open.push_back(step);
        level = 0;
        for (Operation *user : steps)
          if (llvm::is_contained(user->getOperands(), step->getResult(0)) && !group.axesOfNode(user).empty()) {
            level = levels[group.axesOfNode(user).front()];
            break;
          }
      }
      group.levelOf[step] = *level;
      for (Value result : step->getResults())
        madeAt[result] = *level;
    }
  }

  /// Fills a block with threads, as many as a multiprocessor has registers for, and returns their number.
  int64_t fillLanes() {
    int64_t threads = threadsOf(levels) * fastLanes(&lanes);
    const int64_t most = std::min(fullThreads, target.registersPerMultiprocessor / (2 * widestWords(levels)));
    for (int axis : blocks)
      if (!llvm::is_contained(lanes, axis) && threads * group.radices[axis] <= most) {
        lanes.push_back(axis);
        threads *= group.radices[axis];
      }
    for (; !cooperative && threads * 2 <= most; threads *= 2)
      ++batchLanes;
    llvm::erase_if(blocks, [&](int axis) { return llvm::is_contained(lanes, axis); });
    return threads;
  }
};

} // namespace

int64_t passes::wordsOf(Type element) {
  int64_t words = 0;
  for (Type leaf : id::leafTypes(element))
    words += std::max<int64_t>(1, id::elementBytes(leaf) / 4);
  return words;
}

int64_t passes::wordsOfNode(const FlowGroup &group, Operation *step) {
  const SmallVector<int> acted = group.axesOfNode(step);
  int64_t most = 0;
  for (Value value : llvm::concat<Value>(step->getOperands(), step->getResults())) {
    int64_t words = wordsOf(id::elementOf(value.getType()));
    for (int axis : group.axesOf(step, value))
      if (llvm::is_contained(acted, axis))
        words *= group.radices[axis];
    most = std::max(most, words);
  }
  return acted.empty() ? 0 : most;
}

bool passes::contracts(const FlowGroup &group, Operation *step) {
  const size_t all = group.arrangement.find(step)->second.size();
  return llvm::all_of(step->getResults(), [&](Value result) { return group.axesOf(step, result).size() < all; });
}

static bool isGathered(const FlowLoad &load) {
  return llvm::any_of(load.from.views, [](const FlowView &view) { return view.kind == FlowView::Kind::Gather; });
}

GroupOrder passes::orderOf(const FlowGroup &group) {
  int64_t largest = -1;
  GroupOrder order;
  auto consider = [&](Value buffer, const digits::BufferView &placed, ArrayRef<int> axes) {
    if (sequenceBytes(buffer.getType()) <= largest)
      return;
    largest = sequenceBytes(buffer.getType());
    order.axes.clear();
    for (int digit : placed.addressOrder())
      order.axes.push_back(axes[digit - 1]);
  };
  for (const FlowStore &store : group.stores)
    if (group.axes.contains(store.value)) // others are of parts
      consider(store.made, *store.placed(), group.axes.lookup(store.value));
  // Gathered elements lie anywhere: what is stored says more.
  for (const FlowLoad &load : group.loads)
    if (order.axes.empty() || !isGathered(load))
      consider(load.from.buffer, load.from.placed(), load.axes);
  return order;
}

bool passes::planLevels(FlowGroup &group, const Target &target, const LevelLimits &limits) {
  group.betweenPhases = group.betweenBlocks = 0;
  group.hasFewThreads = false;
  if ((!group.fetched.empty() || limits.phases) && planPhases(group, target, limits))
    return true;
  return group.fetched.empty() && LevelPlanner(group, target, limits).run();
}

/// Bytes that a thread reads at once where nothing else says how many.
static constexpr int64_t copiedBytes = 16;

/// Whether a block takes what follows each other in a tile.
static bool isTiled(const FlowLoad &load) {
  return llvm::any_of(load.from.views, [](const FlowView &view) {
    return view.kind == FlowView::Kind::Gather && id::GatherOp(view.gather)->hasAttr(tiledAttr);
  });
}

namespace {
/// What lanes, which take the first of a group's blocks' axes, have no neighbours of.
struct Turned {
  SmallVector<int> axes;       // the lowest of an access: a run of some sectors' elements
  int64_t bytesOfElements = 0; // of all such accesses' elements, where they are exchanged
};
} // namespace

/// Threads that hold these axes in registers exchange what they load or store, so that lanes have neighbours on both
/// sides.
static Turned turnedOf(const FlowGroup &group, ArrayRef<digits::Column> blocks, const Target &target) {
  SmallVector<int> near;
  int64_t lanes = 1;
  for (const digits::Column &column : blocks) {
    if (lanes >= target.lanes)
      break;
    near.push_back(column.digits[0] - 1);
    lanes *= column.radix;
  }
  auto isOfBlocks = [&](int axis) {
    return llvm::any_of(blocks, [&](const digits::Column &column) { return column.digits[0] == axis + 1; });
  };
  Turned turned;
  auto consider = [&](const digits::BufferView &placed, ArrayRef<int> axes, Value value) {
    constexpr int64_t few = 32, most = 64, wordBytes = 4; // registers of a thread
    const int64_t bytes = id::elementBytes(id::elementOf(value.getType()));
    const int64_t enough = std::min(few, 2 * target.sectorBytes / bytes);
    SmallVector<int> lowest;
    int64_t elements = 1;
    for (int digit : placed.addressOrder()) {
      const int axis = axes[static_cast<size_t>(digit) - 1];
      const int64_t more = elements * group.radices[static_cast<size_t>(axis)];
      if (elements >= enough || (more > most && 2 * elements * bytes >= target.sectorBytes))
        break;
      if (!isOfBlocks(axis) || llvm::is_contained(near, axis) || more > most)
        return;
      lowest.push_back(axis);
      elements = more;
    }
    if (turned.axes.empty())
      turned.axes = std::move(lowest);
    turned.bytesOfElements += std::max(bytes, wordBytes);
  };
  for (const FlowStore &store : group.stores)
    if (group.axes.contains(store.value))
      consider(*store.placed(), group.axes.lookup(store.value), store.made);
  for (const FlowLoad &load : group.loads)
    if (!load.from.isRepeated())
      consider(load.from.followed(), load.axes, load.from.buffer);
  return turned;
}

/// Gives the lowest blocks' axes to threads, and returns their number. Digits are not divided: whichever number is
/// nearer.
static int64_t takeThreads(digits::Mapping &mapping, int64_t wanted, const Target &target) {
  std::vector<digits::Column> &blocks = mapping[digits::Field::Block];
  int64_t threads = 1;
  while (!blocks.empty()) {
    const int64_t more = threads * blocks.front().radix;
    if (more > wanted && (more > target.maxThreadsPerBlock || threads * more >= wanted * wanted))
      break;
    threads = more;
    mapping[digits::Field::Lane].push_back(blocks.front());
    blocks.erase(blocks.begin());
  }
  return threads;
}

/// Lets threads hold what blocks have to turn; false where there is nothing, or no room.
static bool spreadTurned(FlowGroup &group, const Target &target) {
  using digits::Field;
  digits::Mapping &mapping = group.levels.front();
  std::vector<digits::Column> &blocks = mapping[Field::Block];
  const Turned turned = turnedOf(group, blocks, target);
  if (turned.axes.empty() || group.steps.empty() || !mapping[Field::Reg].empty())
    return false;
  const digits::Mapping before = mapping;
  int64_t elements = 1;
  for (int axis : turned.axes) {
    auto column = llvm::find_if(blocks, [&](const digits::Column &column) { return column.digits[0] == axis + 1; });
    elements *= column->radix;
    mapping[Field::Reg].push_back(*column);
    blocks.erase(column);
  }
  const int64_t threads = takeThreads(mapping, target.flatThreads, target);
  if (turned.bytesOfElements * elements * threads * 9 / 8 > target.sharedBytesPerBlock) { // with padding
    mapping = before;
    return false;
  }
  group.loadRuns = group.storeRuns = target.vectorBytes;
  return true;
}

/// The bytes of the widest element that a group stores.
static int64_t widestStored(const FlowGroup &group) {
  int64_t bytes = 1;
  for (const FlowStore &store : group.stores)
    bytes = std::max(bytes, id::elementBytes(id::elementOf(store.made.getType())));
  return bytes;
}

void passes::spreadOverThreads(FlowGroup &group, const Target &target) {
  using digits::Field;
  if (target.kind == "cpu" || group.levels.size() != 1 || !group.levels.front()[Field::Lane].empty())
    return;
  digits::Mapping &mapping = group.levels.front();
  std::vector<digits::Column> &blocks = mapping[Field::Block];
  const bool tiled = llvm::any_of(group.loads, isTiled);
  if (!tiled && spreadTurned(group, target))
    return;
  int64_t bytes = 1; // of the widest element
  for (const FlowLoad &load : group.loads)
    bytes = std::max(bytes, id::elementBytes(id::elementOf(load.from.buffer.getType())));
  int64_t elements = 1;
  auto take = [&](std::vector<digits::Column>::iterator column) {
    elements *= column->radix;
    mapping[Field::Reg].push_back(*column);
    blocks.erase(column);
  };
  // A thread stores words, not parts of them.
  constexpr int64_t wordBytes = 4;
  const bool free = mapping[Field::Reg].empty();
  if (free && !tiled)
    while (!blocks.empty() && widestStored(group) * elements * blocks.front().radix <= wordBytes)
      take(blocks.begin());
  const int64_t threads = takeThreads(mapping, tiled ? target.maxThreadsPerBlock : target.flatThreads, target);
  // A thread that has one element at a time waits for each: it takes some, far apart, so that warps still read lines;
  // of digits with more values than that it takes none. Devices and chunks are numbered by the highest digits.
  const bool inParts = isInParts(cast<func::FuncOp>(group.stores.front().made.getParentBlock()->getParentOp()));
  const int64_t held = free ? bytes : bytes * mapping.extent(Field::Reg);
  const int64_t enough = std::max<int64_t>(1, tiled && free ? tiledBytes / (bytes * threads) : copiedBytes / held);
  while (elements < enough) {
    auto fits = [&](const digits::Column &column) { return elements * column.radix <= 2 * enough; };
    auto taken = llvm::find_if(blocks, fits);
    if (!tiled && !inParts)
      if (const auto last = std::find_if(blocks.rbegin(), blocks.rend(), fits); last != blocks.rend())
        taken = std::prev(last.base());
    if (taken == blocks.end())
      break;
    take(taken);
  }
}

digits::Mapping passes::memoryMapping(const digits::Mapping &held, const digits::BufferView &placed,
                                      int64_t elementBytes, int64_t runBytes, int64_t threads, bool isInOrder,
                                      const Target &target) {
  using digits::Field;
  const std::vector<int> addresses = placed.addressOrder();
  const int64_t accessBytes = accessBytesOf(placed, elementBytes, target);
  runBytes = runBytes * accessBytes / target.vectorBytes;
  auto isRegister = [&](int digit) {
    digits::Place place;
    return held.find(digit, place) && place.field == Field::Reg;
  };
  digits::Mapping spread;
  int64_t run = elementBytes, registers = 1;
  for (int digit : addresses) {
    if (!isRegister(digit))
      break;
    run *= held.radix(digit);
  }
  if (run <= runBytes)
    return held;
  const bool isLong = run > 2 * target.sectorBytes;
  run = elementBytes;
  SmallVector<int> rest; // of the block's digits, low addresses first
  for (int digit : addresses) {
    digits::Place place;
    if (!held.find(digit, place) ||
        (place.field != Field::Reg && place.field != Field::Lane && place.field != Field::Warp))
      continue;
    if (rest.empty() && run * held.radix(digit) <= accessBytes) {
      run *= held.radix(digit);
      registers *= held.radix(digit);
      spread.push(Field::Reg, digit, held.radix(digit));
    } else {
      rest.push_back(digit);
    }
  }
  SmallVector<int> batch;
  for (const digits::Column &column : held.threads())
    if (!llvm::is_contained(addresses, column.digits[0]))
      batch.push_back(column.digits[0]);
  // Eight neighbours make a line; where a problem has not as many, registers take several problems.
  constexpr int64_t neighbours = 8;
  int64_t own = 1;
  for (int digit : rest)
    own *= held.radix(digit);
  if (own * registers < neighbours * held.extent(Field::Reg)) {
    llvm::append_range(rest, batch);
    batch.clear();
  }
  int64_t lanes = 1;
  for (int digit : llvm::concat<int>(rest, batch))
    lanes *= held.radix(digit);
  // Registers take digits from the highest down.
  auto spreadWhere = [&](llvm::function_ref<bool(int64_t held, int64_t lanes, int digit)> isTaken) {
    digits::Mapping mapping = spread;
    SmallVector<int> lower; // of the rest, those that are lanes
    int64_t taken = registers, left = lanes;
    for (int digit : llvm::reverse(rest))
      if (isTaken(taken, left, digit)) {
        left /= held.radix(digit);
        taken *= held.radix(digit);
        mapping.push(Field::Reg, digit, held.radix(digit));
      } else {
        lower.insert(lower.begin(), digit);
      }
    for (int digit : llvm::concat<int>(lower, batch))
      mapping.push(Field::Lane, digit, held.radix(digit));
    for (Field field : {Field::Rank, Field::Block, Field::Turn})
      mapping[field] = held[field];
    mapping.splitThreads(target.lanes);
    return mapping;
  };
  // As many registers as before, if digits other than those of the threads that hold it make up these.
  int64_t together = run; // what neighbours share then
  bool moves = !isInOrder && held.extent(Field::Reg) <= muchOfThread, splits = false;
  const digits::Mapping asMany = spreadWhere([&](int64_t taken, int64_t, int digit) {
    const bool isTaken = held.extent(Field::Reg) % (taken * held.radix(digit)) == 0;
    moves |= isTaken && !isRegister(digit);
    splits |= isTaken;
    together = isTaken ? run : together * held.radix(digit);
    return isTaken;
  });
  const bool keepsRegisters =
      moves && asMany.extent(Field::Reg) == held.extent(Field::Reg) && held.numThreads() == threads;
  if (keepsRegisters && (!isLong || !splits || together >= neighbours * accessBytes))
    return asMany;
  // Where none do, or fewer threads than there are hold it, or neighbours would share less than a line of long runs: so
  // many that there are threads for the rest.
  const digits::Mapping fewer = spreadWhere([&](int64_t, int64_t left, int) { return left > threads; });
  if (fewer.numThreads() <= threads && fewer.extent(Field::Reg) <= muchOfThread)
    return fewer;
  return keepsRegisters ? asMany : held;
}
