// The axes of steps that share a kernel.
//
// Operands and results of a step agree digit by digit, and where values made along different ways meet, their axes
// become one. A digit that a node inserts takes the axis of the last one removed that is not back yet, so that an
// expansion goes back the way that a contraction came. Of a value whose elements are in computed places of another
// step's, the digits that are computed have axes of their own, the others run on; so have digits of a value that is
// taken on other axes than it has, since another operand has those for other digits.
#include "compiler/passes/GroupAxes.h"

#include "compiler/passes/ComputedPlaces.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;

namespace {

/// Finds the axes of a list of steps.
class Layout {
public:
  Layout(const FlowProgram &program, ArrayRef<Operation *> steps, const AxisRules &rules, std::string *error)
      : program(program), rules(rules), error(error) {
    group.steps.assign(steps.begin(), steps.end());
    for (Operation *step : steps)
      made.insert(step->result_begin(), step->result_end());
  }

  /// The group without its stores; nothing when the steps cannot share a kernel.
  std::optional<FlowGroup> run() {
    for (Operation *step : group.steps)
      if (!add(step))
        return std::nullopt;
    if (!settle())
      return std::nullopt;
    return std::move(group);
  }

private:
  const FlowProgram &program;
  const AxisRules &rules;
  std::string *error; // or null
  FlowGroup group;
  DenseSet<Value> made;
  SmallVector<int> removed;         // axes, the last one at the end
  SmallVector<int> parent, radices; // per axis; parent: union-find
  SmallVector<bool> heldTogether;   // by a thread or a block
  std::vector<FlowLoad> views;      // values from computed places, with the axes of their digits

  /// Says why the steps cannot share a kernel: words, with the numbers of steps between.
  bool fail(std::initializer_list<const char *> words, std::initializer_list<Operation *> steps) {
    if (!error)
      return false;
    const auto *step = steps.begin();
    for (const char *word : words) {
      *error += word;
      if (step != steps.end())
        *error += std::to_string(program.numberOf(*step++));
    }
    return false;
  }

  /// What a rule says of a case in which it matters.
  bool ask(bool AskedRules::*rule, bool says) const {
    if (rules.asked)
      rules.asked->*rule = true;
    return says;
  }

  int newAxis(int radix) {
    parent.push_back(static_cast<int>(parent.size()));
    radices.push_back(radix);
    heldTogether.push_back(false);
    return parent.back();
  }
  int find(int axis) const {
    while (parent[axis] != axis)
      axis = parent[axis];
    return axis;
  }
  bool unite(int a, int b) {
    a = find(a), b = find(b);
    if (radices[a] != radices[b])
      return false;
    parent[std::max(a, b)] = std::min(a, b);
    heldTogether[std::min(a, b)] = heldTogether[a] || heldTogether[b];
    return true;
  }

  static bool lacks(Operation *step, ValueRange values) {
    size_t n = fullDigits(step);
    return isa<id::NodeOp>(step) &&
           llvm::all_of(values, [&](Value value) { return id::radicesOf(value.getType()).size() < n; });
  }

  int insertedAxis(Operation *step, int radix, ArrayRef<int> others) {
    if (lacks(step, step->getOperands()) && !removed.empty()) {
      int last = find(removed.back());
      if (radices[last] == radix &&
          llvm::none_of(others, [&](int other) { return other >= 0 && find(other) == last; })) {
        if (!ask(&AskedRules::apart, rules.apart)) {
          removed.pop_back();
          return last;
        }
        group.apart = true;
      }
    }
    return newAxis(radix);
  }

  void noteRemoved(Operation *step, ArrayRef<int> axes) {
    if (lacks(step, step->getResults()))
      for (int64_t digit : cast<id::NodeOp>(step).getDigits())
        removed.push_back(axes[digit - 1]);
  }

  /// A value that another group can store as a part of a result: nothing else takes it.
  bool isPartOfOthers(Value value) const {
    return !made.contains(value) && value.getDefiningOp() && program.numberOf(value.getDefiningOp()) &&
           !program.moved.contains(value) && value.hasOneUse();
  }

