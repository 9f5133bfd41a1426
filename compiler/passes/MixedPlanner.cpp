// Plans for digits of any radices.
//
// 1. Kernels. The steps are cut into as many kernels as their digits' tiles need; a tile is the digits of its steps and
//    the lowest ones of the addresses at which it is loaded and stored, in every number that a block has room for. What
//    lies between two kernels has the digits that both tiles hold at its lowest addresses, then the rest of the
//    consumer's tile, so that it is read linearly and written in runs. A whole problem may be held by a cluster of any
//    number of blocks, with one exchange between them, or forth and back. A kernel costs what a copy does, longer by
//    its runs and by what it waits for its own threads; both overlap, hence the root of the squares.
//    Two kernels with tiles of equal size are proposed as two passes with a ring between them, too.
// 2. Passes are consecutive steps whose digits together have at most so many values; the bound is the one with the
//    least cost: passes over what a multiprocessor's warps and blocks hide of their waiting. A pass with fewer values
//    takes further digits into its registers, slowest addresses first, as passes of one size keep all threads busy.
//    Where the first pass holds the lowest digit of what it loads in registers, or the last one that of what it stores,
//    a range of its own loads or stores; a block whose threads hold whole problems stages them.
#include "compiler/passes/MixedPlanner.h"

#include "compiler/passes/TileMappings.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>

using namespace idc;
using namespace idc::passes;
using digits::AddressOrder;
using digits::Field;
using digits::Mapping;

namespace {

/// Steps of one kernel, the digits of its tile, the blocks of a cluster that hold it together, the bound of its passes'
/// values, 0 for the best one, and how clusters come to their problems.
struct Kernel {
  int first, last;
  std::vector<int> tile;
  int64_t blocks = 1;
  int64_t size = 0;
  bool drawn = false; // clusters draw their problems
};

class MixedPlanner {
public:
  MixedPlanner(const PlanRequest &request, const Target &target)
      : request(request), target(target), steps(static_cast<int>(request.stepDigits.size())) {
    for (int digit = 1; digit <= request.numDigits; ++digit)
      all.push_back(digit);
    products = productsOf(request.radices);
    for (int step = 1; step <= steps; ++step)
      if (step == 1 || request.isBegin(step) ||
          digitsOfSteps(request, step, step) != digitsOfSteps(request, step - 1, step - 1) ||
          !isShortEnough(request, begins.back(), step, usualValues()))
        begins.push_back(step);
    begins.push_back(steps + 1);
    for (size_t i = 0; i < begins.size(); ++i)
      for (size_t next = i + 1; next < begins.size(); ++next) {
        const int first = begins[i], last = begins[next] - 1;
        std::vector<std::vector<int>> tiles = tilesOf(first, last);
        if (tiles.empty())
          break; // more steps have none either
        candidates[{first, last}] = std::move(tiles);
      }
  }

  void run(CandidatePool &pool) {
    if (request.devices == 1 && isShortEnough(request, 1, steps, usualValues()))
      singles();
    if (request.values == 1 && (request.devices > 1 || bytesOf(all) > mostTileBytes() || plans.empty())) {
      pairs();
      sequences();
    }
    llvm::stable_sort(plans, [](const Planned &a, const Planned &b) { return a.cost < b.cost; });
    for (const Planned &plan : plans) {
      if (pool.isFullFor(plan.cost))
        break;
      Schedule schedule = scheduleOf(plan.kernels);
      if (plan.ring)
        joinByRing(schedule, *plan.ring);
      pool.add({std::move(schedule), {plan.cost, "copies", costsOf(plan.kernels)}});
    }
  }

private:
  struct Planned {
    double cost;
    std::vector<Kernel> kernels;
    std::optional<Ring> ring = {}; // between two of them
  };
  /// What is counted of a kernel's passes.
  struct Counts {
    double ranges = 0, warps = 0, blocks = 0; // the latter of a multiprocessor
    double idle = 0;                          // threads over those that work, of all ranges together
    double asked = 0;                         // registers over those that there are
    double together = 1;                      // blocks of a cluster
    double drawn = 0;                         // 1: clusters draw their problems
  };
  /// The passes of a kernel and what they cost, in a unit of their own.
  struct Passes {
    KernelPlan plan;
    Counts counts = {};
    double cost = 0;
  };

