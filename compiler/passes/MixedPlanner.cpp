// Plans of one kernel for digits of any radices.
//
// Passes are consecutive steps whose digits together have at most so many values; the bound is the one with the least
// cost: passes times the values of a thread, over the problems that a multiprocessor holds then. A pass with fewer
// values takes further digits into its registers, slowest addresses first, as passes of one size keep all threads busy.
// Where the first pass holds the lowest digit of the input in registers, or the last one that of the output, a range of
// its own loads or stores.
#include "compiler/passes/MixedPlanner.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <optional>

using namespace idc;
using namespace idc::passes;
using digits::AddressOrder;
using digits::Field;
using digits::Mapping;

namespace {

class MixedPlanner {
public:
  MixedPlanner(const PlanRequest &request, const Target &target) : request(request), target(target) {
    for (int radix : request.radices)
      elements *= radix;
  }

  bool run(Schedule &schedule, std::string &error) const {
    int64_t most = std::max<int64_t>(2, 4 * target.dataRegistersPerThread / request.registerBytes);
    for (size_t s = 1; s <= request.stepDigits.size(); ++s)
      most = std::max(most, valuesOf(digitsOfSteps(request, static_cast<int>(s), static_cast<int>(s))));
    std::optional<double> leastCost;
    KernelPlan best;
    // Passes that would leave more threads than a block has take more values than planned for, from spilled registers.
    for (int64_t size = 2; size <= most || (!leastCost && size <= elements); ++size) {
      KernelPlan plan = planWith(size);
      std::optional<double> cost = costOf(plan);
      if (!cost || (leastCost && *cost >= *leastCost))
        continue;
      leastCost = cost;
      best = std::move(plan);
    }
    if (!leastCost) {
      error = "a problem of " + std::to_string(elements) + " elements does not fit a block of " + target.name;
      return false;
    }
    schedule.kernels.push_back(std::move(best));
    return true;
  }

private:
  const PlanRequest &request;
  const Target &target;
  int64_t elements = 1;

  int radix(int digit) const { return request.radices[digit - 1]; }
  int64_t valuesOf(const std::vector<int> &digits) const {
    int64_t values = 1;
    for (int digit : digits)
      values *= radix(digit);
    return values;
  }

  /// Nothing where a problem has more threads than a block.
  std::optional<double> costOf(const KernelPlan &plan) const {
    int64_t threads = 1, values = 1;
    for (const RangePlan &range : plan.ranges) {
      threads = std::max(threads, range.mapping.numThreads());
      values = std::max(values, range.mapping.extent(Field::Reg));
    }
    if (threads > target.maxThreadsPerBlock)
      return std::nullopt;
    int64_t problems = std::max<int64_t>(1, target.flatThreads / threads);
    int64_t blocks =
        target.residentBlocks(problems * threads, target.registersBeside(values * request.registerBytes / 4),
                              problems * elements * request.registerBytes);
    // Fitted to measured kernels: what a pass takes beside its values; and blocks wait at their barriers, loads and
    // stores, where others take their place.
    constexpr double perPass = 9;
    return static_cast<double>(plan.ranges.size()) * (static_cast<double>(values) + perPass) /
           static_cast<double>(problems * blocks) * (1 + 1 / static_cast<double>(blocks));
  }

  /// Passes of at most `size` values, a step with more alone.
  KernelPlan planWith(int64_t size) const {
    KernelPlan plan;
    int steps = static_cast<int>(request.stepDigits.size());
    for (int first = 1, last; first <= steps; first = last + 1) {
      for (last = first; last < steps && valuesOf(digitsOfSteps(request, first, last + 1)) <= size;)
        ++last;
      RangePlan range;
      range.first = first;
      range.last = last;
      range.mapping =
          mappingOf(digitsOfSteps(request, first, last), size, first == 1 ? request.loadOrder : request.storeOrder);
      plan.ranges.push_back(range);
    }
    auto holdsLowest = [](const RangePlan &range, const AddressOrder &order) {
      digits::Place place;
      return !order.empty() && range.mapping.find(order.front(), place) && place.field == Field::Reg &&
             range.mapping.numThreads() > 1;
    };
    auto memoryRange = [&](RangePlan::Kind kind, const AddressOrder &order) {
      RangePlan range;
      range.kind = kind;
      range.mapping = mappingOf({}, size, order);
      return range;
    };
    if (steps == 0 || holdsLowest(plan.ranges.front(), request.loadOrder))
      plan.ranges.insert(plan.ranges.begin(), memoryRange(RangePlan::Kind::Load, request.loadOrder));
    if (steps == 0 || holdsLowest(plan.ranges.back(), request.storeOrder))
      plan.ranges.push_back(memoryRange(RangePlan::Kind::Store, request.storeOrder));
    return plan;
  }

  /// The given digits in registers, then as many more as keep their values within `size`, slowest addresses first but
  /// for the fastest; threads the rest, fastest first.
  Mapping mappingOf(std::vector<int> registers, int64_t size, const AddressOrder &order) const {
    for (size_t i = order.size(); i-- > 1;)
      if (!llvm::is_contained(registers, order[i]) && valuesOf(registers) * radix(order[i]) <= size)
        registers.push_back(order[i]);
    Mapping mapping;
    for (int digit : registers)
      mapping.push(Field::Reg, digit, radix(digit));
    for (int digit : order)
      if (!llvm::is_contained(registers, digit))
        mapping.push(Field::Lane, digit, radix(digit));
    mapping.splitThreads(target.lanes);
    return mapping;
  }
};

} // namespace

bool passes::planMixed(const PlanRequest &request, const Target &target, Schedule &schedule, std::string &error) {
  return MixedPlanner(request, target).run(schedule, error);
}
