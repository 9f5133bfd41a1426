// Steps are taken in program order. A phase is a run of them with one mapping: the axes that their nodes act on, and
// those without which threads would be too many, are in registers, all others that a block holds in lanes. The next
// phase begins where a step takes elements from computed places of what this one makes, or a thread could not hold the
// axes of one more node. What a later phase takes goes through shared memory.
//
//   x of 2^12, f at digit 1, gather((index() + 1) % 2^12), g at digit 12, for 512 threads:
//   phase 0: axes 1..12   reg(1, 12, 11) lane(2..10)     f
//   phase 1: axes 13..24  reg(24..22) lane(13..21)       g
//
// Axes that no node acts on and no place is computed of number the blocks; those with the lowest addresses are lanes,
// so that a warp reads whole lines. Blocks of few threads are filled with further ones, then with further problems.
//
// A node of many elements has a phase of its own, in which a thread takes its elements one after the other from shared
// memory. Steps before and behind it are phases that act on nothing, in which neighbours are lanes; of further axes, or
// problems, that fill the block, threads of these hold in registers what is too much for lanes:
//
//   x of 2^16 times 97, summed up @ 1, divided by the sum, for 256 threads:
//   phase 0: reg(1) lane(2..7)                   sum
//   phase 1: reg(7..3) lane(1, 2)                division
//
// What is too much for a block is held by a cluster: in each phase its blocks share axes that are in no registers, the
// same ones for as many phases as possible, since words go from block to block where they change.
#include "compiler/passes/PhasePlanner.h"

#include "compiler/passes/CountedPlaces.h"
#include "compiler/passes/GroupMemory.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetOperations.h"
#include "llvm/ADT/SetVector.h"

#include <limits>
#include <map>
#include <set>

using namespace mlir;
using namespace idc;
using namespace idc::passes;
using digits::Field;

namespace {

class PhasePlanner {
public:
  PhasePlanner(FlowGroup &group, const Target &target, const LevelLimits &limits)
      : group(group), target(target), limits(limits), order(orderOf(group)), mostWords(limits.words) {
    for (Operation *step : group.steps)
      if (!group.joined.contains(step)) {
        steps.push_back(step);
        SmallVector<Held> &values = valuesOf[step];
        for (Value value : llvm::concat<Value>(step->getOperands(), step->getResults()))
          values.push_back({group.axesOf(step, value), wordsOf(id::elementOf(value.getType()))});
      }
    inBlock.resize(static_cast<unsigned>(group.radices.size()));
    for (int axis : group.nodeAxes)
      inBlock.set(static_cast<unsigned>(axis));
    for (Operation *step : steps)
      if (wordsOfNode(group, step) > muchOfThread && contracts(group, step))
        wide.insert(step);
    blocks = group.otherAxes;
    llvm::stable_sort(blocks, [&](int a, int b) { return order.rank(a) < order.rank(b); });
  }

  bool run() {
    if (target.kind == "cpu" || limits.tile || limits.strided)
      return false;
    fillLines();
    if (!cut() || operations() > maxOperations || places() > maxPlaces)
      return false;
    noteTouched();
    if (!share())
      return false;
    even();
    if (!wide.empty())
      return fillWide();
    fillBlock();
    const FlowGroup before = group;
    for (;; --batchLanes) {
      write();
      if (hasMemory())
        return true;
      group = before;
      if (batchLanes == 0)
        return false;
    }
  }

private:
  /// Whether a block has shared memory for what is written, and half as much again for padding.
  bool hasMemory() const {
    const int64_t bytes = sharedBytesOf(group, limits.turns ? Sharing::Turns : Sharing::Moves) * 3 / 2;
    return bytes <= target.sharedBytesPerMultiprocessor / limits.resident - systemBytes &&
           bytes <= target.sharedBytesPerBlock;
  }

  /// Scalar operations that a group may unroll to.
  static constexpr int64_t maxOperations = 49152;
  /// Elements that a thread may take from computed places, each some 50 operations.
  static constexpr int64_t maxPlaces = 2048;
  /// Threads below which a block is filled.
  static constexpr int64_t fullThreads = 256;
  /// Of shared memory, for the system.
  static constexpr int64_t systemBytes = 1024;
  /// Threads on a multiprocessor below which exchanges take longer than with more phases and more threads.
  static constexpr int64_t enoughThreads = 500;
  /// Registers of a thread beside its data.
  static constexpr int64_t besideWords = 32;
  /// Such nodes that a block does at a time.
  static constexpr int64_t mostWide = 128;

  using Axes = llvm::SmallSetVector<int, 8>;

  /// What a phase stores or loads.
  struct Touched {
    std::vector<int> axes; // lowest addresses first
    int64_t bytes;         // of an element
    bool inOrder;          // by no gather or scatter

    bool operator<(const Touched &o) const {
      return std::tie(axes, bytes, inOrder) < std::tie(o.axes, o.bytes, o.inOrder);
    }
  };

  /// A value that a step takes or makes.
  struct Held {
    SmallVector<int> axes;
    int64_t words; // of an element
  };