  const PlanRequest &request;
  const Target &target;
  const int steps;
  std::vector<int> all;
  std::vector<int64_t> products; // the numbers of values that digits have together, ascending, and what none has
  /// Steps that kernels may begin with: those that act on other digits than the one before, as a kernel that ends
  /// between two of the same could have both; but for runs that no kernel can have whole. Then the one behind the last.
  std::vector<int> begins;
  std::map<std::pair<int, int>, std::vector<std::vector<int>>> candidates; // tiles of the steps first … last
  /// What a kernel waits for its threads, over the time of a copy, with so many blocks on a multiprocessor.
  struct Wait {
    double cost, blocks;
  };
  std::map<std::pair<int, std::vector<int>>, std::optional<Wait>> waits; // of the run's number and the tile
  /// Numbers of runs of steps, equal for those that act on the same digits one after the other: by the number of the
  /// run without its last step, 0 for that of none, and the digits of that.
  std::map<std::pair<int, DigitSet>, int> runNumbers;
  std::vector<Planned> plans;

  int radix(int digit) const { return request.radices[digit - 1]; }
  int64_t valuesOf(const std::vector<int> &digits) const {
    int64_t values = 1;
    for (int digit : digits)
      values *= radix(digit);
    return values;
  }
  static std::vector<int64_t> productsOf(llvm::ArrayRef<int> radices) {
    constexpr int64_t most = 1 << 16; // more than a block has
    std::set<int64_t> found{1};
    for (int radix : radices)
      for (int64_t product : std::vector<int64_t>(found.begin(), found.end()))
        if (product * radix <= most)
          found.insert(product * radix);
    std::vector<int64_t> all(found.begin(), found.end());
    all.push_back(std::numeric_limits<int64_t>::max());
    return all;
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
        if (!llvm::is_contained(tiles, tile) && (request.devices == 1 || request.leavesDevices(tile)))
          tiles.push_back(std::move(tile));
      }
    return tiles;
  }

  /// All ways to do the steps in one kernel, which differ in the blocks of a cluster and in the values of passes.
  void singles() {
    const Side load{request.loadOrder, request.loadBytes}, store{request.storeOrder, request.storeBytes};
    for (int64_t blocks = 1; blocks <= (request.values == 1 ? target.maxCluster : 1); ++blocks) {
      Kernel kernel{1, steps, all, blocks};
      if (bytesOf(all) > blocks * mostTileBytes() || valuesOf(all) % blocks != 0)
        continue;
      // Where a block has no such passes some with more values, from spilled registers.
      int64_t most = blocks > 1 || passesOf(kernel, load, store) ? mostValues(1, steps) : valuesOf(all);
      if (bytesOf(all) > target.tileBytes)
        most = std::max(most, wideValues());
      // A few more than a step has, so that others together have as many.
      most = std::max(most, largestStep(1, steps) * 5 / 4);
      auto propose = [&](int64_t size) {
        kernel.size = size;
        for (bool drawn : {false, true}) {
          if (drawn && (blocks == 1 || request.elementBytes > sentBytes))
            continue;
          kernel.drawn = drawn;
          if (std::optional<Passes> passes = passesOf(kernel, load, store))
            plans.push_back({costOf(singleRunCost(*passes, load, store), waitOf(*passes)), {kernel}});
        }
      };
      for (int64_t size = 2; size <= most; ++size)
        propose(size);
      // Nothing is exchanged where a thread holds a whole problem, in up to half of the registers that there are.
      constexpr int64_t wholeWords = 128;
      if (blocks == 1 && valuesOf(all) > most && 4 * wholeWords >= valuesOf(all) * request.heldBytes())
        propose(valuesOf(all));
    }
  }

  double singleRunCost(const Passes &passes, const Side &load, const Side &store) const {
    const RangePlan &first = passes.plan.ranges.front(), &last = passes.plan.ranges.back();
    return runCost(digitsOfBlock(first.mapping), load, digitsOfBlock(last.mapping), store) *
           (sectorsAgain(first, load) + sectorsAgain(last, store)) / 2;
  }

  /// The sectors that an access of threads which follow each other touches, over those that it fills, where it ends
  /// within a problem.
  double sectorsAgain(const RangePlan &range, const Side &side) const {
    int64_t run = side.elementBytes;
    if (range.staged)
      return 1;
    for (int digit : side.order) {
      digits::Place place;
      if (!range.mapping.find(digit, place) || place.field == Field::Reg)
        return sectorsOf(run);
      run *= radix(digit);
    }
    return 1;
  }

