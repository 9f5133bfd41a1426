// From a schedule to groups and back.
//
// A kernel of a schedule lists the steps outside chains that it does, in an order in which they can be done, each range
// with the mapping of the group's axes that holds during it. What follows from that is not written: the axes
// (GroupAxes.h), what is loaded, what is stored. A step in two kernels is done twice; one in a single kernel whose
// value another one takes is stored.
#include "compiler/passes/FormKernels.h"

#include "compiler/passes/GroupAxes.h"
#include "compiler/passes/KernelCheck.h"
#include "compiler/passes/TurnOrder.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;
using digits::Field;
using digits::Mapping;

size_t passes::kernelsOf(const Schedule &schedule, size_t first, const FlowChain &chain) {
  const int lastStep = chain.lastStep();
  for (size_t k = first; k < schedule.kernels.size(); ++k)
    for (const RangePlan &range : schedule.kernels[k].ranges)
      if (chain.steps.empty() || (range.kind == RangePlan::Kind::Steps && range.last >= lastStep))
        return k + 1;
  return schedule.kernels.size();
}

bool passes::namesGroups(const Schedule &schedule, const FlowProgram &program) {
  auto isOutside = [&](const KernelPlan &kernel) { return kernel.firstStep() > program.numSteps; };
  auto hasNoSteps = [](const KernelPlan &kernel) { return !kernel.hasSteps(); };
  auto isChainWithoutSteps = [](const FlowSegment &segment) { return segment.chain && segment.chain->steps.empty(); };
  auto isOutsideChains = [](const FlowSegment &segment) { return !segment.chain; };
  return llvm::any_of(schedule.kernels, isOutside) || llvm::none_of(program.segments, isOutsideChains) ||
         llvm::count_if(schedule.kernels, hasNoSteps) > llvm::count_if(program.segments, isChainWithoutSteps);
}

//===--- from a group to a kernel ---------------------------------------------------------------------------------===//

/// The digits, of the first step that has them, that the axes of a group are: "axes 9..1: digits 9..1 of step 1".
static std::string describeAxes(const FlowProgram &program, const FlowGroup &group) {
  SmallVector<std::pair<int, int>> found(group.radices.size(), {0, 0}); // of every axis: step and digit
  for (Operation *step : group.steps)
    if (auto arrangement = group.arrangement.find(step); arrangement != group.arrangement.end())
      for (auto [d, axis] : llvm::enumerate(arrangement->second))
        if (!found[axis].first)
          found[axis] = {program.numberOf(step), static_cast<int>(d) + 1};
  auto spell = [](int high, int low) {
    return (high == low ? " " : "s ") + std::to_string(high) + (high == low ? "" : ".." + std::to_string(low));
  };
  std::string text;
  for (int high = static_cast<int>(found.size()), low; high > 0; high = low - 1) {
    auto [step, digit] = found[static_cast<size_t>(high) - 1];
    int lowest = digit;
    for (low = high; low > 1 && found[static_cast<size_t>(low) - 2] == std::pair(step, lowest - 1); --low)
      --lowest;
    if (step)
      text += (text.empty() ? "ax" : ", ax") +
              std::string(high == low ? "is " + std::to_string(high)
                                      : "es " + std::to_string(high) + ".." + std::to_string(low)) +
              ": digit" + spell(digit, lowest) + " of step " + std::to_string(step);
  }
  return text;
}

/// A mapping without the columns of threads and registers whose axes are not among those given.
static Mapping held(Mapping mapping, ArrayRef<bool> axes, int64_t lanes) {
  for (Field field : {Field::Reg, Field::Lane, Field::Warp})
    llvm::erase_if(mapping[field], [&](const digits::Column &column) {
      const size_t axis = static_cast<size_t>(column.digits.front()) - 1;
      return axis < axes.size() && !axes[axis];
    });
  mapping.splitThreads(lanes);
  return mapping;
}

