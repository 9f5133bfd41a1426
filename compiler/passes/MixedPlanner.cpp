// Plans for digits of any radices.
//
// 1. Kernels. The steps are cut into as many kernels as their digits' tiles need; a tile is the digits of its steps and
//    the lowest ones of the addresses at which it is loaded and stored, in every number that a block has room for. What
//    lies between two kernels has the digits that both tiles hold at its lowest addresses, then the rest of the
//    consumer's tile, so that it is read linearly and written in runs. A kernel costs what a copy does, longer by its
//    runs and by what it waits for its own threads; both overlap, hence the root of the squares.
// 2. Passes are consecutive steps whose digits together have at most so many values; the bound is the one with the least
//    cost: passes over what a multiprocessor's warps and blocks hide of their waiting. A pass with fewer
//    values takes further digits into its registers, slowest addresses first, as passes of one size keep all threads
//    busy. Where the first pass holds the lowest digit of what it loads in registers, or the last one that of what it
//    stores, a range of its own loads or stores.
#include "compiler/passes/MixedPlanner.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

using namespace idc;
using namespace idc::passes;
using digits::AddressOrder;
using digits::Field;
using digits::Mapping;

namespace {

/// What a block loads, or stores: the order of its addresses, low first, and the bytes of an element.
struct Side {
  AddressOrder order;
  int64_t bytes;
};

/// Steps of one kernel, the digits of its tile, and the bound of its passes' values; 0: the best one.
struct Kernel {
  int first, last;
  std::vector<int> tile;
  int64_t size = 0;
};

class MixedPlanner {
public:
  MixedPlanner(const PlanRequest &request, const Target &target)
      : request(request), target(target), steps(static_cast<int>(request.stepDigits.size())) {
    for (int digit = 1; digit <= request.numDigits; ++digit)
      all.push_back(digit);
    for (int first = 1; first <= steps; ++first)
      for (int last = first; last <= steps; ++last) {
        std::vector<std::vector<int>> tiles = tilesOf(first, last);
        if (tiles.empty())
          break; // more steps have none either
        candidates[{first, last}] = std::move(tiles);
      }
  }

  std::vector<Schedule> run(size_t count) {
    if (bytesOf(all) <= mostTileBytes() && isShortEnough(request, 1, steps, usualValues()))
      singles();
    if (plans.empty()) {
      pairs();
      sequences();
    }
    llvm::stable_sort(plans, [](const Planned &a, const Planned &b) { return a.cost < b.cost; });
    std::vector<Schedule> best;
    std::vector<std::string> known;
    for (Planned &plan : plans) {
      if (best.size() == count)
        break;
      Schedule schedule = scheduleOf(plan.kernels);
      std::string text = printSchedule(schedule, "", "", "");
      if (!llvm::is_contained(known, text))
        best.push_back(std::move(schedule));
      known.push_back(std::move(text));
    }
    return best;
  }

private:
  struct Planned {
    double cost;
    std::vector<Kernel> kernels;
  };
  /// The passes of a kernel and what they cost, in a unit of their own.
  struct Passes {
    KernelPlan plan;
    double cost = 0;
  };

  const PlanRequest &request;
  const Target &target;
  const int steps;
  std::vector<int> all;
  std::map<std::pair<int, int>, std::vector<std::vector<int>>> candidates; // tiles of the steps first … last
  std::map<std::pair<int, std::vector<int>>, double> waits;                // of the first step and tile
  std::vector<Planned> plans;

  int radix(int digit) const { return request.radices[digit - 1]; }
  int64_t valuesOf(const std::vector<int> &digits) const {
    int64_t values = 1;
    for (int digit : digits)
      values *= radix(digit);
    return values;
  }
  int64_t bytesOf(const std::vector<int> &digits) const { return valuesOf(digits) * request.registerBytes; }
  /// A block of the largest tiles has its multiprocessor for itself.
  int64_t mostTileBytes() const { return std::max(target.sharedBytesBesideCache, target.maxMixedBytes); }

  //===--- kernels ------------------------------------------------------------------------------------------------===//

