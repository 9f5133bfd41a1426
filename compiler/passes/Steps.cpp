// Walks a function in digit flow from its argument to its return.
#include "compiler/passes/Steps.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;

FailureOr<FlowChain> passes::findChain(func::FuncOp function) {
  Block &block = function.getBody().front();
  Operation *terminator = block.getTerminator();
  if (function.getNumArguments() != 1 || terminator->getNumOperands() != 1)
    return function.emitError() << "kernels need one input and one output sequence so far; this program has "
                                << function.getNumArguments() << " and " << terminator->getNumOperands();
  FlowChain chain;
  chain.input = function.getArgument(0);
  chain.type = cast<id::SeqType>(chain.input.getType());
  FlowStep open;
  Value value = chain.input;
  for (Operation &op : block.without_terminator()) {
    if (op.getNumOperands() != 1 || op.getOperand(0) != value || op.getNumResults() != 1)
      return op.emitError() << "kernels need a chain of steps so far: each takes the one sequence of the step before";
    value = op.getResult(0);
    if (auto permute = dyn_cast<id::PermuteOp>(op)) {
      if (!permute.getResult().hasOneUse() || *permute.getResult().user_begin() != terminator)
        return op.emitError() << "a permutation between steps that cannot be moved to the end of the program";
      chain.permute = permute;
      break;
    }
    if (id::radicesOf(value.getType()) != chain.type.getRadices())
      return op.emitError() << "kernels need steps that keep all digits so far";
    if (auto node = dyn_cast<id::NodeOp>(op)) {
      open.node = node;
      chain.steps.push_back(std::move(open));
      open = FlowStep();
    } else if (isa<id::TwiddleOp, id::PointwiseOp>(op)) {
      open.before.push_back(&op);
    } else {
      return op.emitError() << "unexpected op in digit flow";
    }
  }
  if (terminator->getOperand(0) != value)
    return terminator->emitError() << "the last step's sequence must be returned";
  chain.after = std::move(open.before);
  return chain;
}

SmallVector<int> passes::digitsOf(id::NodeOp node) {
  if (!node)
    return {};
  return SmallVector<int>(node.getDigits().begin(), node.getDigits().end());
}
