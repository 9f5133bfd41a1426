// Which steps outside chains share a kernel, and what travels between two.
//
// In one group every digit of every value belongs to an axis: operands and results of a step agree digit by digit, and
// where values made along different ways meet, their axes become one. The axes of nodes' digits are held by a thread,
// or by a block in levels (LevelPlanner.h), all others number the threads and blocks. A group is possible when
//   - no value has two digits on one axis, and digits on one axis have one radix;
//   - no value that the group makes lacks an axis of the latter kind: threads would repeat each other's work;
//   - a thread or a block can hold the rest;
//   - a launch has parameters for all that it loads and may store.
// Steps join, in program order, the last group that makes one of their operands. A step that inserts a digit and takes
// what an earlier group kept for it starts a group of its own, unless that group's partner is being built already: so
// the groups of an expansion have the digits of those of the contraction, and can make its values again.
//
// A value made in group G and used in a later group H is stored, or H makes it again from what G reads (and G does
// without it): a step's attribute `id.crossing` ("stored", "recomputed") decides, else the bytes that both ways move.
// For scans and tree solvers this is "read twice, write once": the partial results of a contraction are made again when
// the expansion needs them.
#include "compiler/passes/Groups.h"

#include "compiler/passes/GroupAxes.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <numeric>

using namespace mlir;
using namespace idc;
using namespace idc::passes;

int64_t passes::bytesOf(const FlowLoad &load) {
  auto elements = [](ArrayRef<int32_t> radices) {
    return std::accumulate(radices.begin(), radices.end(), int64_t(1), std::multiplies<int64_t>());
  };
  SmallVector<int32_t> left(id::radicesOf(load.from.buffer.getType()));
  int64_t count = elements(left);
  for (const FlowView &view : load.from.views) {
    left = view.apply(left);
    count = std::min(count, elements(left)); // elements that a view adds are nowhere
  }
  return count * id::elementBytes(id::elementOf(load.from.buffer.getType()));
}

namespace {

//===--- putting groups together --------------------------------------------------------------------------------===//

class Merger {
public:
  Merger(FlowProgram &program, const Target &target, const LevelLimits &limits)
      : program(program), target(target), limits(limits) {}

  Merged run() {
    join();
    for (size_t h = program.segments.size(); h-- > 0;)
      for (std::optional<size_t> g = lastRead(h, h); g; g = lastRead(h, *g))
        if (shallRecompute(*g, h))
          recompute(*g, h);
    foldCopies();
    for (size_t g = program.segments.size(); g-- > 0;) {
      if (isGroup(g))
        finish(g);
      else if (!group(g).stores.empty())
        layOutCopy(program, group(g));
      noteReads(g);
    }
    dropEmpty();
    return merged;
  }

private:
  FlowProgram &program;
  const Target &target;
  const LevelLimits &limits;
  Merged merged = Merged::Within;
  DenseMap<Value, int> makers; // buffer -> the segment that stores it, or would
  DenseSet<Operation *> whole; // steps whose joined results other groups load: they have to be in one place
  DenseSet<Value> readLater;   // buffers that finished segments read

  FlowGroup &group(size_t index) { return program.segments[index].group; }
  /// A group with steps.
  bool isGroup(size_t index) { return !program.segments[index].chain && !group(index).steps.empty(); }

  /// Sequences that a kernel loads, and that it makes and others may load: a launch has pointers to all of them, and
  /// some further parameters.
  static constexpr size_t mostLoaded = 1024, mostMade = maxKernelParameters - mostLoaded - 64;

  static bool hasParameters(const FlowGroup &group) {
    DenseSet<Value> loaded;
    for (const FlowLoad &load : group.loads)
      loaded.insert(load.from.buffer);
    return loaded.size() <= mostLoaded;
  }