KernelPlan passes::kernelOf(const FlowProgram &program, const FlowGroup &group, const Target &target) {
  KernelPlan kernel;
  kernel.launch = group.launch;
  kernel.apart = group.apart;
  if (group.steps.empty()) {
    RangePlan &load = kernel.ranges.emplace_back();
    load.kind = RangePlan::Kind::Load;
    load.mapping = group.levels.front();
    load.mapping.splitThreads(target.lanes);
    return kernel;
  }
  kernel.axes = describeAxes(program, group);
  auto addRuns = [&](RangePlan::Kind kind, int64_t runs) {
    if (!runs)
      return;
    RangePlan &range = kernel.ranges.emplace_back();
    range.kind = kind;
    range.runs = runs;
  };
  std::vector<SmallVector<bool>> axesAt(group.levels.size(), SmallVector<bool>(group.radices.size(), false));
  for (Operation *step : group.steps)
    if (!group.joined.contains(step))
      for (int axis : group.arrangement.find(step)->second)
        axesAt[static_cast<size_t>(group.level(step))][static_cast<size_t>(axis)] = true;
  addRuns(RangePlan::Kind::Load, group.loadRuns);
  int level = -1; // of the last range
  for (Operation *step : group.steps) {
    const bool joined = group.joined.contains(step);
    const int number = program.numberOf(step), own = joined ? -1 : group.level(step);
    const auto kind = joined ? RangePlan::Kind::Join : RangePlan::Kind::Steps;
    if (!kernel.ranges.empty() && kernel.ranges.back().kind == kind && kernel.ranges.back().last + 1 == number &&
        own == level) {
      kernel.ranges.back().last = number;
      continue;
    }
    RangePlan &range = kernel.ranges.emplace_back();
    range.kind = kind;
    range.first = range.last = number;
    if (!joined)
      range.mapping = held(group.levels[static_cast<size_t>(own)], axesAt[static_cast<size_t>(own)], target.lanes);
    level = own;
  }
  addRuns(RangePlan::Kind::Store, group.storeRuns);
  return kernel;
}

//===--- from kernels to groups -----------------------------------------------------------------------------------===//

namespace {

class Former {
public:
  Former(FlowProgram &program, const Schedule &schedule, const Target &target, std::string &error)
      : program(program), schedule(schedule), target(target), error(error) {}

  bool run() {
    found = std::move(program.segments);
    program.segments.clear();
    placed.assign(found.size(), -1);
    collectStores();
    for (size_t k = 0; k < schedule.kernels.size();)
      if (!place(k))
        return false;
    for (size_t i = 0; i < found.size(); ++i) // chains without kernels: an error that is found later
      if (placed[i] < 0 && found[i].chain)
        place(i, schedule.kernels.size());
    for (size_t i = 0; i < found.size(); ++i)
      if (placed[i] < 0 && !found[i].chain && found[i].group.steps.empty() && !found[i].group.stores.empty())
        return fail("schedule: a kernel that moves a value is missing, { load { … } }");
    return addStores() && inOrder();
  }

private:
  /// What a group stores beside what others read of it.
  struct Stored {
    FlowStore store;
    std::optional<size_t> result; // of the function
  };

  FlowProgram &program;
  const Schedule &schedule;
  const Target &target;
  std::string &error;
  std::vector<FlowSegment> found; // the segments as they were
  SmallVector<int> placed;        // where they are now, or -1
  SmallVector<size_t> kernels;    // of the segments now: the first kernel
  SmallVector<Stored> stored;     // by groups
  DenseMap<Value, int> makers;    // a value of a group -> the first segment that makes it

  bool fail(const Twine &message) {
    error = message.str();
    return false;
  }
  static std::string where(size_t kernel) { return "schedule: kernel " + std::to_string(kernel + 1) + ": "; }
  bool isOutside(Value value) const { return value.getDefiningOp() && program.numberOf(value.getDefiningOp()); }

