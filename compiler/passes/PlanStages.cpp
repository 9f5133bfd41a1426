// Input: digit flow. Output: the same function with a schedule attribute (`id.schedule`) that has all of its kernels.
//
// Every chain of steps is planned for the target; steps outside chains are put together in groups, and these planned.
// Kernels follow each other in the schedule as they will run. A schedule that the function already has (written by hand
// or read from a table) is kept; what it leaves open is filled in: digits that no field holds number blocks, and steps
// outside chains, where no kernel has any of them, are planned.
#include "compiler/passes/ChainRequest.h"
#include "compiler/passes/FormKernels.h"
#include "compiler/passes/GroupPlanner.h"
#include "compiler/passes/JoinedChains.h"
#include "compiler/passes/Planner.h"
#include "compiler/passes/Steps.h"

#include "id/Chunks.h"
#include "id/Devices.h"

#include <cmath>
#include <limits>
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
    std::optional<Target> machine = findTarget(target, function);
    if (!machine)
      return signalPassFailure();
    if (auto bytes = function->getAttrOfType<IntegerAttr>(id::tileBytesAttr))
      limitTiles(*machine, bytes.getInt());
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

  static void limitTiles(Target &machine, int64_t bytes) {
    for (int64_t *most :
         {&machine.tileBytes, &machine.maxTileBytes, &machine.maxMixedBytes, &machine.sharedBytesBesideCache})
      *most = std::min(*most, bytes);
    machine.maxCluster = 1;
  }

  /// Plans chains and groups. Of a candidate other than the best each takes its own, as far as there are so many.
  bool planAll(FlowProgram &program, const Target &machine, Plan wanted, Schedule &schedule, std::string &error) {
    bool exists = planOutside(program, machine, wanted);
    std::string missing;
    for (size_t i = 0; i < program.segments.size(); ++i) {
      if (!program.segments[i].chain) {
        addPlanned(program, program.segments[i].group, machine, schedule);
        continue;
      }
      if (std::optional<size_t> last = planJoined(program, i, wanted, candidate, machine, schedule)) {
        exists = true;
        i = *last;
        continue;
      }
      const JoinedChains chain = *joinChains(program, i, i);
      if (planChains(chain, wanted, candidate, machine, schedule, error)) {
        exists = true;
      } else {
        missing = std::exchange(error, "");
        if (candidate == 0 || !planChains(chain, wanted, 0, machine, schedule, error)) {
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
    Target apart = machine;
    if (auto bytes = getOperation()->getAttrOfType<IntegerAttr>(id::tileBytesAttr)) {
      constexpr int64_t wordBytes = 4; // tiles of groups are as small as they have threads
      apart.maxThreadsPerBlock =
          std::clamp(bytes.getInt() / (machine.levelWords * wordBytes), machine.lanes, machine.maxThreadsPerBlock);
    }
    // Devices share a kernel's blocks, which then are not to hold all of a problem together.
    if (id::devicesOf(getOperation()) > 1) {
      apart.cooperativeBlocks = 0;
      apart.maxCluster = 1;
    }
    const bool exists = planGroups(program, apart, wanted, candidate, listed, best);
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
    for (size_t i = 0; i < program.segments.size(); ++i) {
      if (const FlowGroup &group = program.segments[i].group; !program.segments[i].chain) {
        if (isWhole) {
          schedule.kernels.push_back(kernelOf(program, group, machine));
          schedule.kernels.back().ring = given.kernels[next].ring;
          schedule.kernels.back().delay = given.kernels[next].delay;
        } else
          addPlanned(program, group, machine, schedule);
        next += isWhole;
        continue;
      }
      const size_t first = i, end = kernelsOf(given, next, *program.segments[i].chain);
      if (next < end)
        i = lastChainOf(given.kernels[end - 1], program, i);
      if (Schedule planned; listed) // beside what is given
        if (std::optional<JoinedChains> chains = joinChains(program, first, i))
          (void)planChains(*chains, wanted, 0, machine, planned, error);
      for (; next < end; ++next)
        schedule.kernels.push_back(withBlocks(given.kernels[next], program.segments[i].chain->type));
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

  /// Plans one kernel for as many chains from segment `first` on as there are values to keep in it, and returns the
  /// last one. It saves storing and loading these. Nothing where there is no such kernel, or it would take longer.
  std::optional<size_t> planJoined(FlowProgram &program, size_t first, Plan wanted, size_t number,
                                   const Target &machine, Schedule &schedule) {
    constexpr size_t most = 4; // chains, and twice as many registers as a tile has
    if (machine.kind == "cpu")
      return std::nullopt;
    size_t end = first; // behind the chains
    while (end < program.segments.size() && end < first + most && program.segments[end].chain)
      ++end;
    for (size_t last = end; last-- > first + 1;) {
      std::optional<JoinedChains> joined = joinChains(program, first, last);
      std::string none;
      if (joined && isWorthJoining(program, *joined, first, wanted, machine) &&
          planChains(*joined, wanted, number, machine, schedule, none))
        return last;
    }
    return std::nullopt;
  }

  /// True when one kernel for several chains takes less time than their own. In throughput it moves fewer bytes.
  static bool isWorthJoining(FlowProgram &program, const JoinedChains &joined, size_t first, Plan wanted,
                             const Target &machine) {
    auto costOf = [&](const JoinedChains &chains) {
      std::string error;
      const std::vector<Candidate> best = planCandidates(requestOf(chains, wanted), machine, 1, error);
      return best.empty() ? std::numeric_limits<double>::infinity() : best.front().cost.cost;
    };
    double together = costOf(joined), apart = 0;
    if (wanted == Plan::Throughput)
      return std::isfinite(together);
    for (size_t i = first; i < first + joined.chains.size(); ++i)
      apart += costOf(*joinChains(program, i, i));
    return together < apart;
  }

  /// The cheapest schedules of chains, the one to take first; none with `error` set when there are not so many.
  std::vector<Candidate> candidatesOf(const JoinedChains &chains, Plan wanted, size_t number, const Target &machine,
                                      std::string &error) {
    PlanRequest request = requestOf(chains, wanted);
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

  /// Appends the kernels of chains; false with `error` set when there are not so many schedules.
  bool planChains(const JoinedChains &chains, Plan wanted, size_t number, const Target &machine, Schedule &schedule,
                  std::string &error) {
    std::vector<Candidate> candidates = candidatesOf(chains, wanted, number, machine, error);
    if (candidates.empty())
      return false;
    for (Candidate &candidate : candidates)
      for (KernelPlan &kernel : candidate.schedule.kernels)
        for (RangePlan &range : kernel.ranges) {
          range.first += chains.firstStep() - 1;
          range.last += chains.firstStep() - 1;
        }
    for (KernelPlan kernel : candidates.front().schedule.kernels) {
      const bool ofRing = kernel.ring || (!schedule.kernels.empty() && schedule.kernels.back().ring);
      kernel.launch.dependent |= !chains.isOfBits() && !ofRing && machine.dependentLaunch && !schedule.kernels.empty();
      schedule.kernels.push_back(std::move(kernel));
    }
    list("steps " + std::to_string(chains.firstStep()) + ".." + std::to_string(chains.last().lastStep()),
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
