// Input: digit flow. Output: the same function with a schedule attribute (`id.schedule`) that has all of its kernels.
//
// Every chain of steps is planned for the target; steps outside chains are put together in groups, and these planned.
// Kernels follow each other in the schedule as they will run. A schedule that the function already has (written by hand
// or read from a table) is kept; what it leaves open is filled in: digits that no field holds number blocks, and steps
// outside chains, where no kernel has any of them, are planned.
#include "compiler/passes/FormKernels.h"
#include "compiler/passes/Groups.h"
#include "compiler/passes/Planner.h"
#include "compiler/passes/Steps.h"

#include <utility>

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
    const std::optional<Target> machine = findTarget(target, function);
    if (!machine)
      return signalPassFailure();
    std::string error;
    std::optional<Plan> wanted = findPlan(plan);
    if (!wanted) {
      function.emitError() << "unknown plan '" << plan << "'; known are throughput and latency";
      return signalPassFailure();
    }
    Schedule given, schedule;
    Attribute written = function->getAttr("id.schedule");
    auto kernels = dyn_cast_if_present<ArrayAttr>(written);
    if (written && (!kernels || !fromAttribute(kernels, {}, given, error)))
      return; // what is wrong is found when kernels are built
    FailureOr<FlowProgram> program = segmentsOf(function);
    if (failed(program))
      return signalPassFailure();
    if (written) {
      schedule = completed(given, *program, *machine, *wanted);
    } else if (!planAll(*program, *machine, *wanted, schedule, error)) {
      function.emitError() << error;
      return signalPassFailure();
    }
    function->setAttr("id.schedule", toAttribute(schedule, &getContext()));
  }

  /// Plans chains and groups. Of a candidate other than the best each takes its own, as far as there are so many.
  bool planAll(FlowProgram &program, const Target &machine, Plan wanted, Schedule &schedule, std::string &error) {
    bool exists = mergeGroups(program, machine, wanted, candidate);
    std::string missing;
    for (FlowSegment &segment : program.segments) {
      if (!segment.chain) {
        addPlanned(program, segment.group, machine, schedule);
      } else if (planChain(*segment.chain, wanted, candidate, machine, schedule, error)) {
        exists = true;
      } else {
        missing = std::exchange(error, "");
        if (candidate == 0 || !planChain(*segment.chain, wanted, 0, machine, schedule, error)) {
          error = missing;
          return false;
        }
      }
    }
    if (!exists)
      error = missing.empty() ? "there are not so many schedules to choose from" : missing;
    return exists;
  }

  /// A schedule with the kernels of all segments. What is wrong with it stays: it is found when kernels are built.
  Schedule completed(const Schedule &given, FlowProgram &program, const Target &machine, Plan wanted) {
    const bool isWhole = namesGroups(given, program);
    if (!isWhole)
      (void)mergeGroups(program, machine, wanted, candidate);
    std::string error;
    if (isWhole && !formGroups(program, given, machine, error))
      return given;
    Schedule schedule;
    size_t next = 0;
    for (FlowSegment &segment : program.segments) {
      if (!segment.chain) {
        if (isWhole)
          schedule.kernels.push_back(kernelOf(program, segment.group, machine));
        else
          addPlanned(program, segment.group, machine, schedule);
        next += isWhole;
        continue;
      }
      for (const size_t end = kernelsOf(given, next, *segment.chain); next < end; ++next)
        schedule.kernels.push_back(withBlocks(given.kernels[next], segment.chain->type));
    }
    schedule.kernels.insert(schedule.kernels.end(), given.kernels.begin() + static_cast<std::ptrdiff_t>(next),
                            given.kernels.end());
    return schedule;
  }

  /// A kernel of a chain; digits that no field of a range holds number the blocks.
  static KernelPlan withBlocks(KernelPlan kernel, id::SeqType type) {
    for (RangePlan &range : kernel.ranges)
      for (int digit : range.mapping.missing(static_cast<int>(type.getNumDigits())))
        range.mapping.push(digits::Field::Block, digit, type.getRadices()[static_cast<size_t>(digit) - 1]);
    return kernel;
  }

  /// Appends the kernel of a planned group. It may start before the one before it ends, where blocks do not wait for
  /// each other.
  static void addPlanned(const FlowProgram &program, const FlowGroup &group, const Target &machine,
                         Schedule &schedule) {
    KernelPlan kernel = kernelOf(program, group, machine);
    kernel.launch.dependent = machine.dependentLaunch && !schedule.kernels.empty() && kernel.launch.team == 1;
    schedule.kernels.push_back(std::move(kernel));
  }

  /// About how many operations a step becomes for each element: those of its body, some of which become several, and
  /// one to bring the element to where the step takes it.
  static int64_t operationsOf(Operation *step) {
    constexpr int64_t ofComplex = 4, ofResidue = 8;
    auto weight = [&](Type type) {
      return isa<id::ModType>(type) ? ofResidue : isa<ComplexType>(type) ? ofComplex : 1;
    };
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
    request.operationsUpTo.push_back(0);
    for (FlowStep &step : chain.steps) {
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
    request.radices.assign(chain.type.getRadices().begin(), chain.type.getRadices().end());
    Schedule own;
    if (!planSchedule(request, machine, own, error))
      return false;
    for (KernelPlan &kernel : own.kernels) {
      kernel.launch.dependent |= !chain.isOfBits() && machine.dependentLaunch && !schedule.kernels.empty();
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