  /// True when the parts of what a step joins are pieces of the function's result.
  static bool joinsPieces(Operation *step) {
    return isa<func::ReturnOp>(step) ||
           (cast<id::NodeOp>(step).getDigits()[0] == fullDigits(step) && llvm::all_of(step->getUsers(), joinsPieces));
  }

  /// A node that puts values made here, one at least, and pieces by other groups together, for the function's results
  /// alone.
  bool isJoin(Operation *step) const {
    std::optional<Placement> placement = placementOf(step);
    auto isForResults = [](auto &self, Value value) -> bool {
      return llvm::all_of(value.getUsers(), [&](Operation *user) {
        std::optional<Placement> next = placementOf(user);
        return isa<func::ReturnOp>(user) || (next && next->joins && self(self, user->getResult(0)));
      });
    };
    // Parts have one use each: what is stored twice would have two places.
    return placement && placement->joins && isForResults(isForResults, step->getResult(0)) &&
           llvm::any_of(step->getOperands(), [&](Value operand) { return made.contains(operand); }) &&
           llvm::all_of(step->getOpOperands(), [&](OpOperand &use) {
             const Value operand = use.get();
             const bool isOnce = llvm::count(placement->order, static_cast<int>(use.getOperandNumber())) == 1;
             if (!made.contains(operand))
               return isOnce && isPartOfOthers(operand) && joinsPieces(step);
             return (isOnce && operand.hasOneUse()) || !group.joined.contains(operand.getDefiningOp());
           });
  }

  bool add(Operation *step) {
    if (rules.mayJoin(step) && isJoin(step) && ask(&AskedRules::join, true)) {
      group.joined.insert(step);
      return true;
    }
    SmallVector<int> axes(fullDigits(step), -1), fullRadices(axes.size(), 0);
    for (Value value : llvm::concat<Value>(step->getOperands(), step->getResults()))
      for (auto [place, radix] : llvm::zip(placesOf(step, value), id::radicesOf(value.getType())))
        fullRadices[place - 1] = radix;
    SmallVector<unsigned> outside, repeated;
    for (OpOperand &operand : step->getOpOperands()) {
      FlowValue from = program.resolve(operand.get());
      if (!made.contains(from.buffer)) {
        outside.push_back(operand.getOperandNumber());
        continue;
      }
      if (!group.axes.contains(from.buffer))
        return fail({"step ", " takes what step ",
                     group.joined.contains(from.buffer.getDefiningOp()) ? " joins" : " makes, which follows it"},
                    {step, from.buffer.getDefiningOp()});
      if (from.isRepeated()) {
        repeated.push_back(operand.getOperandNumber());
        takeKept(step, operand.get(), from, axes);
      } else if (!takeMade(step, operand, from, axes)) {
        return false;
      }
    }
    // What is repeated is so along digits that others have been loaded with.
    for (unsigned number : outside)
      takeLoaded(step, step->getOperand(number), axes);
    for (unsigned number : repeated)
      if (OpOperand &operand = step->getOpOperand(number);
          !takeMade(step, operand, program.resolve(operand.get()), axes))
        return false;
    for (size_t d = axes.size(); d-- > 0;)
      if (axes[d] < 0)
        axes[d] = insertedAxis(step, fullRadices[d], axes);
    noteRemoved(step, axes);
    auto axesOf = [&](Value value) {
      SmallVector<int> own;
      for (int place : placesOf(step, value))
        own.push_back(axes[place - 1]);
      return own;
    };
    for (unsigned number : outside) {
      Value operand = step->getOperand(number);
      group.loadOf[{step, number}] = static_cast<int>(group.loads.size());
      group.loads.push_back({program.resolve(operand), axesOf(operand)});
    }
    if (auto node = dyn_cast<id::NodeOp>(step))
      for (int64_t digit : node.getDigits())
        heldTogether[find(axes[digit - 1])] = true;
    for (Value result : step->getResults())
      group.axes[result] = axesOf(result);
    group.arrangement[step] = axes;
    return true;
  }