  /// The group of these steps, when it is possible.
  std::optional<FlowGroup> tryLayout(ArrayRef<Operation *> steps) {
    size_t results = 0;
    for (Operation *step : steps)
      results += step->getNumResults();
    if (results > mostMade)
      return std::nullopt;
    AskedRules any; // made a difference
    for (bool fetch : {false, true}) {
      if (fetch && !(limits.phases && any.fetch))
        break;
      any.join = false;
      for (bool join : {true, false}) {
        if (!join && !any.join)
          break;
        auto mayJoin = [&, join = join](Operation *step) { return join && !whole.contains(step); };
        for (bool reuse : {true, false}) {
          AskedRules asked;
          std::optional<FlowGroup> made = findAxes(program, steps, {/*apart=*/!reuse, fetch, mayJoin, &asked});
          if (made && !hasParameters(*made))
            return std::nullopt;
          if (made && planLevels(*made, target, limits))
            return made;
          any.fetch |= asked.fetch;
          any.join |= asked.join;
          if (!asked.apart)
            break;
        }
      }
    }
    return std::nullopt;
  }

  /// The group of one step, or of pointwise ones: always possible.
  std::optional<FlowGroup> alone(ArrayRef<Operation *> steps) {
    return findAxes(program, steps, {/*apart=*/true, /*fetch=*/false, [](Operation *) { return false; }});
  }

  /// Takes over the layout, keeps the stores.
  static void replace(FlowGroup &group, FlowGroup made) {
    made.stores = std::move(group.stores);
    group = std::move(made);
  }

  void join() {
    // Segments that are put to others at once: twice as many as the last time that it was possible, and after a time
    // that it was not half as many each time, down to the first one that joins no others.
    size_t together = 1;
    bool grows = true;
    const size_t count = program.segments.size();
    for (size_t index = 0; index < count;) {
      const size_t end = std::min(index + together, count);
      if (end > index + 1) {
        const bool joined = joinRun(index, end);
        grows = grows && joined;
        together = grows ? 2 * together : (end - index) / 2;
        index = joined ? end : index;
        continue;
      }
      grows = true;
      together = joinOne(index++) ? 2 : 1;
    }
  }

  /// Puts the steps of a segment to those that make their operands, where that is possible; false where it is not.
  bool joinOne(size_t index) {
    if (const std::optional<FlowChain> &chain = program.segments[index].chain) {
      if (chain->result != chain->source) // of which a copy makes another
        makers[chain->result] = static_cast<int>(index);
      return false;
    }
    FlowGroup &own = group(index);
    if (own.steps.empty()) {
      for (const FlowStore &store : own.stores)
        if (program.copied.contains(store.made))
          makers[store.made] = static_cast<int>(index);
      return false;
    }
    const SmallVector<int> earlier = makersOf(own);
    const int last = earlier.empty() ? -1 : earlier.back();
    int home = static_cast<int>(index);
    const SmallVector<int> related = earlier.empty() && limits.phases ? readersOf(own) : earlier;
    if (limits.phases && joinAll(index, index + 1, related))
      home = related.back();
    else if (last >= 0 && !startsPartner(own.steps, last) && joinAll(index, index + 1, last))
      home = last;
    const bool joined = home != static_cast<int>(index);
    if (!joined) { // one step, or pointwise ones: always possible
      replace(own, *alone(own.steps));
      keepWhole(own);
    }
    noteMade(home);
    return joined;
  }