  struct Phase {
    SmallVector<Operation *> steps;
    SmallVector<Touched> touched;                   // what it stores, then what it loads
    Axes acted;                                     // axes that their nodes act on
    Axes registers;                                 // axes: these, and those without which threads would be too many
    Axes axes;                                      // of its steps that a block holds, or a cluster, ascending
    SmallVector<int> ranks;                         // of these, those that the blocks of a cluster share, ascending
    DenseMap<int, SmallVector<Operation *>> having; // the steps that have such an axis, while phases are cut
  };

  FlowGroup &group;
  const Target &target;
  LevelLimits limits;
  GroupOrder order;
  SmallVector<Operation *> steps;                    // those that are code
  DenseSet<Operation *> wide;                        // of these, nodes of many elements
  DenseMap<Operation *, SmallVector<Held>> valuesOf; // by these: operands, then results
  llvm::BitVector inBlock;                           // axes
  std::vector<Phase> phases;
  DenseMap<Operation *, size_t> phaseOf;
  SmallVector<int> blocks;  // axes that number the blocks, lowest addresses first
  SmallVector<int> lanes;   // of these, which threads hold instead
  size_t lines = 0;         // of these, those below the axes of nodes: the others are filled in
  int batchLanes = 0;       // batch digits that threads hold
  SmallVector<int> filling; // beside nodes of many elements: axes, then batch digits behind these, that fill the block
  int64_t mostWords;        // of a value that a thread holds
  mutable int64_t mostHeld = 0; // what has been found to fit, while phases are cut

  const SmallVector<int> &arrangement(Operation *step) const { return group.arrangement.find(step)->second; }

  bool isInBlock(int axis) const { return inBlock.test(static_cast<unsigned>(axis)); }

  int64_t product(ArrayRef<int> axes, llvm::function_ref<bool(int)> counts) const {
    int64_t count = 1;
    for (int axis : axes)
      if (counts(axis))
        count *= group.radices[static_cast<size_t>(axis)];
    return count;
  }

  /// The 32-bit words of a value that a thread holds.
  int64_t wordsOfValue(const Held &value, const Axes &registers) const {
    return product(value.axes, [&](int axis) { return registers.contains(axis); }) * value.words;
  }

  /// Those of a step's largest value.
  int64_t wordsAt(Operation *step, const Axes &registers) const {
    int64_t words = 1;
    for (const Held &value : valuesOf.find(step)->second)
      words = std::max(words, wordsOfValue(value, registers));
    return words;
  }

  /// Those of all that it takes.
  int64_t wordsTaken(Operation *step, const Axes &registers) const {
    int64_t words = 0;
    for (const Held &value : ArrayRef(valuesOf.find(step)->second).take_front(step->getNumOperands()))
      words += wordsOfValue(value, registers);
    return words;
  }

  /// The threads of a block.
  int64_t threadsAt(Operation *step, const Axes &registers) const {
    return product(arrangement(step), [&](int axis) { return isInBlock(axis) && !registers.contains(axis); }) *
           product(lanes, [](int) { return true; }) / limits.cluster;
  }

  /// True when a step takes elements from computed places of what the phase makes.
  bool fetchesFrom(Operation *step, size_t phase) const {
    return llvm::any_of(step->getOpOperands(), [&](OpOperand &operand) {
      return group.fetched.contains({step, operand.getOperandNumber()}) &&
             phaseOf.lookup(makerOf(operand.get())) == phase;
    });
  }

  /// True for the phase of a node of many elements, which is its last step.
  bool isWide(const Phase &phase) const { return wide.contains(phase.steps.back()); }

  /// The step of the group that makes what a value is a view of.
  Operation *makerOf(Value value) const {
    Operation *maker = value.getDefiningOp();
    while (!phaseOf.contains(maker))
      maker = maker->getOperand(0).getDefiningOp();
    return maker;
  }

  /// Gives registers to the axes that a phase's threads cannot hold, highest digits first; false where these cannot
  /// either.
  bool hold(Operation *step, Axes &registers) const {
    for (size_t digit = arrangement(step).size(); threadsAt(step, registers) > limits.threads;) {
      if (digit == 0)
        return false;
      const int axis = arrangement(step)[--digit];
      if (isInBlock(axis))
        registers.insert(axis);
    }
    return true;
  }

  /// The fewest phases, as even as they can be: of the bounds of words that give so many, the least. Twice the words
  /// where any number of threads would be too few without, and where many would take a phase more. False where a thread
  /// or a block cannot hold one.
  bool cut() {
    if (const int64_t threadsOfBlock = limits.threads; threadsOfBlock >= 2 * fullThreads) {
      limits.threads = target.maxThreadsPerBlock;
      auto isLarge = [&](const Phase &phase) { return threads(phase.steps, phase.registers) >= 2 * fullThreads; };
      const bool fits = cut(mostWords);
      const size_t more = fits ? phases.size() : std::numeric_limits<size_t>::max();
      const bool areLarge = !fits || llvm::all_of(phases, isLarge);
      limits.threads = threadsOfBlock;
      if (areLarge && cut(2 * mostWords) && phases.size() < more)
        mostWords *= 2;
    }
    if (!cut(mostWords))
      return false;
    const size_t fewest = phases.size();
    for (int64_t words = mostWords;;) {
      while (words > 1 && words / 2 >= mostHeld)
        words /= 2; // the same phases
      if (words == 1)
        return true;
      if (!cut(words / 2) || phases.size() != fewest)
        return cut(words);
      words /= 2;
    }
  }

