#include "compiler/passes/TurnTree.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;

namespace {

size_t leavesOf(Value value) { return id::leafTypes(id::elementOf(value.getType())).size(); }

/// The arguments of a body on which some of what it yields depends.
DenseSet<unsigned> argumentsOf(Region &body, size_t first, size_t count) {
  DenseSet<unsigned> arguments;
  SmallVector<Value> open(body.front().getTerminator()->getOperands().slice(first, count));
  DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value))
      arguments.insert(argument.getArgNumber());
    else
      llvm::append_range(open, value.getDefiningOp()->getOperands());
  }
  return arguments;
}

bool all(const DenseSet<unsigned> &arguments, llvm::function_ref<bool(unsigned)> holds) {
  return llvm::all_of(arguments, holds);
}

/// A node of one digit with two values that contracts (`inserts` false) or expands it; all its values on that side
/// have the digit, all on the other side lack it.
bool isNode(Operation *step, bool inserts) {
  auto node = dyn_cast<id::NodeOp>(step);
  if (!node || node.getDigits().size() != 1 || node.getArity() != 2)
    return false;
  auto has = [&](Value value) {
    return static_cast<int>(id::radicesOf(value.getType()).size()) == node.getNumDigits();
  };
  ValueRange whole = inserts ? ValueRange(node.getOutputs()) : ValueRange(node.getInputs());
  ValueRange single = inserts ? ValueRange(node.getInputs()) : ValueRange(node.getOutputs());
  return whole.size() == 1 && has(whole[0]) && llvm::none_of(single, has);
}

/// Results of a contraction that are made of the first of the two elements alone.
bool isOfFirst(id::NodeOp up, unsigned result) {
  size_t first = 0, element = leavesOf(up.getInputs()[0]);
  for (unsigned i = 0; i < result; ++i)
    first += leavesOf(up.getOutputs()[i]);
  return all(argumentsOf(up.getBody(), first, leavesOf(up.getOutputs()[result])),
             [&](unsigned argument) { return argument < element; });
}

/// The first element that an expansion yields comes from its parent alone.
bool firstIsOfParent(id::NodeOp down, unsigned parent) {
  size_t begin = 0;
  for (unsigned i = 0; i < parent; ++i)
    begin += leavesOf(down.getInputs()[i]);
  size_t end = begin + leavesOf(down.getInputs()[parent]);
  return all(argumentsOf(down.getBody(), 0, leavesOf(down.getOutputs()[0])),
             [&](unsigned argument) { return argument >= begin && argument < end; });
}

} // namespace

std::optional<TurnTree> passes::findTurnTree(ArrayRef<Operation *> steps, bool begun) {
  TurnTree tree;
  size_t next = 0;
  Value value; // that the next step takes
  for (; next < steps.size() && isNode(steps[next], /*inserts=*/false); ++next) {
    auto node = cast<id::NodeOp>(steps[next]);
    if (!tree.up.empty()) {
      auto result = dyn_cast<OpResult>(node.getInputs()[0]);
      if (!result || result.getOwner() != tree.up.back())
        return std::nullopt;
      tree.total.push_back(result.getResultNumber());
    }
    tree.up.push_back(node);
  }
  if (tree.up.empty() || (next == steps.size() && !begun))
    return std::nullopt;
  for (; next < steps.size() && isa<id::PointwiseOp>(steps[next]); ++next) {
    auto step = cast<id::PointwiseOp>(steps[next]);
    auto taken = dyn_cast<OpResult>(step.getInputs()[0]);
    Operation *before = tree.top.empty() ? tree.up.back().getOperation() : tree.top.back();
    if (step.getInputs().size() != 1 || step.getOutputs().size() != 1 || !taken || taken.getOwner() != before)
      return std::nullopt;
    if (tree.top.empty())
      tree.total.push_back(taken.getResultNumber());
    tree.top.push_back(step);
    value = step.getOutputs()[0];
  }
  if (next < steps.size() && (tree.top.empty() || llvm::all_of(tree.top, [](Operation *step) {
                                return !argumentsOf(step->getRegion(0), 0, leavesOf(step->getResult(0))).empty();
                              })))
    return std::nullopt; // it starts from the total
  for (size_t level = tree.up.size(); next < steps.size(); ++next) {
    if (level == 0 || !isNode(steps[next], /*inserts=*/true))
      return std::nullopt;
    auto node = cast<id::NodeOp>(steps[next]);
    id::NodeOp up = tree.up[--level];
    std::optional<unsigned> parent;
    for (OpOperand &operand : node->getOpOperands()) {
      if (operand.get() == value)
        parent = operand.getOperandNumber();
      else if (operand.get().getDefiningOp() != up.getOperation() ||
               !isOfFirst(up, cast<OpResult>(operand.get()).getResultNumber()))
        return std::nullopt;
    }
    if (!parent || !firstIsOfParent(node, *parent) || node.getDigits() != up.getDigits())
      return std::nullopt;
    tree.down.insert(tree.down.begin(), node);
    tree.parent.insert(tree.parent.begin(), *parent);
    value = node.getOutputs()[0];
  }
  if (!begun && tree.down.size() != tree.up.size())
    return std::nullopt;
  return tree;
}
