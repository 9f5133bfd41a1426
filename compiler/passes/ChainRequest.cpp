#include "compiler/passes/ChainRequest.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;

/// About how many operations a step becomes for each element: those of its body, some of which become several, and
/// one to bring the element to where the step takes it.
static int64_t operationsOf(Operation *step) {
  constexpr int64_t ofComplex = 4, ofResidue = 8;
  auto weight = [&](Type type) { return isa<id::ModType>(type) ? ofResidue : isa<ComplexType>(type) ? ofComplex : 1; };
  if (isa<id::TwiddleOp>(step))
    return 2 * weight(id::elementOf(step->getResult(0).getType()));
  int64_t operations = 0;
  step->walk([&](Operation *op) {
    if (op != step && op->getNumResults() > 0 && !op->hasTrait<OpTrait::ConstantLike>())
      operations += weight(op->getResult(0).getType());
  });
  auto node = dyn_cast<id::NodeOp>(step);
  return operations / (node ? node.getArity() : 1) + 1;
}

PlanRequest passes::requestOf(const FlowChain &chain, Plan plan) {
  PlanRequest request;
  request.plan = plan;
  request.numDigits = chain.type.getNumDigits();
  request.loadBytes = id::elementBytes(chain.type.getElement());
  request.storeBytes = id::elementBytes(id::elementOf(chain.result.getType()));
  request.elementBytes = request.loadBytes;
  request.registerBytes = id::registerBytes(chain.type.getElement());
  auto makes = [&](Operation *op) {
    Type element = id::elementOf(op->getResult(0).getType());
    request.elementBytes = std::max(request.elementBytes, id::elementBytes(element));
    request.registerBytes = std::max(request.registerBytes, id::registerBytes(element));
  };
  DenseMap<Operation *, int> stepOf; // of what is done before a node
  request.operationsUpTo.push_back(0);
  for (const FlowStep &step : chain.steps) {
    SmallVector<int> digits = digitsOf(step.node);
    request.stepDigits.append({digits.begin(), digits.end()});
    for (Operation *before : step.before)
      stepOf[before] = static_cast<int>(request.stepDigits.size());
    llvm::for_each(step.before, makes);
    makes(step.node);
    int64_t operations = operationsOf(step.node);
    for (Operation *before : step.before)
      operations += operationsOf(before);
    request.operationsUpTo.push_back(request.operationsUpTo.back() + operations);
  }
  llvm::for_each(chain.after, makes);
  id::PermuteOp permute = chain.permute;
  // Address digit `place` of the input holds digit `q` of the sequence when the map takes it there.
  request.loadOrder.resize(request.numDigits);
  for (int q = 1; q <= request.numDigits; ++q) {
    request.loadOrder[chain.input.map.source(q) - 1] = q;
    request.storeOrder.push_back(permute ? permute.getMap().getPermutation().source(q) : q);
  }
  for (const FlowOperand &operand : chain.operands) {
    const int held = static_cast<int>(id::radicesOf(operand.from.buffer.getType()).size());
    auto step = stepOf.find(operand.step);
    PlanOperand &planned = request.operands.emplace_back();
    planned.step = step != stepOf.end() ? step->second : static_cast<int>(chain.steps.size()) + 1;
    planned.bytes = id::elementBytes(id::elementOf(operand.from.buffer.getType()));
    planned.order.resize(held);
    for (int q = 1; q <= request.numDigits; ++q)
      if (int place = operand.from.map.source(q); place <= held)
        planned.order[place - 1] = q;
  }
  request.radices.assign(chain.type.getRadices().begin(), chain.type.getRadices().end());
  return request;
}