  /// All ways to do the steps in two kernels.
  void pairs() {
    for (int next : begins)
      for (const std::vector<int> &producer : candidates[{1, next - 1}])
        for (const std::vector<int> &consumer : candidates[{next, steps}])
          add({{1, next - 1, producer}, {next, steps, consumer}});
  }

  /// Kernels from one on, the best ones that go on from it.
  struct Way {
    double cost;
    Kernel kernel;
    int tile; // its number
    const Way *next;
  };

  /// The cheapest of all ways, by dynamic programming from the last kernel on: what a kernel costs depends on itself
  /// and on the tile of the one that reads what it stores. So of the ways from a step on the cheapest one of each tile
  /// is kept, and what two tiles cost beside each other is counted once: the time is that of the steps times the
  /// kernels that can begin with one.
  void sequences() {
    std::vector<std::deque<Way>> from(static_cast<size_t>(steps) + 2); // by first step
    std::map<std::vector<int>, int> numbers;                           // of tiles
    std::map<std::pair<int, int>, double> runs;                        // of two tiles, the first not of the first step
    auto runsOf = [&](const Kernel &own, int tile, const Way &next) {
      if (own.first == 1)
        return runCost(own, &next.kernel);
      auto [known, fresh] = runs.try_emplace({tile, next.tile}, 0);
      if (fresh)
        known->second = runCost(own, &next.kernel);
      return known->second;
    };
    for (size_t begin = begins.size(); begin-- > 0;) {
      const int first = begins[begin];
      std::vector<Way> ways;
      std::map<int, size_t> best; // by tile: its place among them
      for (size_t next = begin + 1; next < begins.size(); ++next) {
        const int last = begins[next] - 1;
        const std::vector<std::vector<int>> &tiles = candidates[{first, last}];
        if (tiles.empty())
          break; // more steps have none either
        for (const std::vector<int> &tile : tiles) {
          const Kernel own{first, last, tile};
          std::optional<Wait> wait = waitOf(own);
          if (!wait)
            continue;
          const int number = numbers.try_emplace(tile, static_cast<int>(numbers.size())).first->second;
          Way way{0, own, number, nullptr};
          if (last == steps)
            way.cost = costOf(own, nullptr, wait->cost);
          else
            for (const Way &rest : from[static_cast<size_t>(last) + 1])
              if (double cost = rest.cost + costOf(runsOf(own, number, rest), wait->cost); !way.next || cost < way.cost)
                way.next = &rest, way.cost = cost;
          if (last < steps && !way.next)
            continue;
          if (auto [place, fresh] = best.try_emplace(number, ways.size());
              !fresh && way.cost < ways[place->second].cost)
            place->second = ways.size();
          ways.push_back(std::move(way));
        }
      }
      for (size_t i = 0; i < ways.size(); ++i)
        if (first == 1 || best[ways[i].tile] == i)
          from[static_cast<size_t>(first)].push_back(std::move(ways[i]));
    }
    for (const Way &way : from[1]) {
      plans.push_back({way.cost, {}});
      for (const Way *kernel = &way; kernel; kernel = kernel->next)
        plans.back().kernels.push_back(kernel->kernel);
    }
  }

  /// Kernels, and the same as passes of one with a ring between them where their tiles have the same size.
  void add(const std::vector<Kernel> &kernels) {
    double cost = 0;
    bool alone = false;
    for (size_t k = 0; k < kernels.size(); ++k) {
      const std::optional<Wait> wait = waitOf(kernels[k]);
      if (!wait)
        return;
      cost += costOf(kernels[k], k + 1 < kernels.size() ? &kernels[k + 1] : nullptr, wait->cost);
      alone |= wait->blocks < 2;
    }
    plans.push_back({cost, kernels});
    // As passes with a ring they come behind where the target's factor is 1, for tuning. A block that waits for a tile
    // would leave a multiprocessor idle that it has for itself.
    const int64_t tiles = valuesOf(all) / valuesOf(kernels[0].tile);
    if (alone || request.devices > 1 || !request.operands.empty() || request.idleDigits ||
        valuesOf(kernels[0].tile) != valuesOf(kernels[1].tile))
      return;
    if (std::optional<Ring> ring = ringOf(request, tiles, valuesOf(all) * request.elementBytes, target))
      plans.push_back({cost * ring->cost, kernels, ring});
  }