  /// What groups store of the function's results, and what copies would move of their values, or leave out.
  void collectStores() {
    for (auto [i, segment] : llvm::enumerate(found)) {
      auto resultOf = [&, i = i](size_t store) -> std::optional<size_t> {
        for (auto [number, result] : llvm::enumerate(program.returned))
          if (result.segment == static_cast<int>(i) && result.store == static_cast<int>(store))
            return number;
        return std::nullopt;
      };
      FlowGroup &group = segment.group;
      for (size_t s = 0; !group.steps.empty() && s < group.stores.size(); ++s)
        if (std::optional<size_t> result = resultOf(s))
          stored.push_back({group.stores[s], result});
      if (segment.chain || !group.steps.empty() || group.stores.empty())
        continue;
      const FlowValue from = program.resolve(group.stores.front().value);
      std::optional<FlowStore> direct = group.stores.front().instead(from);
      if (!isOutside(from.buffer) || !direct)
        continue;
      stored.push_back({std::move(*direct), resultOf(0)});
      group.stores.clear();
    }
  }

  void place(size_t segment, size_t kernel) {
    placed[segment] = static_cast<int>(program.segments.size());
    program.segments.push_back(std::move(found[segment]));
    kernels.push_back(kernel);
  }

  /// Appends the segment of kernel `k`, and goes on to the next.
  bool place(size_t &k) {
    const KernelPlan &kernel = schedule.kernels[k];
    if (kernel.firstStep() > program.numSteps)
      return addGroup(k++);
    // Chains and copies follow each other as in the program.
    auto next = [&](auto qualifies) {
      size_t i = 0;
      while (i < found.size() && (placed[i] >= 0 || !qualifies(found[i])))
        ++i;
      return i;
    };
    const size_t chain = next([](const FlowSegment &segment) { return segment.chain.has_value(); });
    const size_t copy = next([](const FlowSegment &segment) {
      return !segment.chain && segment.group.steps.empty() && !segment.group.stores.empty();
    });
    if (!kernel.hasSteps() && copy < found.size() &&
        (copy < chain || chain == found.size() || !found[chain].chain->steps.empty()))
      return addCopy(copy, k++);
    if (chain == found.size())
      return fail(where(k) + "the program has " + Twine(program.numSteps + static_cast<int>(program.outside.size())) +
                  " steps");
    const size_t end = kernelsOf(schedule, k, *found[chain].chain);
    size_t last = chain; // of the chains that these kernels do
    while (k < end && last + 1 < found.size() && found[last + 1].chain &&
           schedule.kernels[end - 1].lastStep() > found[last].chain->lastStep())
      ++last;
    for (size_t i = chain; i <= last; ++i)
      place(i, k);
    k = end;
    return true;
  }

  bool addCopy(size_t segment, size_t k) {
    const KernelPlan &kernel = schedule.kernels[k];
    place(segment, k);
    FlowGroup &copy = program.segments.back().group;
    layOutCopy(program, copy);
    copy.launch = kernel.launch;
    if (kernel.ranges.size() != 1 || kernel.ranges.front().runs)
      return fail(where(k) + "a kernel that moves a value has one mapping, that of its load");
    SmallVector<Mapping> mappings{kernel.ranges.front().mapping};
    complete(copy, mappings);
    copy.levels = {mappings.begin(), mappings.end()};
    return check(copy, k);
  }

