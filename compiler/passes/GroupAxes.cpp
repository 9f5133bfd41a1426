// The axes of steps that share a kernel.
//
// Operands and results of a step agree digit by digit, and where values made along different ways meet, their axes
// become one. A digit that a node inserts takes the axis of the last one removed that is not back yet, so that an
// expansion goes back the way that a contraction came.
#include "compiler/passes/GroupAxes.h"

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
  SmallVector<bool> inRegisters;

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

  int newAxis(int radix) {
    parent.push_back(static_cast<int>(parent.size()));
    radices.push_back(radix);
    inRegisters.push_back(false);
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
    inRegisters[std::min(a, b)] = inRegisters[a] || inRegisters[b];
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
        if (!rules.apart) {
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
    return isa<func::ReturnOp>(step) || (cast<id::NodeOp>(step).getDigits()[0] == fullDigits(step) &&
                                         llvm::all_of(step->getUsers(), joinsPieces));
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
           llvm::all_of(step->getOperands(), [&](Value operand) {
             if (!made.contains(operand))
               return isPartOfOthers(operand) && joinsPieces(step);
             return operand.hasOneUse() || !group.joined.contains(operand.getDefiningOp());
           });
  }

  bool add(Operation *step) {
    if (rules.mayJoin(step) && isJoin(step)) {
      group.joined.insert(step);
      return true;
    }
    SmallVector<int> axes(fullDigits(step), -1), fullRadices(axes.size(), 0);
    for (Value value : llvm::concat<Value>(step->getOperands(), step->getResults()))
      for (auto [place, radix] : llvm::zip(placesOf(step, value), id::radicesOf(value.getType())))
        fullRadices[place - 1] = radix;
    SmallVector<unsigned> outside;
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
      if (from.map.hasComplement() || from.isRepeated() || !from.views.empty())
        return fail(
            {"step ", " takes the value of step ", " repeated, complemented or in part, which needs a kernel between"},
            {step, from.buffer.getDefiningOp()});
      const SmallVector<int> &own = group.axes[from.buffer];
      SmallVector<int> places = placesOf(step, operand.get());
      for (size_t d = 0; d < places.size(); ++d) {
        int axis = own[from.map.source(static_cast<int>(d) + 1) - 1], &known = axes[places[d] - 1];
        if (known >= 0 && !unite(known, axis))
          return fail({"the operands of step ", " have digits of different radices on one axis"}, {step});
        known = axis;
      }
    }
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
        inRegisters[find(axes[digit - 1])] = true;
    for (Value result : step->getResults())
      group.axes[result] = axesOf(result);
    group.arrangement[step] = axes;
    return true;
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
          (inRegisters[root] ? group.nodeAxes : group.otherAxes).push_back(number[root]);
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