  /// Gives digits of a step the axes of an operand that is a view of a value made here.
  bool takeMade(Operation *step, OpOperand &operand, const FlowValue &from, SmallVectorImpl<int> &axes) {
    SmallVector<int> known;
    const SmallVector<int> places = placesOf(step, operand.get());
    for (int place : places)
      known.push_back(axes[static_cast<size_t>(place) - 1]);
    for (auto [place, axis] : llvm::zip(places, axesOf(operand, from, known))) {
      int &own = axes[static_cast<size_t>(place) - 1];
      if (own >= 0 && !unite(own, axis))
        return fail({"the operands of step ", " have digits of different radices on one axis"}, {step});
      own = axis;
    }
    return true;
  }

  /// Gives digits of a step that have no axis yet those of a view's digits that are ones of a value made here.
  void takeKept(Operation *step, Value operand, const FlowValue &from, SmallVectorImpl<int> &axes) const {
    const SmallVector<int> places = placesOf(step, operand);
    for (auto [axis, kept] : llvm::zip(group.axes.find(from.buffer)->second, keptDigits(from)))
      if (kept)
        if (int &own = axes[static_cast<size_t>(places[static_cast<size_t>(kept) - 1]) - 1]; own < 0)
          own = axis;
  }

  /// Gives digits of a step that have no axis yet those under which an earlier step loads the same value.
  void takeLoaded(Operation *step, Value operand, SmallVectorImpl<int> &axes) const {
    const FlowValue from = program.resolve(operand);
    auto load = llvm::find_if(group.loads, [&](const FlowLoad &other) { return other.from == from; });
    if (load == group.loads.end())
      return;
    for (auto [place, axis] : llvm::zip(placesOf(step, operand), load->axes)) {
      int &own = axes[static_cast<size_t>(place) - 1];
      const int root = find(axis);
      if (own < 0 && llvm::none_of(axes, [&](int other) { return other >= 0 && find(other) == root; }))
        own = axis;
    }
  }

  /// True when a step has digits on both axes.
  bool meet(int a, int b) const {
    a = find(a), b = find(b);
    return llvm::any_of(group.arrangement, [&](const auto &entry) {
      return llvm::any_of(entry.second, [&](int axis) { return find(axis) == a; }) &&
             llvm::any_of(entry.second, [&](int axis) { return find(axis) == b; });
    });
  }

  /// The axes of an operand that is a view of a value made here; `known`: those that other operands have there, or -1.
  SmallVector<int> axesOf(OpOperand &operand, const FlowValue &from, ArrayRef<int> known) {
    const auto sameValue = llvm::find_if(views, [&](const FlowLoad &other) { return other.from == from; });
    SmallVector<int> axes(known.size(), -1);
    SmallVector<int> computed; // axes of digits of the value that is made here
    for (auto [axis, kept] : llvm::zip(group.axes.find(from.buffer)->second, keptDigits(from))) {
      int *place = kept ? &axes[static_cast<size_t>(kept) - 1] : nullptr;
      const int other = kept ? known[static_cast<size_t>(kept) - 1] : -1;
      if (!kept ||
          (other >= 0 && find(other) != find(axis) && meet(other, axis) && ask(&AskedRules::fetch, rules.fetch)))
        computed.push_back(axis);
      else
        *place = axis;
    }
    if (!llvm::is_contained(axes, -1) && computed.empty())
      return axes;
    group.fetched.insert({operand.getOwner(), operand.getOperandNumber()});
    for (int axis : computed)
      heldTogether[find(axis)] = true;
    if (sameValue != views.end() && llvm::all_of(known, [](int axis) { return axis < 0; }))
      return sameValue->axes;
    for (auto [axis, radix] : llvm::zip(axes, id::radicesOf(operand.get().getType())))
      if (axis < 0) {
        axis = newAxis(radix);
        heldTogether[axis] = true;
      }
    if (sameValue == views.end())
      views.push_back({from, axes});
    return axes;
  }