  bool addGroup(size_t k) {
    const KernelPlan &kernel = schedule.kernels[k];
    const int last = program.numSteps + static_cast<int>(program.outside.size());
    SmallVector<Operation *> steps;
    DenseSet<Operation *> joined;
    SmallVector<Mapping> mappings;
    DenseMap<Operation *, int> levelOf;
    int64_t loadRuns = 0, storeRuns = 0;
    for (const RangePlan &range : kernel.ranges) {
      if (range.kind == RangePlan::Kind::Load || range.kind == RangePlan::Kind::Store) {
        if (!range.runs)
          return fail(where(k) + "steps outside chains are loaded and stored in runs, or as their mapping says");
        (range.kind == RangePlan::Kind::Load ? loadRuns : storeRuns) = range.runs;
        continue;
      }
      if (range.last > last)
        return fail(where(k) + "the program has " + Twine(last) + " steps");
      if (range.first <= program.numSteps || range.last < range.first)
        return fail(where(k) + "steps of chains, 1 to " + Twine(program.numSteps) + ", have kernels of their own");
      int level = -1;
      if (range.kind == RangePlan::Kind::Steps) {
        level = static_cast<int>(llvm::find(mappings, range.mapping) - mappings.begin());
        if (level == static_cast<int>(mappings.size()))
          mappings.push_back(range.mapping);
      }
      for (int number = range.first; number <= range.last; ++number) {
        Operation *step = program.outside[static_cast<size_t>(number - program.numSteps) - 1];
        if (levelOf.contains(step) || joined.contains(step))
          return fail(where(k) + "step " + Twine(number) + " stands twice");
        steps.push_back(step);
        if (level < 0)
          joined.insert(step);
        else
          levelOf[step] = level;
      }
    }
    if (mappings.empty())
      return fail(where(k) + "needs steps that are code");
    std::string reason;
    std::optional<FlowGroup> group =
        findAxes(program, steps, {kernel.apart, /*fetch=*/true, [&](Operation *step) { return joined.contains(step); }},
                 &reason);
    if (!group)
      return fail(where(k) + reason);
    for (Operation *step : joined)
      if (!group->joined.contains(step))
        return fail(where(k) + "step " + Twine(program.numberOf(step)) +
                    " does more than join what is stored, or joins what other steps take");
    group->launch = kernel.launch;
    complete(*group, mappings);
    group->levels = {mappings.begin(), mappings.end()};
    group->levelOf = std::move(levelOf);
    group->loadRuns = loadRuns;
    group->storeRuns = storeRuns;
    FlowSegment segment;
    segment.group = std::move(*group);
    const int index = static_cast<int>(program.segments.size());
    for (Operation *step : segment.group.steps)
      for (Value result : step->getResults())
        makers.try_emplace(result, index);
    program.segments.push_back(std::move(segment));
    kernels.push_back(k);
    return check(program.segments.back().group, k);
  }

  /// Gives the mappings of a group the radices of its axes; those that none of them holds number the blocks.
  static void complete(const FlowGroup &group, MutableArrayRef<Mapping> mappings) {
    const int numAxes = static_cast<int>(group.radices.size());
    DenseSet<int> known;
    std::vector<digits::Column> ranks;
    for (const Mapping &mapping : mappings) {
      known.insert_range(mapping.digits());
      if (llvm::any_of(mapping[Field::Rank], [](const digits::Column &column) { return !column.digits.empty(); }))
        ranks = mapping[Field::Rank];
    }
    auto radixOf = [&](const digits::Column &column) {
      const int digit = column.digits.empty() ? 0 : column.digits.front();
      return digit > 0 && digit <= numAxes ? group.radices[static_cast<size_t>(digit) - 1] : 2;
    };
    for (Mapping &mapping : mappings) {
      for (int axis = 1; axis <= numAxes; ++axis)
        if (!known.contains(axis))
          mapping.push(Field::Block, axis);
      for (std::vector<digits::Column> &columns : mapping.columns)
        for (digits::Column &column : columns)
          column.radix = radixOf(column);
      for (size_t i = 0; i < std::min(ranks.size(), mapping[Field::Rank].size()); ++i)
        if (mapping[Field::Rank][i].digits.empty())
          mapping[Field::Rank][i].radix = radixOf(ranks[i]);
    }
  }

