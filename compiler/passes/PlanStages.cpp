// Input: digit flow that is one chain. Output: the same function with a schedule attribute (`id.schedule`).
//
// A schedule the function already has (written by hand or read from a table) is kept. Rejected: digits of another radix
// than 2, and whatever findChain rejects.
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
    FailureOr<FlowChain> chain = findChain(function);
    if (failed(chain))
      return signalPassFailure();
    for (int32_t radix : chain->type.getRadices())
      if (radix != 2) {
        function.emitError() << "digits of radix " << radix << " cannot be mapped to kernels yet";
        return signalPassFailure();
      }
    Target machine;
    std::string error;
    if (!findTarget(target, machine, error)) {
      function.emitError() << error;
      return signalPassFailure();
    }
    PlanRequest request;
    request.numDigits = chain->type.getNumDigits();
    request.elementBytes = id::elementBytes(chain->type.getElement());
    for (FlowStep &step : chain->steps) {
      SmallVector<int> digits = digitsOf(step.node);
      request.stepDigits.emplace_back(digits.begin(), digits.end());
      request.elementBytes =
          std::max(request.elementBytes, id::elementBytes(id::elementOf(step.node.getOutputs()[0].getType())));
    }
    for (int d = 1; d <= request.numDigits; ++d) {
      request.loadOrder.push_back(d);
      request.storeOrder.push_back(chain->permute ? chain->permute.getMap().getPermutation().source(d) : d);
    }
    Schedule schedule;
    if (!planSchedule(request, machine, schedule, error)) {
      function.emitError() << error;
      return signalPassFailure();
    }
    function->setAttr("id.schedule", toAttribute(schedule, &getContext()));
  }
};
} // namespace
} // namespace idc::passes
