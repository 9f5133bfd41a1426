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
// 6. Clusters. A tile may be held by a cluster of small blocks, where the exchange between them costs less than another
//    kernel or shorter runs: the rank holds the slowest unprocessed digits in the first pass, afterwards digits that
//    the first pass has finished with, so that one exchange between blocks is enough and every register's word goes to
//    one block.
#include "compiler/passes/BlockPlanner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
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

/// How much of the sequence a kernel's block, or its cluster of blocks, holds.
struct Shape {
  int digits;        // of the tile
  int ranks = 0;     // of them on the cluster rank; 0: one block
  int registers = 0; // of them in registers, for clusters
};

class BlockPlanner {
public:
  BlockPlanner(const PlanRequest &request, const Target &target)
      : request(request), target(target), steps(static_cast<int>(request.stepDigits.size())) {
    laneDigits = log(target.lanes);
    registerDigits = std::min(5, log(4 * target.dataRegistersPerThread / request.registerBytes));
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
    std::vector<Shape> shapes;
    std::vector<std::vector<int>> tiles;
    for (const Steps &kernel : kernels) {
      shapes.push_back(shapeOf(kernel).first);
      tiles.push_back(tileOf(kernel, shapes.back().digits));
    }
    Side load{request.loadOrder, request.loadBytes};
    for (size_t k = 0; k < kernels.size(); ++k) {
      bool last = k + 1 == kernels.size();
      Side store = last ? Side{request.storeOrder, request.storeBytes}
                        : Side{workspaceOrder(tiles[k], tiles[k + 1]), request.elementBytes};
      if (shapes[k].ranks)
        schedule.kernels.push_back(*planCluster(kernels[k], tiles[k], shapes[k], load, store));
      else
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
  static constexpr int clusterThreadDigits = 7;

  //===--- kernels and tiles --------------------------------------------------------------------------------------===//

  bool splitSteps(std::vector<Steps> &kernels) const {
    std::vector<double> best(steps + 1, infinite);
    std::vector<int> from(steps + 1, 0);
    best[0] = 0;
    for (int last = 1; last <= steps; ++last)
      for (int first = last; first >= 1; --first) {
        double cost = shapeOf({first, last}).second;
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

  /// The cheapest shape of the kernel's tiles and its cost; infinite when the steps fit none.
  std::pair<Shape, double> shapeOf(const Steps &kernel) const {
    std::pair<Shape, double> best{Shape{tileDigits}, infinite};
    auto consider = [&](const Shape &shape) {
      double cost = costOf(kernel, shape);
      if (cost < best.second)
        best = {shape, cost};
    };
    consider({tileDigits});
    consider({maxTileDigits});
    for (int ranks = 1; ranks <= log(target.maxCluster); ++ranks)
      for (int registers : {registerDigits, registerDigits + 1})
        if ((request.elementBytes << (clusterThreadDigits + registers)) <= target.tileBytes)
          consider({clusterThreadDigits + registers + ranks, ranks, registers});
    return best;
  }

  /// A pass over memory with the kernel's runs costs 1 at best; the factors here are measured.
  double costOf(const Steps &kernel, const Shape &shape) const {
    int own = static_cast<int>(digitsOfSteps(request, kernel.first, kernel.second).size());
    if (own > shape.digits || (shape.ranks && shape.digits > request.numDigits))
      return infinite;
    std::vector<int> tile = tileOf(kernel, shape.digits);
    int size = static_cast<int>(tile.size()), columns = size - own;
    // Beside the workspace, runs are what two tiles have in common: the columns of both, as each holds the other's.
    bool inner = !meetsInput(kernel) && !meetsOutput(kernel);
    int64_t between = request.elementBytes << (inner ? columns : 2 * columns);
    auto run = [&](bool outside, const AddressOrder &order, int64_t bytes) {
      return outside ? runBytes(tile, order, bytes) : between;
    };
    double cost =
        size == request.numDigits
            ? 1.0
            : (costAt(target.loadRunCost, run(meetsInput(kernel), request.loadOrder, request.loadBytes)) +
               costAt(target.storeRunCost, run(meetsOutput(kernel), request.storeOrder, request.storeBytes))) /
                  2;
    if (inner)
      cost *= 1.2; // both sides are spread over the whole workspace
    if (shape.ranks) {
      Side load{meetsInput(kernel) ? request.loadOrder : workspaceOrder(tile, tile), request.loadBytes};
      Side store{meetsOutput(kernel) ? request.storeOrder : workspaceOrder(tile, tile), request.storeBytes};
      std::optional<KernelPlan> plan = planCluster(kernel, tile, shape, load, store);
      if (!plan || runOfBlock(plan->ranges.front().mapping, load) < target.sectorBytes ||
          runOfBlock(plan->ranges.back().mapping, store) < target.sectorBytes)
        return infinite;
      return cost * clusterCost(shape, plan->ranges.size());
    }
    if (size <= tileDigits)
      return cost;
    // A block that has a multiprocessor to itself leaves the memory idle while it computes.
    return cost * 1.13 * exchangeCost(passesOf(kernel, registerDigits).size());
  }

  /// Exchanging between blocks, and fewer warps on a multiprocessor when threads hold more.
  double clusterCost(const Shape &shape, size_t ranges) const {
    double cost = costAt(target.clusterCost, int64_t(1) << shape.ranks);
    return cost * (shape.registers > registerDigits ? 1.14 : 1) * exchangeCost(ranges);
  }

  /// Exchanges after the first, where few warps hide the waiting.
  static double exchangeCost(size_t ranges) { return std::pow(1.08, std::max(0.0, static_cast<double>(ranges) - 2)); }

  /// The kernel's digits, then lowest address digits of the side with the costlier runs, up to `capacity` digits. A
  /// kernel between two others takes both sides' digits: its neighbours hold them as well.
  std::vector<int> tileOf(const Steps &kernel, int capacity) const {
    std::vector<int> tile = digitsOfSteps(request, kernel.first, kernel.second);
    bool inner = !meetsInput(kernel) && !meetsOutput(kernel);
    bool useLoad = meetsInput(kernel) || inner, useStore = meetsOutput(kernel) || inner;
    while (static_cast<int>(tile.size()) < std::min(capacity, request.numDigits)) {
      int64_t loadRun = runBytes(tile, request.loadOrder, request.loadBytes);
      int64_t storeRun = runBytes(tile, request.storeOrder, request.storeBytes);
      double loadCost = costAt(target.loadRunCost, loadRun), storeCost = costAt(target.storeRunCost, storeRun);
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
    std::vector<int> blockDigits = blockDigitsOf(tile, load, store);

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

  /// The digits outside a tile: neighbouring blocks run at the same time, so the side with the shorter runs decides
  /// which are neighbours, and parts of one cache line meet in the L2 cache.
  std::vector<int> blockDigitsOf(const std::vector<int> &tile, const Side &load, const Side &store) const {
    bool byStore = runBytes(tile, store.order, store.elementBytes) < runBytes(tile, load.order, load.elementBytes);
    std::vector<int> rest;
    for (int d : byStore ? store.order : load.order)
      if (!llvm::is_contained(tile, d))
        rest.push_back(d);
    return rest;
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

  /// The steps in a kernel whose tiles are held by clusters, or nothing. Small blocks keep several on a multiprocessor.
  std::optional<KernelPlan> planCluster(const Steps &kernel, const std::vector<int> &tile, const Shape &shape,
                                        const Side &load, const Side &store) const {
    int ranks = shape.ranks, registers = shape.registers;
    std::vector<Steps> passes = passesOf(kernel, registers);
    if (passes.size() < 2)
      return std::nullopt;
    std::vector<int> first = digitsOfSteps(request, passes[0].first, passes[0].second),
                     later = digitsOfSteps(request, passes[1].first, kernel.second), before, after;
    // The slowest address digits that qualify.
    for (int d : llvm::reverse(load.order))
      if (static_cast<int>(before.size()) < ranks && llvm::is_contained(tile, d) && !llvm::is_contained(first, d))
        before.push_back(d);
    for (int d : llvm::reverse(store.order))
      if (static_cast<int>(after.size()) < ranks && llvm::is_contained(first, d) && !llvm::is_contained(later, d))
        after.push_back(d);
    if (static_cast<int>(before.size()) < ranks || static_cast<int>(after.size()) < ranks)
      return std::nullopt;
    auto without = [&](const std::vector<int> &rank) {
      std::vector<int> rest = tile;
      llvm::erase_if(rest, [&](int d) { return llvm::is_contained(rank, d); });
      return rest;
    };
    std::vector<int> loadTile = without(before), storeTile = without(after),
                     blockDigits = blockDigitsOf(tile, load, store);
    KernelPlan plan;
    plan.kind = "cluster";
    plan.cluster = 1 << ranks;
    for (size_t i = 0; i < passes.size(); ++i) {
      RangePlan range;
      range.first = passes[i].first;
      range.last = passes[i].second;
      range.mapping = mappingOf(i == 0 ? loadTile : storeTile, digitsOfSteps(request, range.first, range.last),
                                registers, i == 0 ? load.order : store.order, blockDigits);
      plan.ranges.push_back(range);
    }
    size_t inLoadTile = 1; // ranges
    if (!hasFullRuns(plan.ranges.front().mapping, loadTile, load)) {
      plan.ranges.insert(plan.ranges.begin(),
                         memoryRange(RangePlan::Kind::Load, load, loadTile, registers, blockDigits));
      ++inLoadTile;
    }
    if (!hasFullRuns(plan.ranges.back().mapping, storeTile, store))
      plan.ranges.push_back(memoryRange(RangePlan::Kind::Store, store, storeTile, registers, blockDigits));
    for (auto [i, range] : llvm::enumerate(plan.ranges))
      for (int d : llvm::reverse(i < inLoadTile ? before : after))
        range.mapping.push(Field::Rank, d);
    return plan;
  }

  /// The runs in bytes in which a block accesses memory.
  static int64_t runOfBlock(const Mapping &mapping, const Side &side) {
    std::vector<int> held;
    for (Field field : {Field::Reg, Field::Lane, Field::Warp})
      for (const digits::Column &column : mapping[field])
        held.push_back(column.digits[0]);
    return runBytes(held, side.order, side.elementBytes);
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