  /// What is wrong with a group whose axes and mappings are known.
  bool check(const FlowGroup &group, size_t k) {
    const KernelPlan &kernel = schedule.kernels[k];
    const std::string here = where(k);
    const digits::Launch &launch = group.launch;
    if (!kernel.order.empty())
      return fail(here + "an order is for kernels of chains");
    const int numAxes = static_cast<int>(group.radices.size());
    if (std::string problem =
            checkKernel({k, launch, group.levels, numAxes, /*isChain=*/false, /*isOfBits=*/false}, target);
        !problem.empty())
      return fail(here + problem);
    if (target.kind == "cpu" &&
        (group.levels.size() > 1 || !group.fetched.empty() || group.loadRuns || group.storeRuns))
      return fail(here + "on a CPU a kernel is one pass over memory: one mapping, no runs");
    const Mapping &reference = group.levels.front();
    auto ranksOf = [](const Mapping &mapping) {
      std::vector<int> digits;
      for (const digits::Column &column : mapping[Field::Rank])
        digits.insert(digits.end(), column.digits.begin(), column.digits.end());
      return digits;
    };
    auto batchOf = [&](const Mapping &mapping) {
      std::vector<int> digits = mapping.digits();
      llvm::erase_if(digits, [&](int digit) { return digit <= numAxes; });
      return digits;
    };
    std::vector<int> ranks;
    for (const Mapping &mapping : group.levels)
      if (std::vector<int> own = ranksOf(mapping); !own.empty())
        ranks = own;
    for (const Mapping &mapping : group.levels) {
      for (Field field : {Field::Lane, Field::Warp, Field::Rank, Field::Turn})
        if (target.kind == "cpu" && !mapping[field].empty())
          return fail(here + "on a CPU axes are held by reg or block");
      const std::vector<int> batch = batchOf(mapping);
      for (size_t i = 0; i < batch.size(); ++i)
        if (batch[i] != numAxes + static_cast<int>(i) + 1)
          return fail(here + "the kernel has " + Twine(numAxes) + " axes; digit " + Twine(batch[i]) +
                      " is one of the batch, and those below it are held by no field");
      for (int digit : batch) {
        digits::Place place;
        (void)mapping.find(digit, place);
        if ((place.field != Field::Reg && place.field != Field::Lane && place.field != Field::Warp) || launch.team > 1)
          return fail(here + "digits of the batch are held by reg, lane or warp, and by none in a team");
      }
      if (std::vector<int> own = ranksOf(mapping); !own.empty()) {
        if (own.size() != mapping[Field::Rank].size())
          return fail(here + "rank holds axes in every column, or in all columns _");
        if (launch.team > 1 && own != ranks)
          return fail(here + "rank of a team holds the same axes in every range, or in all columns _");
      }
    }
    for (int axis = 1; axis <= numAxes && group.steps.empty(); ++axis)
      if (digits::Place place; !reference.find(axis, place))
        return fail(here + "axis " + Twine(axis) + " is held by no field");
    if (launch.team > 1 && ranks.empty())
      return fail(here + "the blocks of a team hold axes, in rank");
    for (Operation *step : group.steps) {
      if (group.joined.contains(step))
        continue;
      const Mapping &mapping = group.levels[static_cast<size_t>(group.level(step))];
      const std::string number = "step " + std::to_string(program.numberOf(step));
      const SmallVector<int> &arrangement = group.arrangement.find(step)->second;
      for (int axis : arrangement)
        if (digits::Place place; !mapping.find(axis + 1, place))
          return fail(here + number + " has axis " + Twine(axis + 1) + ", which no field holds");
      SmallVector<int> acted;
      for (int digit : digitsOf(dyn_cast<id::NodeOp>(step)))
        acted.push_back(arrangement[static_cast<size_t>(digit) - 1] + 1);
      if (std::string problem = checkActed(mapping, acted, program.numberOf(step), "axis"); !problem.empty())
        return fail(here + problem);
      if (threadsOf(group, step, target.lanes) > target.maxThreadsPerBlock)
        return fail(here + number + " takes more than " + Twine(target.maxThreadsPerBlock) + " threads");
    }
    if (Operation *step = launch.team > 1 ? stepOfMoreThreads(group, target.lanes) : nullptr)
      return fail(here + "step " + Twine(program.numberOf(step)) +
                  " takes more threads than the first step, which all threads of a team do");
    return checkTurns(group, here);
  }