  /// The segments that make operands of a group, ascending; `made`: those of values that are on their way to others.
  SmallVector<int> makersOf(const FlowGroup &group, const DenseMap<Value, int> &made = DenseMap<Value, int>()) {
    SmallVector<int> found;
    for (Operation *step : group.steps)
      for (Value operand : step->getOperands()) {
        const Value buffer = program.resolve(operand).buffer;
        if (auto coming = made.find(buffer); coming != made.end())
          found.push_back(coming->second);
        else if (auto maker = makers.find(buffer); maker != makers.end())
          found.push_back(maker->second);
      }
    llvm::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  /// The last group that reads a buffer that this one reads.
  SmallVector<int> readersOf(const FlowGroup &group) {
    auto reads = [&](const FlowLoad &load) {
      return llvm::any_of(group.steps, [&](Operation *step) {
        return llvm::any_of(step->getOperands(),
                            [&](Value operand) { return program.resolve(operand).buffer == load.from.buffer; });
      });
    };
    for (size_t other = program.segments.size(); other-- > 0;)
      if (isGroup(other) && &this->group(other) != &group && llvm::any_of(this->group(other).loads, reads))
        return {static_cast<int>(other)};
    return {};
  }

  /// True when a segment takes what another one makes.
  bool takesFrom(size_t segment, size_t maker) {
    auto isMade = [&](Value value) { return makes(maker, value); };
    const FlowSegment &own = program.segments[segment];
    if (own.chain)
      return isMade(own.chain->input.buffer) ||
             llvm::any_of(own.chain->operands, [&](const FlowOperand &operand) { return isMade(operand.from.buffer); });
    return llvm::any_of(own.group.loads, [&](const FlowLoad &load) { return isMade(load.from.buffer); }) ||
           llvm::any_of(own.group.stores,
                        [&](const FlowStore &store) { return isMade(program.readFor(store).buffer); }) ||
           llvm::any_of(own.group.partsOfOthers(), isMade);
  }

  /// Puts the steps of segments `begin` … `end` - 1 and the groups that make their operands together; false where these
  /// are not as many groups, or it is not possible.
  bool joinRun(size_t begin, size_t end) {
    SmallVector<int> earlier;
    for (size_t index = begin; index < end; ++index) {
      if (!isGroup(index))
        return false;
      llvm::append_range(earlier, makersOf(group(index)));
    }
    llvm::sort(earlier);
    earlier.erase(std::unique(earlier.begin(), earlier.end()), earlier.end());
    if (!limits.phases && earlier.size() > 1)
      return joinEach(begin, end);
    if (!joinAll(begin, end, earlier))
      return false;
    noteMade(earlier.back());
    return true;
  }

  /// What the steps of a group make is made there.
  void noteMade(int home) {
    for (Operation *step : group(home).steps)
      for (Value result : step->getResults())
        makers[result] = home;
  }

  /// Puts the steps of segments `begin` … `end` - 1, which are groups, each to the last group that makes an operand;
  /// false where there is none, where one may start a group of its own, or it is not possible.
  bool joinEach(size_t begin, size_t end) {
    std::map<int, SmallVector<size_t>> joining; // the segments, by the group
    DenseMap<Value, int> made;                  // by these
    for (size_t index = begin; index < end; ++index) {
      const SmallVector<int> earlier = makersOf(group(index), made);
      // One that inserts digits may start a group with what an earlier one kept.
      const bool inserts = llvm::any_of(group(index).steps, [](Operation *step) { return insertsDigits(step); });
      if (earlier.empty() || !isGroup(earlier.back()) || (inserts && earlier.size() > 1))
        return false;
      const int home = earlier.back();
      joining[home].push_back(index);
      for (Operation *step : group(index).steps)
        for (Value result : step->getResults())
          made[result] = home;
    }
    std::map<int, FlowGroup> joined;
    for (const auto &[home, segments] : joining) {
      SmallVector<Operation *> steps(group(home).steps);
      for (size_t index : segments)
        llvm::append_range(steps, group(index).steps);
      sortByNumber(steps);
      std::optional<FlowGroup> layout = tryLayout(steps);
      if (!layout)
        return false;
      joined[home] = std::move(*layout);
    }
    for (const auto &[home, segments] : joining) {
      for (size_t index : segments) {
        moveStores(index, home);
        group(index).steps.clear();
      }
      replace(group(home), std::move(joined[home]));
      noteMade(home);
    }
    return true;
  }

  /// Puts the steps of segments `begin` … `end` - 1 and several groups together, in place of the last of these; false
  /// where that is not possible: one of them would come behind what takes its values.
  bool joinAll(size_t begin, size_t end, ArrayRef<int> groups) {
    if (groups.empty() || !llvm::all_of(groups, [&](int each) { return isGroup(each); }))
      return false;
    const int home = groups.back();
    SmallVector<Operation *> steps;
    for (size_t index = begin; index < end; ++index)
      llvm::append_range(steps, group(index).steps);
    for (int each : groups) {
      for (int between = each + 1; between < home; ++between)
        if (!llvm::is_contained(groups, between) && takesFrom(between, each))
          return false;
      llvm::append_range(steps, group(each).steps);
    }
    sortByNumber(steps);
    std::optional<FlowGroup> joined = tryLayout(steps);
    if (!joined)
      return false;
    for (int each : groups)
      if (each != home) {
        moveStores(each, home);
        group(each) = FlowGroup();
      }
    for (size_t index = begin; index < end; ++index) {
      moveStores(index, home);
      group(index).steps.clear();
    }
    replace(group(home), std::move(*joined));
    return true;
  }

  void sortByNumber(SmallVectorImpl<Operation *> &steps) const {
    llvm::sort(steps, [&](Operation *a, Operation *b) { return program.numberOf(a) < program.numberOf(b); });
  }

  /// Lays out the groups again that make what `reader` loads as parts of a result.
  void keepWhole(const FlowGroup &reader) {
    for (const FlowLoad &load : reader.loads) {
      Operation *step = load.from.buffer.getDefiningOp();
      auto maker = makers.find(load.from.buffer);
      if (maker == makers.end() || !isGroup(maker->second) || !group(maker->second).joined.contains(step) ||
          !whole.insert(step).second)
        continue;
      if (std::optional<FlowGroup> made = tryLayout(group(maker->second).steps))
        replace(group(maker->second), std::move(*made));
      else
        whole.erase(step);
    }
  }

  /// True for a node whose values lack digits that it acts on.
  static bool lacksDigits(Operation *step, ValueRange values) {
    return isa<id::NodeOp>(step) && llvm::any_of(values, [&](Value value) {
             return id::radicesOf(value.getType()).size() < static_cast<size_t>(fullDigits(step));
           });
  }
  static bool removesDigits(Operation *step) { return lacksDigits(step, step->getResults()); }
  /// One that takes its digits away again expands nothing.
  static bool insertsDigits(Operation *step) { return lacksDigits(step, step->getOperands()) && !removesDigits(step); }

  /// The groups before `home` that make operands of a step.
  SmallVector<int> earlierMakers(Operation *step, int home) {
    SmallVector<int> earlier;
    for (Value operand : step->getOperands()) {
      auto maker = makers.find(program.resolve(operand).buffer);
      if (maker != makers.end() && maker->second < home && isGroup(maker->second))
        earlier.push_back(maker->second);
    }
    return earlier;
  }

  /// Whether a step only joins on what group `home` joins with parts of others: no kernel has that in one place.
  bool goesOnJoining(Operation *step, int home) {
    std::optional<Placement> placement = placementOf(step);
    return placement && placement->joins && !group(home).partsOfOthers().empty() &&
           llvm::any_of(step->getOperands(), [&](Value operand) {
             return operand.getDefiningOp() && group(home).joined.contains(operand.getDefiningOp());
           });
  }

  /// Whether steps that would join group `home` shall not.
  bool startsPartner(ArrayRef<Operation *> steps, int home) {
    for (Operation *step : steps) {
      if (!insertsDigits(step) || goesOnJoining(step, home))
        continue;
      for (int kept : earlierMakers(step, home)) {
        for (Operation *other : group(home).steps)
          if (removesDigits(other) || (insertsDigits(other) && !llvm::is_contained(earlierMakers(other, home), kept)))
            return true;
      }
    }
    return false;
  }

  void moveStores(size_t from, size_t to) {
    int offset = static_cast<int>(group(to).stores.size());
    for (FlowResult &result : program.returned)
      if (result.segment == static_cast<int>(from))
        result = {static_cast<int>(to), result.store + offset};
    llvm::append_range(group(to).stores, group(from).stores);
    group(from).stores.clear();
  }

  bool makes(size_t g, Value value) const {
    auto maker = makers.find(value);
    return maker != makers.end() && maker->second == static_cast<int>(g);
  }

  /// The last group before segment `end` that makes what group `h` reads.
  std::optional<size_t> lastRead(size_t h, size_t end) {
    std::optional<size_t> last;
    if (isGroup(h))
      for (const FlowLoad &load : group(h).loads)
        if (auto maker = makers.find(load.from.buffer); maker != makers.end())
          if (size_t g = static_cast<size_t>(maker->second); g < end && isGroup(g) && (!last || g > *last))
            last = g;
    return last;
  }

  /// True when something else than the steps of segment `h` reads what segment `g` makes as `value`.
  bool isNeededBeside(size_t h, Value value) {
    for (size_t other = 0; other < program.segments.size(); ++other) {
      if (other == h)
        continue;
      const FlowSegment &segment = program.segments[other];
      if (segment.chain && segment.chain->reads(value))
        return true;
      auto reads = [&](const FlowLoad &load) { return load.from.buffer == value; };
      auto stores = [&](const FlowStore &store) { return program.readFor(store).buffer == value; };
      if (!segment.chain && (llvm::any_of(segment.group.loads, reads) || llvm::any_of(segment.group.stores, stores) ||
                             llvm::is_contained(segment.group.partsOfOthers(), value)))
        return true;
    }
    return false;
  }

  /// The values of `g` that `h` reads.
  SmallVector<Value> crossing(size_t g, size_t h) {
    SmallVector<Value> values;
    for (const FlowLoad &load : group(h).loads)
      if (makes(g, load.from.buffer) && !llvm::is_contained(values, load.from.buffer))
        values.push_back(load.from.buffer);
    return values;
  }

  /// The steps of `g` that `values` come from.
  SmallVector<Operation *> slice(size_t g, ArrayRef<Value> values) {
    DenseSet<Value> wanted(values.begin(), values.end());
    SmallVector<Operation *> steps;
    for (Operation *step : llvm::reverse(group(g).steps)) {
      if (llvm::none_of(step->getResults(), [&](Value result) { return wanted.contains(result); }))
        continue;
      steps.push_back(step);
      for (Value operand : step->getOperands())
        wanted.insert(program.resolve(operand).buffer);
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
  }

  std::optional<FlowGroup> recomputed(size_t g, size_t h) {
    SmallVector<Operation *> steps;
    for (Operation *step : slice(g, crossing(g, h)))
      if (!llvm::is_contained(group(h).steps, step))
        steps.push_back(step);
    llvm::append_range(steps, group(h).steps);
    return tryLayout(steps);
  }

  static int64_t bytesRead(const FlowGroup &group) {
    int64_t bytes = 0;
    for (const FlowLoad &load : group.loads)
      bytes += bytesOf(load);
    return bytes;
  }

  bool shallRecompute(size_t g, size_t h) {
    SmallVector<Value> values = crossing(g, h);
    if (values.empty())
      return false;
    bool stored = false, again = false;
    for (Value value : values)
      if (auto how = value.getDefiningOp()->getAttrOfType<StringAttr>("id.crossing"))
        (how == "stored" ? stored : again) = true;
    if (stored)
      return false;
    std::optional<FlowGroup> candidate = recomputed(g, h);
    if (!candidate)
      return false;
    int64_t storing = bytesRead(group(h)), recomputing = bytesRead(*candidate);
    const SmallVector<Value> parts = candidate->partsOfOthers();
    bool vanishes = true; // group g, when nothing else needs it
    for (Operation *step : group(g).steps)
      for (Value result : step->getResults()) {
        bool beside = isNeededBeside(h, result) || llvm::is_contained(parts, result);
        if (llvm::is_contained(values, result) && !beside)
          storing += sequenceBytes(result.getType());
        vanishes &= !beside;
      }
    if (vanishes)
      storing += bytesRead(group(g));
    return again || recomputing < storing;
  }

  void recompute(size_t g, size_t h) { replace(group(h), std::move(*recomputed(g, h))); }

  /// What only moves a value of a group, or leaves elements out, is stored by that group.
  void foldCopies() {
    for (auto [index, copy] : llvm::enumerate(program.segments)) {
      if (copy.chain || !copy.group.steps.empty() || copy.group.stores.empty())
        continue;
      FlowStore &store = copy.group.stores.front();
      FlowValue from = program.resolve(store.value);
      auto maker = makers.find(from.buffer);
      if (maker == makers.end() || !isGroup(maker->second))
        continue;
      std::optional<FlowStore> direct = store.instead(from);
      if (!direct)
        continue;
      auto &stores = group(maker->second).stores;
      for (FlowResult &result : program.returned)
        if (result.segment == static_cast<int>(index))
          result = {maker->second, static_cast<int>(stores.size())};
      stores.push_back(std::move(*direct));
      copy.group.stores.clear();
    }
  }

  /// Adds the stores that other segments need, drops steps that lead to none, orders the block number.
  void finish(size_t g) {
    FlowGroup &own = group(g);
    SmallVector<Value> values;
    for (Operation *step : own.steps)
      for (Value result : step->getResults())
        if (makes(g, result) && readLater.contains(result))
          values.push_back(result);
    for (Value value : values)
      if (llvm::none_of(own.stores, [&](const FlowStore &store) { return store.made == value; })) {
        int n = static_cast<int>(id::radicesOf(value.getType()).size());
        own.stores.push_back({value, digits::Permutation::identity(n), value});
      }
    for (const FlowStore &store : own.stores)
      values.push_back(store.value);
    if (!values.empty()) {
      // Fewer steps of a possible group are one, too, but where those that are gone are all that values had in common.
      SmallVector<Operation *> steps = slice(g, values);
      std::optional<FlowGroup> made = tryLayout(steps);
      if (!made)
        made = alone(steps);
      if (made)
        replace(own, std::move(*made));
      // Now that the stores are known, which may have the lowest addresses elsewhere.
      LevelLimits now = limits;
      Merged how = Merged::Within;
      while (!planLevels(own, target, now)) {
        if (now.phases && !now.turns) { // barriers, to make room for what is stored
          now.turns = true;
          continue;
        }
        if (now.fastLanes <= 1) {
          how = how == Merged::Within ? how : Merged::Unplanned;
          break;
        }
        how = Merged::Beyond;
        now.fastLanes /= now.runBytes ? 1 : 2;
        now.runBytes = 0;
      }
      merged = std::max(merged, how);
    } else {
      own = FlowGroup();
    }
  }

  /// Adds what a segment reads to what is read later.
  void noteReads(size_t index) {
    const FlowSegment &segment = program.segments[index];
    if (segment.chain) {
      readLater.insert(segment.chain->input.buffer);
      for (const FlowOperand &operand : segment.chain->operands)
        readLater.insert(operand.from.buffer);
      return;
    }
    for (const FlowLoad &load : segment.group.loads)
      readLater.insert(load.from.buffer);
    for (Value part : segment.group.partsOfOthers())
      readLater.insert(part);
    if (segment.group.steps.empty())
      for (const FlowStore &store : segment.group.stores)
        readLater.insert(program.readFor(store).buffer);
  }

  void dropEmpty() {
    SmallVector<int> place;
    std::vector<FlowSegment> kept;
    for (FlowSegment &segment : program.segments) {
      place.push_back(static_cast<int>(kept.size()));
      if (segment.chain || !segment.group.stores.empty())
        kept.push_back(std::move(segment));
    }
    program.segments = std::move(kept);
    for (FlowResult &result : program.returned)
      result.segment = place[result.segment];
  }
};

} // namespace

Merged passes::mergeGroups(FlowProgram &program, const Target &target, const LevelLimits &limits) {
  return Merger(program, target, limits).run();
}