  /// The digits of the steps with the lowest ones of input and output, as many of each as a tile has room for.
  std::vector<std::vector<int>> tilesOf(int first, int last) const {
    std::vector<std::vector<int>> tiles;
    const std::vector<int> own = digitsOfSteps(request, first, last);
    auto addLowest = [&](std::vector<int> tile, const AddressOrder &order) {
      std::vector<std::vector<int>> grown{tile};
      for (int digit : order) {
        if (llvm::is_contained(tile, digit))
          continue;
        tile.push_back(digit);
        if (bytesOf(tile) > target.maxTileBytes)
          break;
        grown.push_back(tile);
      }
      return grown;
    };
    if (bytesOf(own) > target.maxMixedBytes || !isShortEnough(request, first, last, usualValues()))
      return tiles;
    for (const std::vector<int> &loaded : addLowest(own, request.loadOrder))
      for (std::vector<int> &tile : addLowest(loaded, request.storeOrder)) {
        llvm::sort(tile);
        if (!llvm::is_contained(tiles, tile))
          tiles.push_back(std::move(tile));
      }
    return tiles;
  }

  /// All ways to do the steps in one kernel, which differ in the values of passes.
  void singles() {
    const Side load{request.loadOrder, request.loadBytes}, store{request.storeOrder, request.storeBytes};
    const int64_t best = passesOf({1, steps, all}, load, store) ? mostValues(1, steps) : valuesOf(all);
    for (int64_t size = 2; size <= best; ++size) {
      if (std::optional<Passes> passes = passesOf({1, steps, all, size}, load, store))
        plans.push_back({passes->cost, {{1, steps, all, size}}});
    }
  }

  /// All ways to do the steps in two kernels.
  void pairs() {
    for (int last = 1; last < steps; ++last)
      for (const std::vector<int> &producer : candidates[{1, last}])
        for (const std::vector<int> &consumer : candidates[{last + 1, steps}])
          add({{1, last, producer}, {last + 1, steps, consumer}});
  }

  /// The cheapest of all ways, by dynamic programming from the last kernel on: what a kernel costs depends on itself and
  /// on the one that reads what it stores.
  void sequences() {
    std::map<int, std::vector<Planned>> from; // first step -> the best ways to go on, one for each first kernel
    for (int first = steps; first >= 1; --first)
      for (int last = first; last <= steps; ++last)
        for (const std::vector<int> &tile : candidates[{first, last}]) {
          const Kernel own{first, last, tile};
          std::optional<double> wait = waitOf(own);
          if (!wait)
            continue;
          if (last == steps) {
            from[first].push_back({costOf(own, nullptr, *wait), {own}});
            continue;
          }
          const Planned *best = nullptr;
          double least = 0;
          for (const Planned &rest : from[last + 1])
            if (double cost = rest.cost + costOf(own, &rest.kernels.front(), *wait); !best || cost < least)
              best = &rest, least = cost;
          if (!best)
            continue;
          Planned whole{least, {own}};
          llvm::append_range(whole.kernels, best->kernels);
          from[first].push_back(std::move(whole));
        }
    llvm::append_range(plans, from[1]);
  }

  void add(const std::vector<Kernel> &kernels) {
    double cost = 0;
    for (size_t k = 0; k < kernels.size(); ++k) {
      std::optional<double> wait = waitOf(kernels[k]);
      if (!wait)
        return;
      cost += costOf(kernels[k], k + 1 < kernels.size() ? &kernels[k + 1] : nullptr, *wait);
    }
    plans.push_back({cost, kernels});
  }

  /// In copies; `next`: the kernel that reads what this one stores, null for the last one.
  double costOf(const Kernel &kernel, const Kernel *next, double wait) const {
    return 1 + std::hypot(runCost(kernel, next) - 1, wait);
  }

  /// The bytes that follow each other of what a tile holds of a side.
  int64_t runOf(const std::vector<int> &tile, const Side &side) const {
    int64_t bytes = side.bytes;
    for (int digit : side.order) {
      if (!llvm::is_contained(tile, digit))
        break;
      bytes *= radix(digit);
    }
    return bytes;
  }