  /// Turns are done by nodes that can be evaluated one turn after the other.
  bool checkTurns(const FlowGroup &group, const std::string &here) {
    if (group.launch.team == 1)
      return true;
    if (!group.joined.empty())
      return fail(here + "blocks of a team join nothing");
    auto turnOf = [&](Operation *step) -> std::optional<int> {
      digits::Place place;
      SmallVector<int> digits = digitsOf(dyn_cast<id::NodeOp>(step));
      if (digits.empty() ||
          !group.levels[static_cast<size_t>(group.level(step))].find(
              group.arrangement.find(step)->second[static_cast<size_t>(digits.front()) - 1] + 1, place) ||
          place.field != Field::Turn)
        return std::nullopt;
      return place.position;
    };
    const ArrayRef<Operation *> steps = stepsOnTurns(group.steps, turnOf);
    if (steps.empty())
      return group.levels.front()[Field::Turn].empty() || fail(here + "no node acts on the axes of turn");
    if (!canBeDoneInTurns(steps, turnOf))
      return fail(here + "steps " + Twine(program.numberOf(steps.front())) + " to " +
                  Twine(program.numberOf(steps.back())) +
                  " act on turns, and take what is known after later ones only");
    return true;
  }

  /// Adds what groups store: results, and what later kernels take.
  bool addStores() {
    for (FlowResult &result : program.returned)
      result.segment = placed[static_cast<size_t>(result.segment)];
    for (Stored &each : stored) {
      auto maker = makers.find(each.store.value);
      if (maker == makers.end())
        return fail("schedule: step " + Twine(program.numberOf(each.store.value.getDefiningOp())) +
                    " is in no kernel, and its value is " + (each.result ? "a result" : "taken later"));
      auto &stores = program.segments[static_cast<size_t>(maker->second)].group.stores;
      if (each.result)
        program.returned[*each.result] = {maker->second, static_cast<int>(stores.size())};
      stores.push_back(std::move(each.store));
    }
    DenseSet<Value> parts; // of results that other groups join
    for (const FlowSegment &segment : program.segments)
      for (Value part : segment.group.partsOfOthers()) {
        if (!makers.contains(part))
          return fail("schedule: step " + Twine(program.numberOf(part.getDefiningOp())) +
                      " is in no kernel, and its value is a part of a result");
        parts.insert(part);
      }
    for (size_t g = program.segments.size(); g-- > 0;) {
      FlowGroup &own = program.segments[g].group;
      for (Operation *step : own.steps)
        for (Value value : step->getResults()) {
          const bool isStored = llvm::any_of(own.stores, [&](const FlowStore &store) { return store.made == value; });
          if (makers.lookup(value) == static_cast<int>(g) && !isStored &&
              (parts.contains(value) || isReadAfter(g, value))) {
            auto whole = digits::Permutation::identity(static_cast<int>(id::radicesOf(value.getType()).size()));
            own.stores.push_back({value, whole, value});
          }
        }
    }
    return true;
  }

  bool isReadAfter(size_t g, Value value) const {
    return std::any_of(program.segments.begin() + static_cast<std::ptrdiff_t>(g) + 1, program.segments.end(),
                       [&](const FlowSegment &segment) {
                         return segment.chain ? segment.chain->reads(value)
                                              : llvm::any_of(segment.group.loads, [&](const FlowLoad &load) {
                                                  return load.from.buffer == value;
                                                });
                       });
  }

  /// True when every kernel takes what those before it make.
  bool inOrder() {
    DenseSet<Value> made;
    for (auto [g, segment] : llvm::enumerate(program.segments)) {
      SmallVector<Value> taken;
      if (segment.chain) {
        taken.push_back(segment.chain->input.buffer);
        for (const FlowOperand &operand : segment.chain->operands)
          taken.push_back(operand.from.buffer);
      }
      for (const FlowLoad &load : segment.group.loads)
        taken.push_back(load.from.buffer);
      for (Value value : taken)
        if (!isa<BlockArgument>(value) && !made.contains(value))
          return fail(
              where(kernels[g]) + "takes the value of " +
              (isOutside(value) ? "step " + Twine(program.numberOf(value.getDefiningOp())).str() : "a chain or copy") +
              ", which no kernel before it makes");
      if (segment.chain)
        made.insert(segment.chain->result);
      for (Operation *step : segment.group.steps)
        made.insert(step->result_begin(), step->result_end());
      for (const FlowStore &store : segment.group.stores)
        made.insert(store.made);
    }
    return true;
  }
};

} // namespace

bool passes::formGroups(FlowProgram &program, const Schedule &schedule, const Target &target, std::string &error) {
  return Former(program, schedule, target, error).run();
}
