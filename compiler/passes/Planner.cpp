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

int passes::registerDigits(const Target &target, int64_t registerBytes) {
  return std::min(usualRegisterDigits, floorLog2(4 * target.dataRegistersPerThread / registerBytes));
}

int passes::maxNodeDigits(const Target &target, int64_t registerBytes) {
  // A node a little larger than planned for still runs, from spilled registers.
  constexpr int mostOnCpu = 6;
  return target.kind == "cpu" ? mostOnCpu : registerDigits(target, registerBytes) + 1;
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

std::vector<int> passes::digitsOfBlock(const digits::Mapping &mapping) {
  using digits::Field;
  std::vector<int> held;
  for (Field field : {Field::Reg, Field::Lane, Field::Warp})
    for (const digits::Column &column : mapping[field])
      held.push_back(column.digits[0]);
  return held;
}

std::vector<int> passes::digitsOfSteps(const PlanRequest &request, int first, int last) {
  return digitsIn(request.stepDigits.ofRun(first, last));
}

int passes::countDigits(const PlanRequest &request, int first, int last) {
  return llvm::popcount(request.stepDigits.ofRun(first, last));
}

bool passes::isShortEnough(const PlanRequest &request, int first, int last, int64_t values) {
  return first >= last || request.operationsUpTo.empty() ||
         request.operationsUpTo[last] - request.operationsUpTo[first - 1] <= maxKernelOperations / values;
}

bool PlanRequest::isBegin(int step) const { return llvm::is_contained(begins, step); }

bool PlanRequest::isPossible(int first, int last) const {
  return values == 1 || (first == 1 && last == static_cast<int>(stepDigits.size()));
}

bool PlanRequest::leavesDevices(const std::vector<int> &tile) const {
  std::vector<int64_t> numbered{1}; // by some of the digits so far
  for (int d = 1; d <= numDigits + idleDigits; ++d)
    if (!llvm::is_contained(tile, d)) {
      const size_t count = numbered.size();
      for (size_t i = 0; i < count; ++i) {
        const int64_t more = numbered[i] * (d <= numDigits ? radices[static_cast<size_t>(d) - 1] : 2);
        if (devices % more == 0 && !llvm::is_contained(numbered, more))
          numbered.push_back(more);
      }
    }
  return llvm::is_contained(numbered, devices);
}

std::vector<std::pair<int, int>> passes::groupSteps(const PlanRequest &request, int first, int last, int size) {
  std::vector<std::pair<int, int>> result;
  for (int s = first, e; s <= last; s = e + 1) {
    e = last; // the step before the next one that begins with another value
    for (int begin : request.begins)
      if (begin > s)
        e = std::min(e, begin - 1);
    e = request.stepDigits.endOfRun(s, e, size);
    result.emplace_back(s, e);
  }
  return result;
}

std::optional<Ring> passes::ringOf(const PlanRequest &request, int64_t tiles, int64_t problemBytes,
                                   const Target &target) {
  constexpr int64_t slack = 8; // tiles that blocks may be behind others
  Ring ring;
  ring.cost = areBits(request) ? target.ringCost : target.mixedRingCost;
  ring.delay = tiles + target.latency.multiprocessors;
  ring.slots = std::min((ring.delay + 2 * tiles + slack - 1) / tiles, target.ringBytes / problemBytes);
  ring.delay = std::min(ring.delay, (ring.slots - 1) * tiles - slack);
  return ring.delay < tiles ? std::nullopt : std::optional(ring);
}

void passes::joinByRing(Schedule &schedule, const Ring &ring) {
  KernelPlan &first = schedule.kernels[0];
  first.ring = ring.slots;
  first.delay = ring.delay;
  schedule.kernels[1].launch = first.launch;
}

const PlanOperand *passes::operandOf(const PlanRequest &request, int first, int last) {
  const int steps = static_cast<int>(request.stepDigits.size());
  for (const PlanOperand &operand : request.operands)
    if (int step = std::min(operand.step, steps); first <= step && step <= last)
      return &operand;
  return nullptr;
}

std::vector<int> passes::remainingDigits(const PlanRequest &request, const std::vector<int> &held) {
  std::vector<int> digits;
  const DigitSet set = digitSetOf(held);
  for (int d = 1; d <= request.numDigits; ++d)
    if (!(set >> d & 1))
      digits.push_back(d);
  return digits;
}

/// The digits that no step acts on and that come highest in every order: parts of the sequence that follow each other,
/// as the problems of a batch do.
static int countIdle(const PlanRequest &request) {
  std::vector<int> acted = digitsOfSteps(request, 1, static_cast<int>(request.stepDigits.size()));
  auto isHighest = [](const digits::AddressOrder &order, int digit) {
    auto found = llvm::find(order, digit);
    return found == order.end() || found - order.begin() == digit - 1;
  };
  int count = 0;
  for (int d = request.numDigits; d > 0 && !acted.empty() && d > acted.back(); --d, ++count)
    if (!isHighest(request.loadOrder, d) || !isHighest(request.storeOrder, d) ||
        llvm::any_of(request.operands, [&](const PlanOperand &operand) { return !isHighest(operand.order, d); }))
      break;
  return count;
}

/// The same request without its idle digits.
static PlanRequest withoutIdle(PlanRequest request) {
  request.idleDigits = countIdle(request);
  request.numDigits -= request.idleDigits;
  auto cut = [&](digits::AddressOrder &order) {
    llvm::erase_if(order, [&](int digit) { return digit > request.numDigits; });
  };
  cut(request.loadOrder);
  cut(request.storeOrder);
  for (PlanOperand &operand : request.operands)
    cut(operand.order);
  return request;
}

/// Idle digits that no tile holds number the blocks.
static void addIdle(const PlanRequest &request, Schedule &schedule) {
  for (KernelPlan &kernel : schedule.kernels)
    for (int d = request.numDigits + 1; d <= request.numDigits + request.idleDigits; ++d) {
      for (RangePlan &range : kernel.ranges)
        if (digits::Place place; !range.mapping.find(d, place))
          range.mapping.push(digits::Field::Block, d);
      if (!kernel.order.empty())
        kernel.order.push_back(d);
    }
}

/// Where what waits for another value can be held as that one will be, it is: nothing is exchanged where they meet.
static void alignJoins(const PlanRequest &request, KernelPlan &kernel) {
  auto rangeOf = [&](int step) {
    return llvm::find_if(kernel.ranges, [&](const RangePlan &range) {
      return range.kind == RangePlan::Kind::Steps && range.first <= step && step <= range.last;
    });
  };
  for (const PlanJoin &join : request.joins) {
    auto made = rangeOf(join.made), taken = rangeOf(join.taken);
    auto isHeld = [&, taken = taken](int digit) {
      digits::Place place;
      return taken->mapping.find(digit, place) && place.field == digits::Field::Reg;
    };
    if (made->last == join.made && made != kernel.ranges.begin() && !request.isBegin(made->first) &&
        llvm::all_of(digitsOfSteps(request, made->first, made->last), isHeld))
      made->mapping = taken->mapping;
  }
}

bool passes::areBits(const PlanRequest &request) {
  return !request.sums && llvm::all_of(request.radices, [](int radix) { return radix == 2; });
}

/// What the planners that know such programs propose.
static void propose(const PlanRequest &request, const Target &target, CandidatePool &pool) {
  if (target.kind == "cpu")
    proposeVectors(request, target, pool);
  else if (!areBits(request))
    proposeMixed(request, target, pool);
  else if (request.plan == Plan::Latency && request.devices == 1)
    proposeLatency(request, target, pool);
  else
    proposeBlocks(request, target, pool);
}

std::vector<Candidate> passes::planCandidates(const PlanRequest &request, const Target &target, size_t count,
                                              std::string &error) {
  CandidatePool pool(count);
  const bool leavesIdle = target.kind != "cpu" && request.plan == Plan::Throughput && areBits(request);
  PlanRequest planned = leavesIdle ? withoutIdle(request) : request;
  propose(planned, target, pool);
  std::vector<Candidate> candidates = pool.take();
  if (candidates.empty() && planned.devices > 1) { // too short to be divided: every device does it
    CandidatePool whole(count);
    planned.devices = 1;
    propose(planned, target, whole);
    candidates = whole.take();
  }
  for (Candidate &candidate : candidates) {
    if (planned.values > 1)
      alignJoins(planned, candidate.schedule.kernels.front());
    addIdle(planned, candidate.schedule);
  }
  if (candidates.empty())
    error = "a step acts on more digits than a kernel of " + target.name + " can hold";
  return candidates;
}

bool passes::planSchedule(const PlanRequest &request, const Target &target, Schedule &schedule, std::string &error) {
  std::vector<Candidate> candidates = planCandidates(request, target, 1, error);
  if (!candidates.empty())
    schedule = std::move(candidates.front().schedule);
  return !candidates.empty();
}