  /// Numbers the axes and checks that the group is possible.
  bool settle() {
    SmallVector<int> number(parent.size(), -1);
    auto rename = [&](SmallVector<int> &axes) {
      for (int &axis : axes) {
        int root = find(axis);
        if (number[root] < 0) {
          number[root] = static_cast<int>(group.radices.size());
          group.radices.push_back(radices[root]);
          (heldTogether[root] ? group.nodeAxes : group.otherAxes).push_back(number[root]);
        }
        axis = number[root];
      }
      SmallVector<int> sorted = axes;
      llvm::sort(sorted);
      return std::unique(sorted.begin(), sorted.end()) == sorted.end();
    };
    for (FlowLoad &load : group.loads)
      if (!rename(load.axes))
        return fail({"what the kernel loads has two digits on one axis"}, {});
    for (Operation *step : group.steps)
      if (!group.joined.contains(step) && !rename(group.arrangement[step]))
        return fail({"step ", " has two digits on one axis"}, {step});
    for (Operation *step : group.steps)
      for (Value result : step->getResults())
        if (!group.joined.contains(step) && !rename(group.axes[result]))
          return fail({"a result of step ", " has two digits on one axis"}, {step});
    for (Operation *step : group.steps)
      for (Value result : step->getResults())
        if (auto made = group.axes.find(result); made != group.axes.end())
          for (int axis : group.otherAxes)
            if (!llvm::is_contained(made->second, axis))
              return fail({"a result of step ", " lacks an axis that others have and no node acts on: it would be made "
                                                "again for each of its values"},
                          {step});
    mergeLoads();
    return true;
  }

  /// What several steps read alike is read once.
  void mergeLoads() {
    std::vector<FlowLoad> distinct;
    SmallVector<int> place;
    for (FlowLoad &load : group.loads) {
      auto same = llvm::find_if(
          distinct, [&](const FlowLoad &other) { return other.from == load.from && other.axes == load.axes; });
      place.push_back(static_cast<int>(same - distinct.begin()));
      if (same == distinct.end())
        distinct.push_back(load);
    }
    for (auto &entry : group.loadOf)
      entry.second = place[entry.second];
    group.loads = std::move(distinct);
  }
};

} // namespace

std::optional<FlowGroup> passes::findAxes(const FlowProgram &program, ArrayRef<Operation *> steps,
                                          const AxisRules &rules, std::string *error) {
  return Layout(program, steps, rules, error).run();
}

void passes::layOutCopy(const FlowProgram &program, FlowGroup &copy) {
  FlowValue from = program.readFor(copy.stores[0]);
  ArrayRef<int32_t> radices = id::radicesOf(copy.stores[0].value.getType());
  copy.radices.assign(radices.begin(), radices.end());
  digits::Mapping mapping;
  for (int d = 0; d < static_cast<int>(radices.size()); ++d) {
    copy.otherAxes.push_back(d);
    mapping.push(digits::Field::Block, d + 1, radices[d]);
  }
  copy.levels = {mapping};
  copy.loads.push_back({from, copy.otherAxes});
}

int64_t passes::threadsOf(const FlowGroup &group, Operation *step, int64_t lanes) {
  int64_t threads = 1;
  for (Value value : llvm::concat<Value>(step->getOperands(), step->getResults()))
    threads = std::max(threads, group.mappingOf(group.axesOf(step, value), group.level(step), lanes).numThreads());
  return threads;
}

Operation *passes::stepOfMoreThreads(const FlowGroup &group, int64_t lanes) {
  std::optional<int64_t> first;
  for (Operation *step : group.steps) {
    if (group.joined.contains(step))
      continue;
    const int64_t threads = threadsOf(group, step, lanes);
    first = first.value_or(threads);
    if (threads > *first)
      return step;
  }
  return nullptr;
}