  /// Mean cost of the runs of load and store; runs that are no multiple of a sector begin and end within one.
  double runCost(const Kernel &kernel, const Kernel *next) const {
    if (kernel.tile.size() == all.size())
      return 1;
    auto costOf = [&](const RunCosts &costs, int64_t run, int64_t bytes) {
      const int64_t common = std::gcd(run, target.sectorBytes);
      double sectors = 1 + static_cast<double>(target.sectorBytes - common) / static_cast<double>(run);
      return sectors * costs.at(run, bytes * valuesOf(all));
    };
    double load = 1; // what lies between two kernels is in the order of its consumer
    if (kernel.first == 1)
      load = costOf(target.loadRunCost, runOf(kernel.tile, {request.loadOrder, request.loadBytes}), request.loadBytes);
    Side store{request.storeOrder, request.storeBytes};
    if (next)
      store = {between(kernel.tile, next->tile), request.elementBytes};
    return (load + costOf(target.storeRunCost, runOf(kernel.tile, store), store.bytes)) / 2;
  }

  /// The address order of a value between two kernels.
  AddressOrder between(const std::vector<int> &producer, const std::vector<int> &consumer) const {
    AddressOrder order;
    auto append = [&](llvm::function_ref<bool(int)> wanted) {
      for (int digit : all)
        if (wanted(digit) && !llvm::is_contained(order, digit))
          order.push_back(digit);
    };
    append([&](int digit) { return llvm::is_contained(producer, digit) && llvm::is_contained(consumer, digit); });
    append([&](int digit) { return llvm::is_contained(consumer, digit); });
    append([](int) { return true; });
    return order;
  }

  /// What a kernel waits for its threads, over the time of a copy; nothing where a block has not as many.
  std::optional<double> waitOf(const Kernel &kernel) {
    auto [known, fresh] = waits.try_emplace({kernel.first * (steps + 1) + kernel.last, kernel.tile}, -1);
    if (fresh)
      if (std::optional<Passes> passes = passesOf(kernel, {request.loadOrder, request.loadBytes},
                                                  {request.storeOrder, request.storeBytes})) {
        constexpr double least = 0.01, free = 3, perUnit = 0.25; // fitted, too
        known->second = std::max(least, perUnit * (passes->cost - free));
      }
    return known->second < 0 ? std::nullopt : std::optional(known->second);
  }

  Schedule scheduleOf(const std::vector<Kernel> &kernels) const {
    Schedule schedule;
    Side load{request.loadOrder, request.loadBytes};
    for (size_t k = 0; k < kernels.size(); ++k) {
      Side store{request.storeOrder, request.storeBytes};
      const bool last = k + 1 == kernels.size();
      if (!last)
        store = {between(kernels[k].tile, kernels[k + 1].tile), request.elementBytes};
      KernelPlan plan = passesOf(kernels[k], load, store)->plan;
      if (!last)
        plan.order = store.order;
      plan.launch.dependent = k > 0 && target.dependentLaunch;
      addBlocks(plan, kernels[k].tile, runOf(kernels[k].tile, load) < runOf(kernels[k].tile, store) ? load : store);
      schedule.kernels.push_back(std::move(plan));
      load = store;
    }
    return schedule;
  }

  /// What a tile does not hold numbers the blocks; neighbours follow each other on the side with the shorter runs.
  void addBlocks(KernelPlan &plan, const std::vector<int> &tile, const Side &side) const {
    for (RangePlan &range : plan.ranges)
      for (int digit : side.order)
        if (!llvm::is_contained(tile, digit))
          range.mapping.push(Field::Block, digit, radix(digit));
  }

  //===--- passes -------------------------------------------------------------------------------------------------===//

  /// The cheapest passes of a kernel; nothing where a block has not as many threads.
  std::optional<Passes> passesOf(const Kernel &kernel, const Side &load, const Side &store) const {
    const int64_t elements = valuesOf(kernel.tile), most = mostValues(kernel.first, kernel.last);
    std::optional<Passes> best;
    // Passes that would leave more threads than a block has take more values than planned for, from spilled registers.
    const int64_t spilled = std::max(most, 4 * elements / target.maxThreadsPerBlock);
    for (int64_t size = kernel.size ? kernel.size : 2;
         kernel.size ? size == kernel.size : size <= most || (!best && size <= spilled); ++size) {
      Passes passes{passesOf(kernel, size, load.order, store.order)};
      std::optional<double> cost = costOf(passes.plan, elements);
      if (!cost || (best && *cost >= best->cost))
        continue;
      passes.cost = *cost;
      best = std::move(passes);
    }
    return best;
  }

  /// Values of a thread that its registers have room for.
  int64_t usualValues() const {
    return std::max<int64_t>(2, 4 * target.dataRegistersPerThread / request.registerBytes);
  }

