// What the planners of all machines share, and the choice among them.
#include "compiler/passes/Planner.h"

#include "compiler/passes/BlockPlanner.h"
#include "compiler/passes/LatencyPlanner.h"
#include "compiler/passes/MixedPlanner.h"
#include "compiler/passes/VectorPlanner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace idc;
using namespace idc::passes;

const char *passes::planName(Plan plan) { return plan == Plan::Latency ? "latency" : "throughput"; }

std::optional<Plan> passes::findPlan(llvm::StringRef name) {
  for (Plan plan : {Plan::Throughput, Plan::Latency})
    if (name == planName(plan))
      return plan;
  return std::nullopt;
}

int64_t passes::runBytes(const std::vector<int> &digitSet, const digits::AddressOrder &order, int64_t elementBytes) {
  int64_t bytes = elementBytes;
  for (int d : order) {
    if (!llvm::is_contained(digitSet, d))
      break;
    bytes *= 2;
  }
  return bytes;
}

/// Digit d as bit d of a set; sequences have at most 62 digits.
static uint64_t setOf(const std::vector<int> &digits) {
  uint64_t set = 0;
  for (int d : digits)
    set |= uint64_t(1) << d;
  return set;
}

std::vector<int> passes::digitsOfSteps(const PlanRequest &request, int first, int last) {
  uint64_t set = 0;
  for (int s = first; s <= last; ++s)
    set |= setOf(request.stepDigits[s - 1]);
  std::vector<int> digits;
  for (int d = 1; set >> d; ++d)
    if (set >> d & 1)
      digits.push_back(d);
  return digits;
}

std::vector<std::pair<int, int>> passes::groupSteps(const PlanRequest &request, int first, int last, int size) {
  std::vector<std::pair<int, int>> result;
  for (int s = first; s <= last;) {
    int e = s;
    uint64_t set = setOf(request.stepDigits[s - 1]);
    for (; e + 1 <= last; ++e) {
      set |= setOf(request.stepDigits[e]);
      if (llvm::popcount(set) > size)
        break;
    }
    result.emplace_back(s, e);
    s = e + 1;
  }
  return result;
}

std::vector<int> passes::remainingDigits(const PlanRequest &request, const std::vector<int> &held) {
  std::vector<int> digits;
  uint64_t set = setOf(held);
  for (int d = 1; d <= request.numDigits; ++d)
    if (!(set >> d & 1))
      digits.push_back(d);
  return digits;
}

bool passes::planSchedule(const PlanRequest &request, const Target &target, Schedule &schedule, std::string &error) {
  if (target.kind == "cpu")
    return planVectors(request, target, schedule, error);
  std::vector<Schedule> schedules;
  if (!request.radices.empty()) {
    schedules.emplace_back();
    if (!planMixed(request, target, schedules.back(), error))
      return false;
  } else {
    auto plan = request.plan == Plan::Throughput ? planBlocks : planLatency;
    schedules = plan(request, target, request.candidate + 1);
  }
  if (schedules.empty())
    error = "a step acts on more digits than a kernel of " + target.name + " can hold";
  else if (schedules.size() <= request.candidate)
    error = "there are only " + std::to_string(schedules.size()) + " schedules to choose from";
  else
    schedule = std::move(schedules[request.candidate]);
  return error.empty();
}