  /// Cuts the steps into phases of at most so many words of a thread; false where a thread or a block cannot hold one.
  bool cut(int64_t words) {
    phases.clear();
    phaseOf.clear();
    mostHeld = 0;
    for (Operation *step : steps) {
      const bool isAlone = wide.contains(step);
      const bool joins = !phases.empty() && !isAlone && !isWide(phases.back()) &&
                         !fetchesFrom(step, phases.size() - 1) && widen(phases.back(), step, words);
      if (!joins && !widen(phases.emplace_back(), step, words))
        return false;
      Phase &phase = phases.back();
      phase.steps.push_back(step);
      phaseOf[step] = phases.size() - 1;
      for (int axis : arrangement(step))
        if (isInBlock(axis)) {
          phase.axes.insert(axis);
          phase.having[axis].push_back(step);
        }
    }
    rootsToNext();
    for (Phase &phase : phases) {
      SmallVector<int> axes(phase.axes.getArrayRef());
      llvm::sort(axes);
      phase.axes = Axes(axes.begin(), axes.end());
    }
    return true;
  }

  /// Lets a phase hold what one more step needs; false, and nothing changed, where a thread or a block cannot hold it.
  bool widen(Phase &phase, Operation *step, int64_t words) const {
    const size_t acted = phase.acted.size(), held = phase.registers.size();
    const SmallVector<int> axes = group.axesOfNode(step);
    phase.acted.insert(axes.begin(), axes.end());
    auto undo = [&] {
      while (phase.acted.size() > acted)
        phase.acted.pop_back();
      while (phase.registers.size() > held)
        phase.registers.pop_back();
      return false;
    };
    const ArrayRef<int> added = phase.acted.getArrayRef().drop_front(acted); // axes that no other step acts on
    if (held > acted && llvm::any_of(added, [&](int axis) { return phase.having.contains(axis); })) {
      // What was held for want of threads may not be now.
      Axes registers = phase.acted;
      auto holds = [&](Operation *each) { return hold(each, registers); };
      if (!llvm::all_of(phase.steps, holds) || !holds(step) || !fits(phase.steps, registers, words) ||
          !fits(step, registers, words))
        return undo();
      phase.registers = std::move(registers);
      return true;
    }
    phase.registers.insert(added.begin(), added.end());
    if (!hold(step, phase.registers) || !fits(step, phase.registers, words))
      return undo();
    for (int axis : phase.registers.getArrayRef().drop_front(held))
      if (auto others = phase.having.find(axis);
          others != phase.having.end() && !fits(others->second, phase.registers, words))
        return undo();
    return true;
  }

  /// The different roots of unity, but for constant ones, that a thread of a phase multiplies by.
  size_t rootsOf(id::TwiddleOp twiddle, const Axes &registers) const {
    const SmallVector<int> &axes = arrangement(twiddle);
    const ArrayRef<int32_t> radices = id::radicesOf(twiddle.getType());
    SmallVector<int32_t> held; // radices of the digits in registers, 1 for others
    for (auto [axis, radix] : llvm::zip_equal(axes, radices))
      held.push_back(registers.contains(axis) ? radix : 1);
    // Of every product of other digits the coefficient, by the digits in registers.
    std::map<digits::Polynomial::Monomial, digits::Polynomial> coefficients;
    const digits::Polynomial exponent = twiddle.getExponent().getPolynomial();
    const std::vector<int> all(radices.begin(), radices.end());
    for (const auto &[monomial, coefficient] : exponent.reduced(twiddle.getRoot(), all).monomials()) {
      digits::Polynomial::Monomial inRegisters, others;
      for (int digit : monomial)
        (held[static_cast<size_t>(digit) - 1] > 1 ? inRegisters : others).push_back(digit);
      if (!others.empty()) {
        digits::Polynomial &sum = coefficients[others];
        sum = sum + digits::Polynomial::term(coefficient, inRegisters);
      }
    }
    std::set<std::vector<int64_t>> roots;
    std::vector<int64_t> values(held.size(), 0);
    do {
      std::vector<int64_t> root;
      for (const auto &each : coefficients)
        root.push_back(each.second.evaluate(values, twiddle.getRoot()));
      if (llvm::any_of(root, [](int64_t coefficient) { return coefficient != 0; }))
        roots.insert(std::move(root));
    } while (id::countUp(values, held));
    return roots.size();
  }