  /// In copies; `next`: the kernel that reads what this one stores, null for the last one.
  double costOf(const Kernel &kernel, const Kernel *next, double wait) const {
    return costOf(runCost(kernel, next), wait);
  }
  double costOf(double runs, double wait) const { return 1 + std::hypot(target.passes.runs * (runs - 1), wait); }

  /// The bytes that follow each other of what a tile holds of a side.
  int64_t runOf(const std::vector<int> &tile, const Side &side) const {
    int64_t bytes = side.elementBytes;
    for (int digit : side.order) {
      if (!llvm::is_contained(tile, digit))
        break;
      bytes *= radix(digit);
    }
    return bytes;
  }

  /// Mean cost of the runs of load and store.
  double runCost(const Kernel &kernel, const Kernel *next) const {
    Side store{request.storeOrder, request.storeBytes};
    if (next)
      store = {between(kernel.tile, next->tile), request.elementBytes};
    // What lies between two kernels is in the order of its consumer.
    return runCost(kernel.first == 1 ? kernel.tile : all, {request.loadOrder, request.loadBytes}, kernel.tile, store);
  }

  /// The same of blocks that hold some digits when they load, some when they store.
  double runCost(const std::vector<int> &loaded, const Side &load, const std::vector<int> &stored,
                 const Side &store) const {
    return (accessCost(target.loadRunCost, loaded, load) + accessCost(target.storeRunCost, stored, store)) / 2;
  }

  /// The sectors that runs of so many bytes touch, over those that they fill: one that is no multiple of a sector
  /// begins and ends within one.
  double sectorsOf(int64_t run) const {
    const int64_t common = std::gcd(run, target.sectorBytes);
    return 1 + static_cast<double>(target.sectorBytes - common) / static_cast<double>(run);
  }

