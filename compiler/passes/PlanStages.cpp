// Input: digit flow. Output: the same function with a schedule attribute (`id.schedule`) that has all of its kernels.
//
// Every chain of steps is planned for the target; steps outside chains are put together in groups, and these planned.
// Kernels follow each other in the schedule as they will run. A schedule that the function already has (written by hand
// or read from a table) is kept; what it leaves open is filled in: digits that no field holds number blocks, and steps
// outside chains, where no kernel has any of them, are planned.
#include "compiler/passes/ChainRequest.h"
#include "compiler/passes/FormKernels.h"
#include "compiler/passes/GroupPlanner.h"
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
    if (listed)
      function->setAttr(candidatesAttr, toAttribute(lists, &getContext()));
  }

  /// Plans chains and groups. Of a candidate other than the best each takes its own, as far as there are so many.
  bool planAll(FlowProgram &program, const Target &machine, Plan wanted, Schedule &schedule, std::string &error) {
    bool exists = planOutside(program, machine, wanted);
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

  bool planOutside(FlowProgram &program, const Target &machine, Plan wanted) {
    std::vector<Candidate> best;
    const bool exists = planGroups(program, machine, wanted, candidate, listed, best);
    list("steps outside chains", std::move(best));
    return exists;
  }

  /// A schedule with the kernels of all segments. What is wrong with it stays: it is found when kernels are built.
  Schedule completed(const Schedule &given, FlowProgram &program, const Target &machine, Plan wanted) {
    const bool isWhole = namesGroups(given, program);
    if (!isWhole)
      (void)planOutside(program, machine, wanted);
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
      if (Schedule planned; listed) // beside what is given
        (void)planChain(*segment.chain, wanted, 0, machine, planned, error);
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

  /// The cheapest schedules of a chain, the one to take first; none with `error` set when there are not so many.
  std::vector<Candidate> candidatesOf(const FlowChain &chain, Plan wanted, size_t number, const Target &machine,
                                      std::string &error) {
    PlanRequest request = requestOf(chain, wanted);
    request.forTuning = number > 0;
    std::vector<Candidate> candidates =
        planCandidates(request, machine, number > 0 ? number + 1 : std::max<size_t>(1, listed), error);
    if (candidates.empty())
      return candidates;
    if (candidates.size() <= number) {
      error = "there are only " + std::to_string(candidates.size()) + " schedules to choose from";
      return {};
    }
    candidates.erase(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(number));
    return candidates;
  }

  /// Appends the kernels of a chain; false with `error` set when there are not so many schedules.
  bool planChain(const FlowChain &chain, Plan wanted, size_t number, const Target &machine, Schedule &schedule,
                 std::string &error) {
    std::vector<Candidate> candidates = candidatesOf(chain, wanted, number, machine, error);
    if (candidates.empty())
      return false;
    for (Candidate &candidate : candidates)
      for (KernelPlan &kernel : candidate.schedule.kernels)
        for (RangePlan &range : kernel.ranges) {
          range.first += chain.firstStep - 1;
          range.last += chain.firstStep - 1;
        }
    for (KernelPlan kernel : candidates.front().schedule.kernels) {
      const bool ofRing = kernel.ring || (!schedule.kernels.empty() && schedule.kernels.back().ring);
      kernel.launch.dependent |= !chain.isOfBits() && !ofRing && machine.dependentLaunch && !schedule.kernels.empty();
      schedule.kernels.push_back(std::move(kernel));
    }
    list("steps " + std::to_string(chain.firstStep) + ".." +
             std::to_string(chain.firstStep + static_cast<int>(chain.steps.size()) - 1),
         std::move(candidates));
    return true;
  }

  /// Notes the best candidates for a part of the program, where they are asked for.
  void list(std::string part, std::vector<Candidate> candidates) {
    candidates.resize(std::min<size_t>(candidates.size(), listed));
    if (!candidates.empty())
      lists.push_back({std::move(part), std::move(candidates)});
  }

  std::vector<CandidateList> lists;
};
} // namespace
} // namespace idc::passes