  /// A multiplication by roots of unity at the end of a phase begins the next one, which takes it, where a thread has
  /// fewer different ones then.
  void rootsToNext() {
    for (size_t next = 1; next < phases.size(); ++next) {
      Phase &before = phases[next - 1], &after = phases[next];
      auto twiddle = dyn_cast<id::TwiddleOp>(before.steps.back());
      Operation *first = after.steps.front();
      if (!twiddle || before.steps.size() == 1 || !twiddle->hasOneUse() || *twiddle->user_begin() != first ||
          fetchesFrom(first, next - 1) || rootsOf(twiddle, after.registers) >= rootsOf(twiddle, before.registers))
        continue;
      before.steps.pop_back();
      after.steps.insert(after.steps.begin(), twiddle);
      phaseOf[twiddle] = next;
      for (int axis : arrangement(twiddle))
        if (isInBlock(axis))
          after.axes.insert(axis);
    }
  }

  /// Shares the axes of every phase among the blocks of a cluster; false where a phase has none that make up as many,
  /// and of more phases than levels.
  bool share() {
    if (limits.cluster == 1)
      return true;
    if (static_cast<int64_t>(phases.size()) > limits.levels)
      return false;
    std::vector<std::vector<Order>> orders; // of every phase
    for (const Phase &phase : phases)
      orders.push_back(ordersOf(phase));
    for (size_t first = 0; first < phases.size();) {
      size_t longest = 0;
      int64_t highest = -1;
      SmallVector<int> best, chosen;
      forEachChoice(phases[first], 0, 1, chosen, [&](ArrayRef<int> ranks) {
        size_t run = 0;
        int64_t places = 0; // of these axes where others take or memory has the values
        auto goesOn = [&](size_t phase) {
          return phase < phases.size() && canShare(phases[phase], ranks) && !splitLines(orders[phase], ranks);
        };
        for (; goesOn(first + run); ++run)
          for (const Order &order : orders[first + run])
            for (auto [place, axis] : llvm::enumerate(order.axes))
              places += llvm::is_contained(ranks, axis) ? static_cast<int64_t>(place) : 0;
        if (std::pair(run, places) <= std::pair(longest, highest))
          return;
        longest = run, highest = places;
        best.assign(ranks.begin(), ranks.end());
      });
      if (longest == 0)
        return false;
      for (; longest > 0; --longest)
        phases[first++].ranks = best;
    }
    return true;
  }

  /// The axes of a phase, from number `next` on, whose values make up a cluster with those that are chosen.
  void forEachChoice(const Phase &phase, size_t next, int64_t values, SmallVector<int> &chosen,
                     llvm::function_ref<void(ArrayRef<int>)> take) const {
    if (values == limits.cluster)
      return take(chosen);
    for (; next < phase.axes.size(); ++next) {
      const int64_t more = values * group.radices[static_cast<size_t>(phase.axes[next])];
      if (limits.cluster % more != 0)
        continue;
      chosen.push_back(phase.axes[next]);
      forEachChoice(phase, next + 1, more, chosen, take);
      chosen.pop_back();
    }
  }

  /// Axes in the order in which elements, of so many bytes, lie or are counted: neighbours there are taken together.
  struct Order {
    SmallVector<int> axes;
    int64_t bytes;
  };

  /// True where blocks that share these axes have less than a line together of what lies together in memory, or in the
  /// value whose computed places they take.
  bool splitLines(ArrayRef<Order> orders, ArrayRef<int> ranks) const {
    auto splits = [&](ArrayRef<int> order, int64_t run) {
      for (int axis : order) {
        if (run >= 4 * target.sectorBytes)
          return false;
        if (llvm::is_contained(ranks, axis))
          return true;
        run *= group.radices[static_cast<size_t>(axis)];
      }
      return false;
    };
    return llvm::any_of(orders, [&](const Order &order) { return splits(order.axes, order.bytes); });
  }

  /// True when all values that a phase makes or takes of others have these axes, none of them in registers. What it
  /// loads may lack some: all blocks load that.
  bool canShare(const Phase &phase, ArrayRef<int> ranks) const {
    return llvm::none_of(phase.registers, [&](int axis) { return llvm::is_contained(ranks, axis); }) &&
           llvm::all_of(phase.steps, [&](Operation *step) {
             return llvm::all_of(llvm::enumerate(valuesOf.find(step)->second), [&](const auto &value) {
               return group.loadOf.contains({step, static_cast<unsigned>(value.index())}) ||
                      llvm::all_of(ranks, [&](int axis) { return llvm::is_contained(value.value().axes, axis); });
             });
           });
  }

  /// Gives registers to further axes, highest digits first, of phases that have more threads than the large ones need:
  /// a block has as many threads as its widest phase, and the others leave them idle.
  void even() {
    int64_t most = 0, enough = std::numeric_limits<int64_t>::max();
    for (const Phase &phase : phases)
      most = std::max(most, wordsOfBlock(phase));
    for (const Phase &phase : phases)
      if (2 * wordsOfBlock(phase) >= most && !isWide(phase))
        enough = std::min(enough, threads(phase.steps, phase.registers));
    for (Phase &phase : phases)
      if (const int64_t own = threads(phase.steps, widened(phase, enough));
          own > enough && !holdAsBefore(phase, enough))
        enough = own;
    for (Phase &phase : phases)
      phase.registers = widened(phase, enough);
  }

