// GPU plans: kernels, tiles, workspace orders, passes and mappings from counted bytes and registers.
//
// 1. Kernels. Steps i..j can share a kernel when their digits fit a tile. The cost of a kernel is that of the runs in
// which
//    it moves data, from the target's table; splits are chosen by dynamic programming over the number of steps, so that
//    fewest trips to memory come first by themselves.
// 2. Tiles. A kernel's own digits; then, where it meets the input or the output, their lowest address digits, so that
// runs
//    are long; then low batch digits, so that small problems share a block.
// 3. Workspace orders. Between two kernels the order of addresses is free: the digits that both tiles hold come lowest,
//    then the rest of the consumer's tile, so that it reads linearly and the producer writes in long runs.
// 4. Passes. Consecutive steps whose digits fit the registers, in as few passes as possible and of even size.
// 5. Mappings. Registers hold the pass's digits, then the slowest address digits; lanes and warps the rest, fastest
//    address digits first, by the load order in the first pass and by the store order afterwards. Where that would give
//    shorter runs than the tile allows, a load or store mapping of its own stands before or after, and an exchange
//    between.
// 6. Clusters. A program that would take several kernels takes one of clusters of small blocks when its digits fit: the
//    rank holds the slowest unprocessed digits in the first pass, afterwards digits that the first pass has finished
//    with, so that one exchange between blocks is enough and every register's word goes to one block.
#include "compiler/passes/BlockPlanner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <optional>

using namespace idc;
using namespace idc::passes;
using digits::AddressOrder;
using digits::Field;
using digits::Mapping;

namespace {

using Steps = std::pair<int, int>; // first … last

int log(int64_t x) { return x < 1 ? 0 : static_cast<int>(llvm::Log2_64(x)); }

constexpr double infinite = std::numeric_limits<double>::infinity();

/// How a kernel's data lie in the memory it reads or writes.
struct Side {
  AddressOrder order;
  int64_t elementBytes;
};

class BlockPlanner {
public:
  BlockPlanner(const PlanRequest &request, const Target &target)
      : request(request), target(target), steps(static_cast<int>(request.stepDigits.size())) {
    laneDigits = log(target.lanes);
    registerDigits = std::min(5, log(4 * target.dataRegistersPerThread / request.elementBytes));
    threadDigits = std::min(9, log(target.maxThreadsPerBlock));
    maxTileDigits = std::min(log(target.maxTileBytes / request.elementBytes), registerDigits + threadDigits);
    tileDigits = std::min({log(target.tileBytes / request.elementBytes), maxTileDigits, 13});
  }

  bool run(Schedule &schedule, std::string &error) {
    std::vector<Steps> kernels{{1, 0}};
    // A node a little larger than planned for still runs, from spilled registers.
    bool tooLarge = llvm::any_of(request.stepDigits, [&](const std::vector<int> &digits) {
      return static_cast<int>(digits.size()) > registerDigits + 1;
    });
    if (tooLarge || (steps > 0 && !splitSteps(kernels))) {
      error = "a step acts on more digits than a kernel of " + target.name + " can hold";
      return false;
    }
    if (kernels.size() > 1)
      if (std::optional<KernelPlan> one = planCluster()) {
        schedule.kernels.push_back(std::move(*one));
        return true;
      }
    std::vector<std::vector<int>> tiles;
    for (const Steps &kernel : kernels)
      tiles.push_back(tileOf(kernel, capacityOf(kernel)));
    Side load{request.loadOrder, request.loadBytes};
    for (size_t k = 0; k < kernels.size(); ++k) {
      bool last = k + 1 == kernels.size();
      Side store = last ? Side{request.storeOrder, request.storeBytes}
                        : Side{workspaceOrder(tiles[k], tiles[k + 1]), request.elementBytes};
      schedule.kernels.push_back(planKernel(kernels[k], tiles[k], load, store));
      if (!last)
        schedule.kernels.back().order = store.order;
      load = store;
    }
    return true;
  }

private:
  const PlanRequest &request;
  const Target &target;
  int steps;
  int laneDigits, registerDigits, threadDigits, maxTileDigits, tileDigits;

  //===--- kernels and tiles --------------------------------------------------------------------------------------===//

