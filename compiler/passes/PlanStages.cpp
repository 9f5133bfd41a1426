// Input: digit flow. Output: the same function with a schedule attribute (`id.schedule`).
//
// Every chain of steps is planned for the target; the kernels of all chains follow each other in the schedule, steps
// numbered through the program. Steps outside chains have no schedule: id-build-kernels plans them in groups. A schedule
// that the function already has (written by hand or read from a table) is kept.
#include "compiler/passes/Planner.h"
#include "compiler/passes/Steps.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_PLANSTAGES
#include "compiler/passes/Passes.h.inc"

namespace {
struct PlanStages : impl::PlanStagesBase<PlanStages> {
  using PlanStagesBase::PlanStagesBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function->hasAttr("id.schedule"))
      return;
    Target machine;
    std::string error;
    if (!findTarget(target, machine, error)) {
      function.emitError() << error;
      return signalPassFailure();
    }
    std::optional<Plan> wanted = findPlan(plan);
    if (!wanted) {
      function.emitError() << "unknown plan '" << plan << "'; known are throughput and latency";
      return signalPassFailure();
    }
    Schedule schedule;
    FlowProgram program = findSegments(function, &machine);
    for (FlowSegment &segment : program.segments)
      if (segment.chain && !planChain(*segment.chain, *wanted, candidate, machine, schedule, error)) {
        function.emitError() << error;
        return signalPassFailure();
      }
    function->setAttr("id.schedule", toAttribute(schedule, &getContext()));
  }

  /// Appends the kernels of a chain.
  static bool planChain(FlowChain &chain, Plan plan, size_t candidate, const Target &machine, Schedule &schedule,
                        std::string &error) {
    PlanRequest request;
    request.plan = plan;
    request.candidate = candidate;
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
    for (FlowStep &step : chain.steps) {
      SmallVector<int> digits = digitsOf(step.node);
      request.stepDigits.emplace_back(digits.begin(), digits.end());
      for (Operation *before : step.before)
        stepOf[before] = static_cast<int>(request.stepDigits.size());
      llvm::for_each(step.before, makes);
      makes(step.node);
    }
    llvm::for_each(chain.after, makes);
    // Address digit `place` of the input holds digit `q` of the sequence when the map takes it there.
    request.loadOrder.resize(request.numDigits);
    for (int q = 1; q <= request.numDigits; ++q) {
      request.loadOrder[chain.input.map.source(q) - 1] = q;
      request.storeOrder.push_back(chain.permute ? chain.permute.getMap().getPermutation().source(q) : q);
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
    if (!chain.isBinary())
      request.radices.assign(chain.type.getRadices().begin(), chain.type.getRadices().end());
    Schedule own;
    if (!planSchedule(request, machine, own, error))
      return false;
    for (KernelPlan &kernel : own.kernels) {
      for (RangePlan &range : kernel.ranges) {
        range.first += chain.firstStep - 1;
        range.last += chain.firstStep - 1;
      }
      schedule.kernels.push_back(std::move(kernel));
    }
    return true;
  }
};
} // namespace
} // namespace idc::passes