  /// Values of a thread that its registers have room for, or that a step of these acts on.
  int64_t mostValues(int first, int last) const {
    int64_t most = usualValues();
    for (int s = first; s <= last; ++s)
      most = std::max(most, valuesOf(digitsOfSteps(request, s, s)));
    return most;
  }

  /// Nothing where a tile has more threads than a block, or a block has no room for it.
  std::optional<double> costOf(const KernelPlan &plan, int64_t elements) const {
    int64_t threads = 1, values = 1;
    for (const RangePlan &range : plan.ranges) {
      threads = std::max(threads, range.mapping.numThreads());
      values = std::max(values, range.mapping.extent(Field::Reg));
    }
    // A pass between two others reads one tile and writes the next, into the same memory where all threads meet between.
    bool two = false;
    for (size_t i = 1; i + 1 < plan.ranges.size(); ++i)
      two |= plan.ranges[i].mapping.numThreads() != threads;
    constexpr double padding = 1.05;
    const auto bytes = static_cast<int64_t>(padding * static_cast<double>((two ? 2 : 1) * elements * request.registerBytes));
    if (threads > target.maxThreadsPerBlock || bytes > target.sharedBytesPerBlock)
      return std::nullopt;
    const int64_t problems = std::max<int64_t>(1, std::min(target.flatThreads / threads, target.tileBytes / bytes));
    // Fitted to 331 measured kernels of Fourier transforms of 60 to 12288 points, of which the choice is within 1.5 % of
    // the best of each length in the mean: registers beside a thread's data; passes, the accesses to memory being two;
    // warps hide waiting, and blocks that of others at their barriers.
    constexpr double perRegister = 1.75, hidden = 0.2, alone = 0.5;
    constexpr int64_t ownRegisters = 12, fewest = 32;
    const auto beside = static_cast<int64_t>(perRegister * static_cast<double>(values * request.registerBytes / 4));
    const int64_t registers = std::max<int64_t>(fewest, llvm::alignTo(ownRegisters + beside, 8)),
                  blocks = target.residentBlocks(problems * threads, registers, problems * bytes);
    const double warps = static_cast<double>(blocks * problems * threads) / static_cast<double>(target.lanes);
    return static_cast<double>(plan.ranges.size() + 2) / std::pow(warps, hidden) *
           (1 + alone / static_cast<double>(blocks));
  }

  /// Passes of at most `size` values, a step with more alone.
  KernelPlan passesOf(const Kernel &kernel, int64_t size, const AddressOrder &load, const AddressOrder &store) const {
    KernelPlan plan;
    for (int first = kernel.first, last; first <= kernel.last; first = last + 1) {
      for (last = first; last < kernel.last && valuesOf(digitsOfSteps(request, first, last + 1)) <= size;)
        ++last;
      RangePlan range;
      range.first = first;
      range.last = last;
      range.mapping =
          mappingOf(kernel.tile, digitsOfSteps(request, first, last), size, first == kernel.first ? load : store);
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
      range.mapping = mappingOf(kernel.tile, {}, size, order);
      return range;
    };
    if (plan.ranges.empty() || holdsLowest(plan.ranges.front(), load))
      plan.ranges.insert(plan.ranges.begin(), memoryRange(RangePlan::Kind::Load, load));
    if (steps == 0 || holdsLowest(plan.ranges.back(), store))
      plan.ranges.push_back(memoryRange(RangePlan::Kind::Store, store));
    return plan;
  }

  /// The given digits in registers, then as many more of the tile as keep their values within `size`, slowest addresses
  /// first but for the fastest; threads the rest of it, fastest first.
  Mapping mappingOf(const std::vector<int> &tile, std::vector<int> registers, int64_t size,
                    const AddressOrder &addresses) const {
    AddressOrder order;
    llvm::copy_if(addresses, std::back_inserter(order), [&](int digit) { return llvm::is_contained(tile, digit); });
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

std::vector<Schedule> passes::planMixed(const PlanRequest &request, const Target &target, size_t count,
                                        std::string &error) {
  std::vector<Schedule> schedules = MixedPlanner(request, target).run(count);
  if (schedules.empty())
    error = "a step acts on more values than a block of " + target.name + " can hold";
  return schedules;
}