  bool splitSteps(std::vector<Steps> &kernels) const {
    std::vector<double> best(steps + 1, infinite);
    std::vector<int> from(steps + 1, 0);
    best[0] = 0;
    for (int last = 1; last <= steps; ++last)
      for (int first = last; first >= 1; --first) {
        double cost = kernelCost({first, last});
        if (cost == infinite)
          break; // more steps only need more digits
        if (best[first - 1] + cost < best[last]) {
          best[last] = best[first - 1] + cost;
          from[last] = first;
        }
      }
    kernels.clear();
    for (int last = steps; last > 0 && best[steps] < infinite; last = from[last] - 1)
      kernels.insert(kernels.begin(), Steps(from[last], last));
    return !kernels.empty();
  }

  bool meetsInput(const Steps &kernel) const { return kernel.first == 1; }
  bool meetsOutput(const Steps &kernel) const { return kernel.second == steps; }

  double kernelCost(const Steps &kernel) const {
    return std::min(costWithTile(kernel, tileDigits), costWithTile(kernel, maxTileDigits));
  }

  /// The tile size in digits that moves the kernel's data cheapest.
  int capacityOf(const Steps &kernel) const {
    return costWithTile(kernel, maxTileDigits) < costWithTile(kernel, tileDigits) ? maxTileDigits : tileDigits;
  }

  double costWithTile(const Steps &kernel, int capacity) const {
    int own = static_cast<int>(digitsOfSteps(request, kernel.first, kernel.second).size());
    if (own > capacity)
      return infinite;
    std::vector<int> tile = tileOf(kernel, capacity);
    int size = static_cast<int>(tile.size()), columns = size - own;
    // Beside the workspace, runs are what two tiles have in common: the columns of both, as each holds the other's.
    bool inner = !meetsInput(kernel) && !meetsOutput(kernel);
    double between = target.costOfRun(request.elementBytes << (inner ? columns : 2 * columns));
    auto outside = [&](const AddressOrder &order, int64_t bytes) {
      return size == request.numDigits ? 1.0 : target.costOfRun(runBytes(tile, order, bytes));
    };
    double cost = ((meetsInput(kernel) ? outside(request.loadOrder, request.loadBytes) : between) +
                   (meetsOutput(kernel) ? outside(request.storeOrder, request.storeBytes) : between)) /
                  2;
    // A block that has a multiprocessor to itself leaves the memory idle while it computes.
    return size > tileDigits ? cost * 1.2 : cost;
  }

  /// The kernel's digits, then lowest address digits of the side with the costlier runs, up to `capacity` digits. A
  /// kernel between two others takes both sides' digits: its neighbours hold them as well.
  std::vector<int> tileOf(const Steps &kernel, int capacity) const {
    std::vector<int> tile = digitsOfSteps(request, kernel.first, kernel.second);
    bool inner = !meetsInput(kernel) && !meetsOutput(kernel);
    bool useLoad = meetsInput(kernel) || inner, useStore = meetsOutput(kernel) || inner;
    while (static_cast<int>(tile.size()) < std::min(capacity, request.numDigits)) {
      int64_t loadRun = runBytes(tile, request.loadOrder, request.loadBytes);
      int64_t storeRun = runBytes(tile, request.storeOrder, request.storeBytes);
      double loadCost = target.costOfRun(loadRun), storeCost = target.costOfRun(storeRun);
      bool forLoad = loadCost != storeCost ? loadCost > storeCost : loadRun <= storeRun;
      forLoad = useLoad && (forLoad || !useStore);
      const AddressOrder &order = forLoad ? request.loadOrder : request.storeOrder;
      tile.push_back(*llvm::find_if(order, [&](int d) { return !llvm::is_contained(tile, d); }));
    }
    return tile;
  }

  AddressOrder workspaceOrder(const std::vector<int> &producer, const std::vector<int> &consumer) const {
    AddressOrder order;
    for (bool common : {true, false})
      for (int d = 1; d <= request.numDigits; ++d)
        if (llvm::is_contained(consumer, d) && llvm::is_contained(producer, d) == common)
          order.push_back(d);
    for (int d : remainingDigits(request, order))
      order.push_back(d);
    return order;
  }

  //===--- passes and mappings ------------------------------------------------------------------------------------===//

  int countPasses(const Steps &kernel, int registers) const {
    return static_cast<int>(groupSteps(request, kernel.first, kernel.second, registers).size());
  }

  /// The same number of passes with groups as even as possible.
  std::vector<Steps> passesOf(const Steps &kernel, int registers) const {
    int size = registers;
    while (size > 1 && countPasses(kernel, size - 1) == countPasses(kernel, registers))
      --size;
    return groupSteps(request, kernel.first, kernel.second, size);
  }