  double accessCost(const RunCosts &costs, const std::vector<int> &held, const Side &side) const {
    if (held.size() == all.size())
      return 1;
    const int64_t run = runOf(held, side);
    return sectorsOf(run) * costs.at(run, side.elementBytes * valuesOf(all));
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

  /// What a kernel waits for its threads, over the time of a copy; nothing where a block has not as many. It depends on
  /// the digits of the steps, not on which steps they are: most programs do the same again and again.
  std::optional<Wait> waitOf(const Kernel &kernel) {
    auto [known, fresh] = waits.try_emplace({numberOf(kernel.first, kernel.last), kernel.tile});
    if (fresh)
      if (std::optional<Passes> passes =
              passesOf(kernel, {request.loadOrder, request.loadBytes}, {request.storeOrder, request.storeBytes}))
        known->second = Wait{waitOf(*passes), passes->counts.blocks};
    return known->second;
  }
  /// The number of a run of steps.
  int numberOf(int first, int last) {
    int number = 0;
    for (int step = first; step <= last; ++step)
      number = runNumbers
                   .try_emplace({number, request.stepDigits.ofRun(step, step)}, static_cast<int>(runNumbers.size()) + 1)
                   .first->second;
    return number;
  }
  /// What the costs of kernels are made of.
  std::vector<KernelCost> costsOf(const std::vector<Kernel> &kernels) const {
    const Side load{request.loadOrder, request.loadBytes}, store{request.storeOrder, request.storeBytes};
    std::vector<KernelCost> costs;
    for (size_t k = 0; k < kernels.size(); ++k) {
      const Passes passes = *passesOf(kernels[k], load, store);
      const Counts &counts = passes.counts;
      const double runs = kernels.size() == 1 ? singleRunCost(passes, load, store)
                                              : runCost(kernels[k], k + 1 < kernels.size() ? &kernels[k + 1] : nullptr);
      costs.push_back({costOf(runs, waitOf(passes)),
                       {{"runs", runs},
                        {"waits", waitOf(passes)},
                        {"ranges", counts.ranges},
                        {"warps", counts.warps},
                        {"blocks", counts.blocks},
                        {"idle", counts.idle},
                        {"registers", counts.asked},
                        {"blocks of a cluster", counts.together},
                        {"drawn", counts.drawn}}});
    }
    return costs;
  }
  double waitOf(const Passes &passes) const {
    constexpr double least = 0.01;
    return std::max(least, target.passes.perUnit * (passes.cost - target.passes.free));
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
      plan.launch.cluster = kernels[k].blocks;
      plan.launch.persistent = kernels[k].drawn;
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
    const int64_t elements = valuesOf(kernel.tile) / kernel.blocks, most = mostValues(kernel.first, kernel.last);
    std::optional<Passes> best;
    // Passes that would leave more threads than a block has take more values than planned for, from spilled registers.
    const int64_t spilled = kernel.blocks > 1 ? most : std::max(most, 4 * elements / target.maxThreadsPerBlock);
    auto consider = [&](int64_t size) {
      Passes passes{passesOf(kernel, size, load.order, store.order)};
      std::optional<Counts> counts = countsOf(passes.plan, elements, kernel);
      if (!counts || (best && costOf(*counts) >= best->cost))
        return;
      passes.counts = *counts;
      passes.cost = costOf(*counts);
      best = std::move(passes);
    };
    if (kernel.size)
      consider(kernel.size);
    else // passes are the same up to the next number of values that digits have
      for (int64_t size = 2; size <= most || (!best && size <= spilled); size = *llvm::upper_bound(products, size))
        consider(size);
    return best;
  }

  /// Values of a thread that its registers have room for.
  int64_t usualValues() const { return std::max<int64_t>(2, 4 * target.dataRegistersPerThread / request.heldBytes()); }

  /// The same where few blocks share a multiprocessor anyway: fewer passes are worth more than warps.
  int64_t wideValues() const { return usualValues() * 5 / 4; }

  /// Values of a thread that its registers have room for, or that a step of these acts on.
  int64_t mostValues(int first, int last) const { return std::max(usualValues(), largestStep(first, last)); }

  /// The values that a step of these acts on at most.
  int64_t largestStep(int first, int last) const {
    int64_t most = 1;
    for (int s = first; s <= last; ++s)
      most = std::max(most, valuesOf(digitsOfSteps(request, s, s)));
    return most;
  }

  /// Elements that clusters which draw their problems send each other: larger ones take several stores each.
  static constexpr int64_t sentBytes = 8;

  /// Nothing where a tile has more threads than a block, or a block has no room for it. `elements`: of a block.
  std::optional<Counts> countsOf(const KernelPlan &plan, int64_t elements, const Kernel &kernel) const {
    const int64_t together = kernel.blocks;
    if (plan.ranges.empty())
      return std::nullopt;
    int64_t threads = 1, values = 1;
    for (const RangePlan &range : plan.ranges) {
      threads = std::max(threads, range.mapping.numThreads());
      values = std::max(values, range.mapping.extent(Field::Reg));
    }
    constexpr double padding = 1.05;
    auto bytes = static_cast<int64_t>(padding * static_cast<double>(elements * request.registerBytes));
    if (threads > target.maxThreadsPerBlock || bytes > target.sharedBytesPerBlock)
      return std::nullopt;
    double idle = 0;
    for (const RangePlan &range : plan.ranges)
      idle += static_cast<double>(threads) / static_cast<double>(range.mapping.numThreads()) - 1;
    const bool staged = llvm::any_of(plan.ranges, [](const RangePlan &range) { return range.staged; });
    if (staged) // what is loaded and what is stored
      bytes *= 2;
    const int64_t problems =
        together > 1 ? 1 : std::max<int64_t>(1, std::min(target.flatThreads / threads, target.tileBytes / bytes));
    constexpr int64_t fewest = 32, most = 255; // registers of a thread
    const PassCosts &costs = target.passes;
    const auto data = static_cast<double>(values * request.heldBytes()) / 4;
    const int64_t wanted = llvm::alignTo(costs.ownRegisters + static_cast<int64_t>(costs.registersPerWord * data), 8),
                  registers = std::clamp(wanted, fewest, most),
                  blocks = target.residentBlocks(problems * threads, registers, problems * bytes);
    Counts counts;
    counts.ranges = passesIn(plan);
    counts.warps = static_cast<double>(blocks * problems * threads) / static_cast<double>(target.lanes);
    counts.blocks = static_cast<double>(blocks);
    counts.idle = idle;
    counts.asked =
        std::max(static_cast<double>(wanted) / most, static_cast<double>(registers * problems * threads) /
                                                         static_cast<double>(target.registersPerMultiprocessor));
    counts.together = static_cast<double>(together);
    counts.drawn = kernel.drawn ? 1 : 0;
    return counts;
  }

  /// The passes over a block's memory. What is staged is accessed once more on its way, by threads whose problems lie
  /// in the same banks one after the other: a sixteenth of a pass each time. What a second exchange between blocks
  /// sends to others counts twice, and so does that of the first where addresses are sums.
  double passesIn(const KernelPlan &plan) const {
    constexpr int64_t bankBytes = 128; // of all banks together
    const int again = std::max(0, plan.exchangesBetweenBlocks() - (request.sums ? 0 : 1));
    double passes =
        again ? again * (1 - 1.0 / static_cast<double>(plan.ranges.front().mapping.extent(Field::Rank))) : 0;
    for (const RangePlan &range : plan.ranges) {
      const int64_t bytes = range.kind == RangePlan::Kind::Load ? request.loadBytes : request.storeBytes;
      passes +=
          range.staged ? static_cast<double>(std::gcd(valuesOf(all), bankBytes / std::gcd(bankBytes, bytes))) / 16 : 1;
    }
    return passes;
  }

  /// Passes, the accesses to memory being some; warps hide waiting, and blocks that of others at their barriers.
  double costOf(const Counts &counts) const {
    const PassCosts &costs = target.passes;
    const double cost = (counts.ranges + costs.accesses) / std::pow(counts.warps, costs.hidden) *
                        (1 + costs.alone / counts.blocks) * (1 + costs.idle * counts.idle / counts.ranges) *
                        std::pow(std::max(1.0, counts.asked), costs.spilled);
    return cost * (1 + costs.clusterDoubling * std::log2(counts.together)) * std::pow(costs.drawn, counts.drawn);
  }

  /// The digits of the rank in a cluster: those of the highest addresses that are not `acted` on and make up so many
  /// blocks. Empty if there are none.
  std::vector<int> rankOf(const AddressOrder &order, const std::vector<int> &acted, int64_t blocks) const {
    std::vector<int> rank;
    std::function<bool(size_t, int64_t)> choose = [&](size_t end, int64_t left) {
      if (left == 1)
        return true;
      for (size_t i = end; i-- > 0;) {
        const int digit = order[i];
        if (left % radix(digit) != 0 || llvm::is_contained(acted, digit))
          continue;
        rank.push_back(digit);
        if (choose(i, left / radix(digit)))
          return true;
        rank.pop_back();
      }
      return false;
    };
    choose(order.size(), blocks);
    return rank;
  }

  /// The digits that the rank of a cluster has in each of the passes, none that these act on: as few sets of digits as
  /// can be, which change as soon as can be for the first time, and then as late. Every change is an exchange between
  /// blocks; a transform and its inverse have two. Nothing where there would be more, or none.
  std::optional<std::vector<std::vector<int>>> ranksOf(const std::vector<RangePlan> &ranges, int64_t blocks,
                                                       const AddressOrder &load, const AddressOrder &store) const {
    if (blocks == 1)
      return std::vector<std::vector<int>>(ranges.size());
    constexpr size_t mostSets = 3;
    auto rankFor = [&](size_t from, size_t to) { // of the passes before `to`
      const int last = ranges[to - 1].last;
      return rankOf(to == ranges.size() ? store : load, digitsOfSteps(request, ranges[from].first, last), blocks);
    };
    std::optional<std::vector<std::vector<int>>> best;
    size_t fewest = mostSets + 1;
    for (size_t second = 1; second < ranges.size() && fewest > 2; ++second) {
      std::vector<std::vector<int>> ranks(second, rankFor(0, second));
      if (ranks.back().empty())
        break; // more passes have none either
      size_t sets = 1;
      for (; ranks.size() < ranges.size() && sets + 1 < fewest; ++sets) {
        const size_t from = ranks.size();
        size_t to = ranges.size();
        std::vector<int> rank = rankFor(from, to);
        while (rank.empty() && to - 1 > from)
          rank = rankFor(from, --to);
        if (rank.empty())
          break;
        ranks.resize(to, rank);
      }
      if (ranks.size() == ranges.size())
        fewest = sets, best = std::move(ranks);
    }
    return best;
  }

  /// Passes of at most `size` values, a step with more alone; none where a cluster has no ranks for them.
  KernelPlan passesOf(const Kernel &kernel, int64_t size, const AddressOrder &load, const AddressOrder &store) const {
    KernelPlan plan;
    for (int first = kernel.first, last; first <= kernel.last; first = last + 1) {
      for (last = first; last < kernel.last && !request.isBegin(last + 1) &&
                         valuesOf(digitsOfSteps(request, first, last + 1)) <= size;)
        ++last;
      RangePlan range;
      range.first = first;
      range.last = last;
      plan.ranges.push_back(range);
    }
    const std::optional<std::vector<std::vector<int>>> ranks = ranksOf(plan.ranges, kernel.blocks, load, store);
    if (!ranks)
      return {};
    auto tileMapping = [&](const std::vector<int> &registers, const AddressOrder &order, const std::vector<int> &rank) {
      std::vector<int> tile;
      llvm::copy_if(kernel.tile, std::back_inserter(tile), [&](int digit) { return !llvm::is_contained(rank, digit); });
      Mapping mapping = mappingOf(tile, registers, size, order);
      for (int digit : rank)
        mapping.push(Field::Rank, digit, radix(digit));
      return mapping;
    };
    auto orderOf = [&](const RangePlan &range) -> const AddressOrder & {
      if (request.isBegin(range.first))
        return operandOf(request, range.first, range.first)->order;
      return range.first == kernel.first ? load : store;
    };
    for (auto [range, rank] : llvm::zip_equal(plan.ranges, *ranks))
      range.mapping = tileMapping(digitsOfSteps(request, range.first, range.last), orderOf(range), rank);
    // True where registers hold the lowest digit; of bits whose addresses are sums also where threads that follow each
    // other have less than a sector together.
    auto holdsLowest = [&](const RangePlan &range, const AddressOrder &order) {
      int64_t run = 1;
      for (int digit : order) {
        digits::Place place;
        if (range.mapping.find(digit, place) && place.field == Field::Reg)
          return range.mapping.numThreads() > 1 &&
                 (run == 1 || (request.sums && run * request.elementBytes < target.sectorBytes));
        run *= radix(digit);
      }
      return false;
    };
    auto memoryRange = [&](RangePlan::Kind kind, const AddressOrder &order, const std::vector<int> &rank) {
      RangePlan range;
      range.kind = kind;
      range.mapping = tileMapping({}, order, rank);
      return range;
    };
    const std::vector<int> none, &firstRank = ranks->empty() ? none : ranks->front(),
                                 &lastRank = ranks->empty() ? none : ranks->back();
    for (size_t i = plan.ranges.size(); i-- > 1;)
      if (const AddressOrder &order = orderOf(plan.ranges[i]);
          request.isBegin(plan.ranges[i].first) && holdsLowest(plan.ranges[i], order))
        plan.ranges.insert(plan.ranges.begin() + static_cast<std::ptrdiff_t>(i),
                           memoryRange(RangePlan::Kind::Load, order, (*ranks)[i]));
    if (plan.ranges.empty() || holdsLowest(plan.ranges.front(), load))
      plan.ranges.insert(plan.ranges.begin(), memoryRange(RangePlan::Kind::Load, load, firstRank));
    if (steps == 0 || holdsLowest(plan.ranges.back(), store))
      plan.ranges.push_back(memoryRange(RangePlan::Kind::Store, store, lastRank));
    // Threads that hold whole problems would each access a stretch of their own, longer than a sector.
    const bool isWhole = plan.ranges.size() == 1 && plan.ranges.front().mapping.numThreads() == 1 &&
                         kernel.tile.size() == all.size() && request.values == 1 && !request.sums;
    auto stage = [&](RangePlan::Kind kind, int64_t elementBytes) {
      if (elementBytes * valuesOf(all) <= target.sectorBytes)
        return;
      RangePlan range;
      range.kind = kind;
      range.mapping = plan.ranges.front().mapping;
      range.staged = true;
      plan.ranges.insert(kind == RangePlan::Kind::Load ? plan.ranges.begin() : plan.ranges.end(), std::move(range));
    };
    if (isWhole) {
      stage(RangePlan::Kind::Store, request.storeBytes);
      stage(RangePlan::Kind::Load, request.loadBytes);
    }
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

void passes::proposeMixed(const PlanRequest &request, const Target &target, CandidatePool &pool) {
  MixedPlanner(request, target).run(pool);
}