  /// Gives a phase that acts on nothing the registers of an earlier one with the same axes, whose threads are enough
  /// and which has loaded all that it takes of memory; false, and nothing changed, where there is none. What it stores
  /// is exchanged.
  bool holdAsBefore(Phase &phase, int64_t enough) const {
    const auto before = ArrayRef(phases).take_front(static_cast<size_t>(&phase - phases.data()));
    if (!phase.acted.empty() || limits.cluster > 1)
      return false;
    const DenseSet<int> taken = loadsOf(phase);
    DenseSet<int> loaded;
    for (const Phase &earlier : before)
      llvm::set_union(loaded, loadsOf(earlier));
    if (!llvm::set_is_subset(taken, loaded))
      return false;
    for (const Phase &earlier : before)
      if (!isWide(earlier) && earlier.axes == phase.axes && threads(phase.steps, earlier.registers) <= enough &&
          fits(phase.steps, earlier.registers, mostWords)) {
        phase.registers = earlier.registers;
        return true;
      }
    return false;
  }

  /// The numbers of the loads that a phase takes.
  DenseSet<int> loadsOf(const Phase &phase) const {
    DenseSet<int> loads;
    for (Operation *step : phase.steps)
      for (OpOperand &operand : step->getOpOperands())
        if (auto load = group.loadOf.find({step, operand.getOperandNumber()}); load != group.loadOf.end())
          loads.insert(load->second);
    return loads;
  }

  /// The words of the largest value of a phase that a block holds.
  int64_t wordsOfBlock(const Phase &phase) const {
    int64_t most = 0;
    for (Operation *step : phase.steps)
      most = std::max(most, wordsAt(step, phase.axes));
    return most;
  }

  /// The registers of a phase with further axes, those of the highest addresses first where these are in order, as long
  /// as there are more than enough threads, one can hold all that a step takes, and those of a problem read and write
  /// whole sectors.
  Axes widened(const Phase &phase, int64_t enough) const {
    Axes registers = phase.registers;
    if (isWide(phase))
      return registers;
    int64_t least = 1; // threads
    const ArrayRef<Touched> all = phase.touched;
    for (const Touched &touched : all)
      least = std::max(least, target.sectorBytes / touched.bytes);
    const bool inOrder = llvm::all_of(all, [](const Touched &touched) { return touched.inOrder; });
    const SmallVector<int> order = inOrder ? inAddressOrder(phase) : SmallVector<int>(phase.axes.getArrayRef());
    for (int axis : llvm::reverse(order)) {
      if (registers.contains(axis) || llvm::is_contained(phase.ranks, axis) ||
          threads(phase.steps, registers) <= enough)
        continue;
      if (phase.acted.empty() && splitsSector(all, registers, axis))
        continue;
      registers.insert(axis);
      auto takesFew = [&](Operation *step) { return wordsTaken(step, registers) <= 2 * mostWords; };
      if (threads(phase.steps, registers) < least || !fits(phase.steps, registers, mostWords) ||
          !llvm::all_of(phase.steps, takesFew))
        registers.pop_back();
    }
    return registers;
  }

  /// True where a phase that acts on nothing, whose mapping is free, stores or loads in order, lanes hold all below an
  /// axis, and that is less than a sector. The lowest one makes longer accesses.
  bool splitsSector(ArrayRef<Touched> all, const Axes &registers, int axis) const {
    return llvm::any_of(all, [&](const Touched &touched) {
      int64_t run = touched.inOrder ? touched.bytes : target.sectorBytes;
      for (int other : touched.axes) {
        if (run >= target.sectorBytes || !isInBlock(other) || registers.contains(other))
          return false;
        if (other == axis)
          return run > touched.bytes || run * group.radices[static_cast<size_t>(axis)] > target.vectorBytes;
        run *= group.radices[static_cast<size_t>(other)];
      }
      return false;
    });
  }

  bool fits(ArrayRef<Operation *> steps, const Axes &registers, int64_t most) const {
    return llvm::all_of(steps, [&](Operation *step) {
      const int64_t words = wordsAt(step, registers), threads = threadsAt(step, registers);
      if (wide.contains(step))
        return limits.cluster == 1 && registers.size() == group.axesOfNode(step).size();
      if (words > most || limits.resident * threads * 2 * words > target.registersPerMultiprocessor)
        return false;
      mostHeld = std::max(mostHeld, words);
      return true;
    });
  }

  /// Scalar operations of all steps in a thread.
  int64_t operations() const {
    int64_t count = 0;
    for (const Phase &phase : phases)
      for (Operation *step : phase.steps) {
        const SmallVector<int> acted = group.axesOfNode(step);
        const int64_t times = product(arrangement(step), [&](int axis) {
          return phase.registers.contains(axis) && !llvm::is_contained(acted, axis);
        });
        constexpr int64_t lookUp = 64; // of a root of unity
        int64_t body = isa<id::TwiddleOp>(step) ? lookUp : 0;
        step->walk([&](Operation *op) { body += isa<id::OmegaOp>(op) ? lookUp : op != step; });
        count += times * body;
      }
    return count;
  }