  KernelPlan planKernel(const Steps &kernel, std::vector<int> tile, const Side &load, const Side &store) const {
    // Fewer registers unless that costs a pass; more when the threads would exceed a block.
    int registers = registerDigits;
    if (registers > 1 && countPasses(kernel, registers - 1) == countPasses(kernel, registers))
      --registers;
    registers = std::max(registers, std::min(registerDigits, static_cast<int>(tile.size()) - threadDigits));
    // Small problems share a block: low batch digits up to a full set of threads.
    int wanted = std::min(tileDigits, registers + (registers == registerDigits ? 7 : 8));
    if (static_cast<int>(tile.size()) == request.numDigits)
      for (int d = request.numDigits + 1; static_cast<int>(tile.size()) < wanted; ++d)
        tile.push_back(d);
    registers = std::min(registers, std::max(0, static_cast<int>(tile.size()) - laneDigits));
    std::vector<int> blockDigits = remainingDigits(request, tile);

    KernelPlan plan;
    std::vector<Steps> passes;
    if (kernel.first <= kernel.second)
      passes = passesOf(kernel, registers);
    for (size_t i = 0; i < passes.size(); ++i) {
      RangePlan range;
      range.first = passes[i].first;
      range.last = passes[i].second;
      range.mapping = mappingOf(tile, digitsOfSteps(request, range.first, range.last), registers,
                                i == 0 ? load.order : store.order, blockDigits);
      plan.ranges.push_back(range);
    }
    if (passes.empty() || !hasFullRuns(plan.ranges.front().mapping, tile, load))
      plan.ranges.insert(plan.ranges.begin(), memoryRange(RangePlan::Kind::Load, load, tile, registers, blockDigits));
    if (passes.empty() || !hasFullRuns(plan.ranges.back().mapping, tile, store))
      plan.ranges.push_back(memoryRange(RangePlan::Kind::Store, store, tile, registers, blockDigits));
    return plan;
  }

  /// A range that only loads or stores: the lowest address digits in one thread's wide access.
  RangePlan memoryRange(RangePlan::Kind kind, const Side &side, const std::vector<int> &tile, int registers,
                        const std::vector<int> &blockDigits) const {
    std::vector<int> vector;
    for (int d : side.order) {
      if (static_cast<int>(vector.size()) == std::min(vectorDigits(side), registers) || !llvm::is_contained(tile, d))
        break;
      vector.push_back(d);
    }
    RangePlan range;
    range.kind = kind;
    range.mapping = mappingOf(tile, vector, registers, side.order, blockDigits);
    return range;
  }

  //===--- clusters -----------------------------------------------------------------------------------------------===//

  /// All steps in one kernel of clusters, or nothing. Small blocks of 2^7 threads keep several on a multiprocessor;
  /// clusters beyond 8 blocks leave some of its slots empty, so more registers per thread come first.
  std::optional<KernelPlan> planCluster() const {
    constexpr int threads = 7, portable = 3;
    std::optional<KernelPlan> best; // fewest ranges, then first
    for (auto [registers, most] : {std::pair(registerDigits, portable), std::pair(registerDigits + 1, portable),
                                   std::pair(registerDigits + 1, log(target.maxCluster))}) {
      int ranks = request.numDigits - threads - registers;
      bool fits = (request.elementBytes << (threads + registers)) <= target.tileBytes;
      if (ranks < 1 || ranks > std::min(most, log(target.maxCluster)) || !fits)
        continue;
      std::optional<KernelPlan> plan = planCluster(registers, ranks);
      if (plan && (!best || plan->ranges.size() < best->ranges.size()))
        best = std::move(plan);
    }
    return best;
  }

