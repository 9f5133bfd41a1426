#include "compiler/passes/ChainRequest.h"

#include "id/Devices.h"

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

namespace {

/// Puts together the request of chains that one kernel does, one after the other.
class Requester {
public:
  Requester(const JoinedChains &chains, Plan plan) : chains(chains) {
    request.plan = plan;
    request.values = chains.valuesAtOnce();
    const FlowChain &first = *chains.chains.front(), &last = chains.last();
    request.numDigits = last.type.getNumDigits();
    request.sums = llvm::any_of(chains.chains, [](const FlowChain *chain) { return chain->hasScatteredViews(); });
    request.radices.assign(last.type.getRadices().begin(), last.type.getRadices().end());
    request.loadBytes = id::elementBytes(first.type.getElement());
    request.storeBytes = id::elementBytes(id::elementOf(last.result.getType()));
    request.elementBytes = request.loadBytes;
    request.registerBytes = id::registerBytes(first.type.getElement());
    request.numbers = numbersOf(first.type.getElement());
    request.operationsUpTo.push_back(0);
    Value source = first.source;
    auto function = source.getParentRegion()->getParentOfType<func::FuncOp>();
    request.devices = id::devicesOf(function);
    request.loadOrder = orderOf(0, first.input);
    request.storeOrder = last.stored().placed()->addressOrder();
  }

  PlanRequest run() {
    for (size_t number = 0; number < chains.chains.size(); ++number)
      add(number);
    return std::move(request);
  }

private:
  const JoinedChains &chains;
  PlanRequest request;
  DenseMap<Value, int> lastSteps; // of what the chains so far make for others

  /// The address order of what is loaded: the digits from the lowest address up, without those along which it is
  /// repeated.
  digits::AddressOrder orderOf(size_t number, const FlowValue &from) const {
    digits::AddressOrder order;
    const std::vector<int> loaded = from.followed().addressOrder();
    for (int digit : llvm::ArrayRef(loaded).take_front(from.viewRadices().size()))
      order.push_back(chains.axes[number][static_cast<size_t>(digit) - 1] + 1);
    return order;
  }

  static int numbersOf(Type element) {
    Type number;
    int count;
    return id::splitNumbers(element, number, count) ? count : static_cast<int>(id::leafTypes(element).size());
  }

  void noteElement(Type element) {
    request.numbers = std::max(request.numbers, numbersOf(element));
    request.elementBytes = std::max(request.elementBytes, id::elementBytes(element));
    request.registerBytes = std::max(request.registerBytes, id::registerBytes(element));
  }

  void addOperand(size_t number, const FlowValue &from, int step) {
    PlanOperand &planned = request.operands.emplace_back();
    planned.step = step;
    planned.bytes = id::elementBytes(id::elementOf(from.buffer.getType()));
    planned.order = orderOf(number, from);
  }

  void add(size_t number) {
    const FlowChain &chain = *chains.chains[number];
    const bool isLast = number + 1 == chains.chains.size();
    const auto begin = static_cast<int>(request.stepDigits.size());
    noteElement(chain.type.getElement());
    if (number > 0 && chains.loads(number)) {
      addOperand(number, chain.input, begin + 1);
      request.begins.push_back(begin + 1);
    }
    DenseMap<Operation *, int> stepOf; // of what is done before a node
    auto makes = [&](Operation *op) {
      noteElement(id::elementOf(op->getResult(0).getType()));
      op->walk([&](id::OmegaOp omega) { request.looksUp |= omega.getDynamic() != nullptr; });
    };
    for (const FlowStep &step : chain.steps) {
      SmallVector<int> digits = chains.digitsOf(chain.firstStep + static_cast<int>(request.stepDigits.size()) - begin);
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
    // What follows the last node is done with it, or, of a chain without nodes, with the next one.
    const int after = static_cast<int>(request.stepDigits.size()) + (isLast || chain.steps.empty());
    for (const FlowOperand &operand : chain.operands) {
      auto step = stepOf.find(operand.step);
      const int taken = step != stepOf.end() ? step->second : after;
      if (auto made = lastSteps.find(operand.from.buffer); made != lastSteps.end())
        request.joins.push_back({made->second, std::min(taken, static_cast<int>(request.stepDigits.size()))});
      else
        addOperand(number, operand.from, taken);
    }
    if (!isLast && !chain.steps.empty())
      lastSteps[chain.result] = static_cast<int>(request.stepDigits.size());
  }
};

} // namespace

PlanRequest passes::requestOf(const JoinedChains &chains, Plan plan) { return Requester(chains, plan).run(); }