  /// Elements that a thread takes from computed places.
  int64_t places() const {
    int64_t count = 0;
    for (const Phase &phase : phases)
      for (Operation *step : phase.steps)
        for (OpOperand &operand : step->getOpOperands())
          if (group.fetched.contains({step, operand.getOperandNumber()}))
            count += product(arrangement(step), [&](int axis) { return phase.registers.contains(axis); });
    return count;
  }

  /// The threads of the largest of some steps.
  int64_t threads(ArrayRef<Operation *> steps, const Axes &registers) const {
    int64_t most = 1;
    for (Operation *step : steps)
      most = std::max(most, threadsAt(step, registers));
    return most;
  }

  int64_t threads() const {
    int64_t most = 1;
    for (const Phase &phase : phases)
      most = std::max(most, threads(phase.steps, phase.registers));
    return most;
  }

  /// Lanes for the axes below those of nodes.
  void fillLines() {
    int64_t lowest = std::numeric_limits<int64_t>::max(), count = 1;
    for (int axis : group.nodeAxes)
      lowest = std::min(lowest, order.rank(axis));
    for (int axis : blocks)
      if (order.rank(axis) < lowest && count * group.radices[static_cast<size_t>(axis)] <= limits.fastLanes) {
        count *= group.radices[static_cast<size_t>(axis)];
        lanes.push_back(axis);
      }
    lines = lanes.size();
  }

  void fillBlock() {
    int64_t words = 1, full = threads();
    for (const Phase &phase : phases)
      for (Operation *step : phase.steps)
        words = std::max(words, wordsAt(step, phase.registers));
    const int64_t most = std::min(fullThreads, target.registersPerMultiprocessor / (2 * words));
    for (int axis : blocks)
      if (!llvm::is_contained(lanes, axis) && full * group.radices[static_cast<size_t>(axis)] <= most) {
        lanes.push_back(axis);
        full *= group.radices[static_cast<size_t>(axis)];
      }
    for (; limits.cluster == 1 && full * 2 <= most; full *= 2)
      ++batchLanes;
    llvm::erase_if(blocks, [&](int axis) { return llvm::is_contained(lanes, axis); });
  }

  /// Fills a block beside nodes of many elements with so many further axes, or problems, that a thread has one of each
  /// node; false where there is no room.
  bool fillWide() {
    int64_t nodes = 1; // that a block does at a time
    for (const Phase &phase : phases)
      nodes = std::max(nodes, isWide(phase) ? threads(phase.steps, phase.registers) : 1);
    for (int axis : blocks)
      if (nodes * group.radices[static_cast<size_t>(axis)] <= mostWide && !llvm::is_contained(lanes, axis)) {
        filling.push_back(axis);
        nodes *= group.radices[static_cast<size_t>(axis)];
      }
    for (int digit = 0; nodes * 2 <= mostWide; nodes *= 2)
      filling.push_back(static_cast<int>(group.radices.size()) + digit++);
    for (Phase &phase : phases)
      if (!isWide(phase) && phase.acted.empty())
        holdAccesses(phase);
    const FlowGroup before = group;
    const SmallVector<int> all = blocks;
    for (;; filling.pop_back()) {
      blocks = all;
      llvm::erase_if(blocks,
                     [&](int axis) { return llvm::is_contained(lanes, axis) || llvm::is_contained(filling, axis); });
      if (holdsFilling()) {
        write();
        if (hasMemory())
          return true;
        group = before;
      }
      if (filling.empty())
        return false;
    }
  }

  int64_t radixOfFilling(int axis) const {
    return axis < static_cast<int>(group.radices.size()) ? group.radices[static_cast<size_t>(axis)] : 2;
  }

  /// How many of what fills a block are lanes of a phase; its threads hold the others in registers.
  size_t lanesOfFilling(const Phase &phase) const {
    int64_t count = threads(phase.steps, phase.registers);
    size_t own = 0;
    while (own < filling.size() && (isWide(phase) || count * radixOfFilling(filling[own]) <= fullThreads))
      count *= radixOfFilling(filling[own++]);
    return own;
  }

  /// Holds what fills a block, and the registers of a phase beside nodes of many elements: as in memoryMapping first
  /// those of an access, then from the highest addresses down.
  void holdFilling(const Phase &phase, digits::Mapping &mapping) const {
    auto hold = [&](Field field, int axis) { mapping.push(field, axis + 1, radixOfFilling(axis)); };
    const size_t own = lanesOfFilling(phase);
    const ArrayRef<int> fill(filling);
    llvm::for_each(fill.take_front(own), [&](int axis) { hold(Field::Lane, axis); });
    if (isWide(phase))
      return;
    const SmallVector<int> order = inAddressOrder(phase);
    auto isHeld = [&](int axis) { return phase.registers.contains(axis); };
    const auto *access = llvm::find_if_not(order, isHeld);
    std::for_each(order.begin(), access, [&](int axis) { hold(Field::Reg, axis); });
    for (int axis : llvm::reverse(fill.drop_front(own)))
      hold(Field::Reg, axis);
    for (int axis : llvm::reverse(ArrayRef(access, order.end())))
      if (isHeld(axis))
        hold(Field::Reg, axis);
  }