  std::optional<KernelPlan> planCluster(int registers, int ranks) const {
    std::vector<Steps> passes = passesOf({1, steps}, registers);
    if (passes.size() < 2)
      return std::nullopt;
    std::vector<int> first = digitsOfSteps(request, passes[0].first, passes[0].second),
                     later = digitsOfSteps(request, passes[1].first, steps), before, after;
    // The slowest address digits that qualify.
    for (int d : llvm::reverse(request.loadOrder))
      if (static_cast<int>(before.size()) < ranks && !llvm::is_contained(first, d))
        before.push_back(d);
    for (int d : llvm::reverse(request.storeOrder))
      if (static_cast<int>(after.size()) < ranks && llvm::is_contained(first, d) && !llvm::is_contained(later, d))
        after.push_back(d);
    if (static_cast<int>(before.size()) < ranks || static_cast<int>(after.size()) < ranks)
      return std::nullopt;
    std::vector<int> loadTile = remainingDigits(request, before), storeTile = remainingDigits(request, after);
    Side load{request.loadOrder, request.loadBytes}, store{request.storeOrder, request.storeBytes};
    if (runBytes(loadTile, load.order, load.elementBytes) < target.sectorBytes ||
        runBytes(storeTile, store.order, store.elementBytes) < target.sectorBytes)
      return std::nullopt;
    KernelPlan plan;
    plan.kind = "cluster";
    plan.cluster = 1 << ranks;
    for (size_t i = 0; i < passes.size(); ++i) {
      RangePlan range;
      range.first = passes[i].first;
      range.last = passes[i].second;
      range.mapping = mappingOf(i == 0 ? loadTile : storeTile, digitsOfSteps(request, range.first, range.last),
                                registers, i == 0 ? load.order : store.order, {});
      plan.ranges.push_back(range);
    }
    size_t inLoadTile = 1; // ranges
    if (!hasFullRuns(plan.ranges.front().mapping, loadTile, load)) {
      plan.ranges.insert(plan.ranges.begin(), memoryRange(RangePlan::Kind::Load, load, loadTile, registers, {}));
      ++inLoadTile;
    }
    if (!hasFullRuns(plan.ranges.back().mapping, storeTile, store))
      plan.ranges.push_back(memoryRange(RangePlan::Kind::Store, store, storeTile, registers, {}));
    for (auto [i, range] : llvm::enumerate(plan.ranges))
      for (int d : llvm::reverse(i < inLoadTile ? before : after))
        range.mapping.push(Field::Rank, d);
    return plan;
  }

  /// Digits of the widest access of one thread.
  int vectorDigits(const Side &side) const { return log(target.vectorBytes / side.elementBytes); }

  /// The address order with the batch digits of the tile on top.
  AddressOrder withBatch(AddressOrder order, const std::vector<int> &tile) const {
    for (int d : tile)
      if (d > request.numDigits)
        order.push_back(d);
    return order;
  }

  /// Registers for the given digits first, then the slowest address digits; lanes and warps the rest, fastest first.
  Mapping mappingOf(const std::vector<int> &tile, const std::vector<int> &inRegisters, int registers,
                    const AddressOrder &order, const std::vector<int> &blockDigits) const {
    std::vector<int> sorted;
    for (int d : withBatch(order, tile))
      if (llvm::is_contained(tile, d))
        sorted.push_back(d);
    std::vector<int> regs = inRegisters;
    llvm::sort(regs);
    for (size_t i = sorted.size(); i-- > 0 && static_cast<int>(regs.size()) < registers;)
      if (!llvm::is_contained(regs, sorted[i]))
        regs.push_back(sorted[i]);
    Mapping mapping;
    for (int d : regs)
      mapping.push(Field::Reg, d);
    int lanes = 0;
    for (int d : sorted)
      if (!llvm::is_contained(regs, d))
        mapping.push(lanes++ < laneDigits ? Field::Lane : Field::Warp, d);
    for (int d : blockDigits)
      mapping.push(Field::Block, d);
    return mapping;
  }

  /// True when a warp-wide access of the mapping moves data in runs as long as the tile allows, up to four sectors.
  bool hasFullRuns(const Mapping &mapping, const std::vector<int> &tile, const Side &side) const {
    std::vector<int> covered;
    for (const digits::Column &column : mapping[Field::Lane])
      covered.push_back(column.digits[0]);
    int vector = 0;
    for (int d : side.order) {
      bool inRegisters =
          llvm::any_of(mapping[Field::Reg], [&](const digits::Column &column) { return column.digits[0] == d; });
      if (!inRegisters || vector == vectorDigits(side))
        break;
      covered.push_back(d);
      ++vector;
    }
    AddressOrder full = withBatch(side.order, tile);
    int64_t possible = std::min(runBytes(tile, full, side.elementBytes), 4 * target.sectorBytes);
    return runBytes(covered, full, side.elementBytes) >= possible;
  }
};

} // namespace

bool passes::planBlocks(const PlanRequest &request, const Target &target, Schedule &schedule, std::string &error) {
  return BlockPlanner(request, target).run(schedule, error);
}