  /// Gives registers to what one access takes of all that a phase loads or stores.
  void holdAccesses(Phase &phase) const {
    int64_t bytes = 1;
    for (const Touched &touched : phase.touched)
      bytes = std::max(bytes, touched.inOrder ? touched.bytes : target.vectorBytes);
    if (phase.touched.empty())
      return;
    for (int axis : inAddressOrder(phase)) {
      bytes *= group.radices[static_cast<size_t>(axis)];
      if (bytes > target.vectorBytes || !isInBlock(axis))
        return;
      phase.registers.insert(axis);
    }
  }

  /// Whether threads have registers for what fills a block.
  bool holdsFilling() const {
    return llvm::all_of(phases, [&](const Phase &phase) {
      int64_t words = 1;
      for (Operation *step : phase.steps)
        words = std::max(words, wordsAt(step, phase.registers));
      for (int axis : ArrayRef(filling).drop_front(lanesOfFilling(phase)))
        words *= radixOfFilling(axis);
      return isWide(phase) || words <= target.levelWords;
    });
  }

  /// The axes of a phase in the order of the addresses of what it stores, or else loads, so that neighbouring lanes
  /// have neighbouring elements; then the others.
  SmallVector<int> inAddressOrder(const Phase &phase) const {
    SmallVector<int> order;
    auto append = [&](int axis) {
      if (phase.axes.contains(axis) && !llvm::is_contained(order, axis))
        order.push_back(axis);
    };
    for (const Touched &touched : phase.touched)
      llvm::for_each(touched.axes, append);
    if (limits.cluster > 1)
      for (Operation *step : phase.steps)
        for (OpOperand &operand : step->getOpOperands())
          if (isFetched(operand))
            if (std::optional<CountedPlaces> places = CountedPlaces::of(group, operand))
              llvm::for_each(places->order(), append);
    llvm::for_each(phase.axes, append);
    return order;
  }

  bool isFetched(OpOperand &operand) const {
    return group.fetched.contains({operand.getOwner(), operand.getOperandNumber()});
  }

  /// The axes that the threads of a phase hold, the lowest lanes first.
  SmallVector<int> laneAxes(const Phase &phase) const {
    SmallVector<int> axes = inAddressOrder(phase);
    llvm::erase_if(axes,
                   [&](int axis) { return phase.registers.contains(axis) || llvm::is_contained(phase.ranks, axis); });
    return axes;
  }

  /// The threads that a multiprocessor has registers for.
  int64_t threadsAtOnce() const {
    int64_t most = 0;
    for (const Phase &phase : phases)
      for (Operation *step : phase.steps) {
        int64_t words = 0;
        for (auto [number, value] : llvm::enumerate(valuesOf.find(step)->second))
          if (number < step->getNumOperands() && !group.loadOf.contains({step, static_cast<unsigned>(number)}))
            words += wordsOfValue(value, phase.registers);
        most = std::max(most, words);
      }
    const int64_t all = threads() << batchLanes;
    return all * target.residentBlocksOfWarps(all, most + besideWords, 0);
  }

  /// Notes what goes from phase to phase, and from block to block of a cluster.
  void noteSent() {
    double betweenPhases = 0, betweenBlocks = 0;
    DenseSet<std::pair<Value, size_t>> sent; // to a phase
    for (Operation *step : steps)
      for (OpOperand &operand : step->getOpOperands()) {
        if (group.loadOf.contains({step, operand.getOperandNumber()}))
          continue;
        const size_t from = phaseOf.lookup(makerOf(operand.get())), to = phaseOf.lookup(step);
        if (from == to || !sent.insert({operand.get(), to}).second)
          continue;
        const auto bytes = static_cast<double>(sequenceBytes(operand.get().getType()));
        betweenPhases += bytes;
        if (phases[from].ranks == phases[to].ranks)
          continue;
        std::optional<CountedPlaces> places = isFetched(operand) ? CountedPlaces::of(group, operand) : std::nullopt;
        betweenBlocks += bytes * (places ? places->scattered(laneAxes(phases[to]), target) : 1);
      }
    group.betweenPhases = static_cast<int64_t>(betweenPhases);
    group.hasFewThreads = threadsAtOnce() < enoughThreads;
    group.betweenBlocks = static_cast<int64_t>(betweenBlocks);
  }

  /// The orders of what a phase stores or loads, of what it takes from computed places, and of what it makes that is
  /// taken so.
  std::vector<Order> ordersOf(const Phase &phase) const {
    std::vector<Order> orders;
    auto isHere = [&](Operation *step) { return llvm::is_contained(phase.steps, step); };
    auto add = [&](SmallVector<int> axes, Value value) {
      orders.push_back({std::move(axes), id::elementBytes(id::elementOf(value.getType()))});
    };
    for (const FlowStore &store : group.stores)
      if (group.axes.contains(store.value) && isHere(makerOf(store.value)))
        add(inAddressOrder(phase), store.value);
    for (auto [taken, load] : group.loadOf)
      if (isHere(taken.first))
        add(inAddressOrder(phase), taken.first->getOperand(taken.second));
    for (auto [step, number] : group.fetched) {
      OpOperand &operand = step->getOpOperand(number);
      if (isHere(step))
        if (std::optional<CountedPlaces> places = CountedPlaces::of(group, operand))
          add(places->order(), operand.get());
      if (isHere(makerOf(operand.get())))
        add(countedOf(operand.get()), operand.get());
    }
    return orders;
  }

  /// The axes of the value that an operand is a view of, in the order in which computed numbers count its elements.
  SmallVector<int> countedOf(Value operand) const {
    Operation *view = operand.getDefiningOp(), *maker = makerOf(operand);
    if (view == maker)
      return group.axes.lookup(operand);
    while (view->getOperand(0).getDefiningOp() != maker)
      view = view->getOperand(0).getDefiningOp();
    const SmallVector<int> axes = group.axes.lookup(view->getOperand(0));
    auto permute = dyn_cast<id::PermuteOp>(view);
    if (!permute)
      return axes;
    const digits::Permutation map = permute.getMap().getPermutation();
    SmallVector<int> moved;
    for (int place = 1; place <= map.size(); ++place)
      moved.push_back(axes[static_cast<size_t>(map.source(place)) - 1]);
    return moved;
  }

  static bool isInOrder(ArrayRef<FlowView> views) {
    return llvm::none_of(views, [](const FlowView &view) {
      return view.kind == FlowView::Kind::Gather || view.kind == FlowView::Kind::Scatter;
    });
  }

  static Touched touchedBy(const digits::BufferView &placed, ArrayRef<int> axes, Value value,
                           ArrayRef<FlowView> views) {
    Touched touched{{}, id::elementBytes(id::elementOf(value.getType())), isInOrder(views)};
    for (int digit : placed.addressOrder())
      touched.axes.push_back(axes[static_cast<size_t>(digit) - 1]);
    return touched;
  }

  /// Notes what the phases store, and then what they load: whatever they have all axes of that a block holds. What is
  /// alike is noted once.
  void noteTouched() {
    for (const FlowStore &store : group.stores)
      if (group.axes.contains(store.value))
        phases[phaseOf.lookup(makerOf(store.value))].touched.push_back(
            touchedBy(*store.placed(), group.axes.lookup(store.value), store.value, store.views));
    SmallVector<size_t> all;
    std::vector<SmallVector<size_t>> having(group.radices.size()); // phases, by axis
    for (auto [number, phase] : llvm::enumerate(phases)) {
      all.push_back(number);
      for (int axis : phase.axes)
        having[static_cast<size_t>(axis)].push_back(number);
    }
    std::set<Touched> known;
    for (const FlowLoad &load : group.loads) {
      const auto [touched, isNew] =
          known.insert(touchedBy(load.from.followed(), load.axes, load.from.buffer, load.from.views));
      if (!isNew)
        continue;
      const SmallVectorImpl<size_t> *fewest = &all;
      for (int axis : load.axes)
        if (isInBlock(axis) && having[static_cast<size_t>(axis)].size() < fewest->size())
          fewest = &having[static_cast<size_t>(axis)];
      for (size_t number : *fewest)
        if (llvm::all_of(load.axes, [&](int axis) { return !isInBlock(axis) || phases[number].axes.contains(axis); }))
          phases[number].touched.push_back(*touched);
    }
  }

  void write() {
    group.launch = digits::Launch();
    group.launch.cluster = limits.cluster;
    group.levelOf.clear();
    group.levels.clear();
    for (auto [number, phase] : llvm::enumerate(phases)) {
      for (Operation *step : phase.steps)
        group.levelOf[step] = static_cast<int>(number);
      digits::Mapping mapping;
      auto hold = [&](Field field, int axis) {
        mapping.push(field, axis + 1, group.radices[static_cast<size_t>(axis)]);
      };
      if (filling.empty() || isWide(phase))
        for (int axis : phase.axes)
          if (phase.registers.contains(axis))
            hold(Field::Reg, axis);
      const ArrayRef<int> held(lanes);
      for (int axis : held.take_front(lines))
        hold(Field::Lane, axis);
      for (int axis : laneAxes(phase))
        hold(Field::Lane, axis);
      for (int axis : held.drop_front(lines))
        hold(Field::Lane, axis);
      if (!filling.empty())
        holdFilling(phase, mapping);
      for (int digit = 1; digit <= batchLanes; ++digit)
        mapping.push(Field::Lane, static_cast<int>(group.radices.size()) + digit);
      for (int axis : phase.ranks)
        hold(Field::Rank, axis);
      for (int axis : blocks)
        hold(Field::Block, axis);
      group.levels.push_back(std::move(mapping));
    }
    group.loadRuns = target.levelRunBytes;
    group.storeRuns = target.vectorBytes;
    noteSent();
  }
};

} // namespace

bool passes::planPhases(FlowGroup &group, const Target &target, const LevelLimits &limits) {
  if (limits.cluster > 1 && !limits.phases)
    return false;
  LevelLimits tried = limits;
  for (tried.cluster = 1; tried.cluster <= limits.cluster; ++tried.cluster)
    if (PhasePlanner(group, target, tried).run())
      return true;
  return false;
}
