// GPU plans: kernels, tiles, workspace orders, passes and mappings from counted bytes and registers.
//
// 1. Kernels. Steps i..j can share a kernel when their digits fit a tile. A kernel costs what it waits for memory, by
// the
//    runs in which it moves data, and for its own threads and blocks, by its shape; splits are chosen by dynamic
//    programming over the number of steps, so that fewest trips to memory come first by themselves.
// 2. Tiles. A kernel's own digits; then, where it meets the input or the output, their lowest address digits, so that
//    runs are long; then low batch digits, so that small problems share a block.
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
// 7. Rings. Two kernels can be two passes of one whose values between them stay in the cache.
#include "compiler/passes/BlockPlanner.h"

#include "compiler/passes/SplitSteps.h"
#include "compiler/passes/TileMappings.h"

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

constexpr double infinite = std::numeric_limits<double>::infinity();

/// A kernel's steps and how much of the sequence its block, or its cluster of blocks, holds.
struct Shape {
  int first = 1, last = 0; // steps
  int digits = 0;          // of the tile
  int ranks = 0;           // of them on the cluster rank; 0: one block
  int registers = 0;       // of them in registers; 0: the usual number
};

class BlockPlanner {
public:
  BlockPlanner(const PlanRequest &request, const Target &target)
      : request(request), target(target), mappings(request, target),
        steps(static_cast<int>(request.stepDigits.size())) {
    for (const std::vector<int> &digits : request.stepDigits)
      largestNode = std::max(largestNode, static_cast<int>(digits.size()));
    tooLarge = largestNode > maxNodeDigits(target, request.heldBytes());
    registerDigits = std::max(passes::registerDigits(target, request.heldBytes()), largestNode);
    threadDigits = std::min(mostThreadDigits, floorLog2(target.maxThreadsPerBlock));
    maxTileDigits = std::min(floorLog2(target.maxTileBytes / request.elementBytes), registerDigits + threadDigits);
    while (maxTileDigits > 0 && !request.fitsSharedMemory(maxTileDigits, target))
      --maxTileDigits;
    if (request.mostTileDigits() < request.numDigits) { // others number devices
      maxTileDigits = std::min(maxTileDigits, std::max(0, request.mostTileDigits()));
      tooLarge |= maxTileDigits < largestNode + floorLog2(target.lanes);
    }
    tileDigits = std::min({floorLog2(target.tileBytes / request.elementBytes), maxTileDigits, sharedTileDigits});
  }

  /// The cheapest schedules, as many as the pool wants.
  void run(CandidatePool &pool) const {
    if (tooLarge)
      return;
    auto shapes = [&](int first, int last, const CostLimit &limit) { return shapesOf(first, last, limit); };
    const std::vector<Candidate> ringed = rings();
    double least = infinite;
    for (const Candidate &candidate : ringed)
      least = std::min(least, candidate.cost.cost);
    // Several shapes may come to one schedule.
    for (size_t count = pool.wanted();; count *= 2) {
      const auto splits = cheapestSplits<Shape>(steps, count, shapes);
      if (!splits.empty())
        least = std::min(least, splits.front().second);
      auto isWorthTrying = [&](double cost) { return cost <= worthTrying * least; };
      for (const Candidate &candidate : ringed)
        if (isWorthTrying(candidate.cost.cost))
          pool.add(candidate);
      for (const auto &[kernels, cost] : splits)
        if (isWorthTrying(cost))
          pool.add({scheduleOf(kernels), {cost, unit, costsOf(kernels)}});
      if (pool.isFull() || splits.size() < count || !isWorthTrying(splits.back().second))
        return;
    }
  }

private:
  const PlanRequest &request;
  const Target &target;
  TileMappings mappings;
  int steps;
  bool tooLarge = false;
  int largestNode = 0; // its digits
  int registerDigits, threadDigits, maxTileDigits, tileDigits;
  /// Threads of a block, binary digits: more wait longer at barriers.
  static constexpr int mostThreadDigits = 9;
  /// Elements of a tile at which blocks share a multiprocessor whatever an element takes: 256 threads of 32.
  static constexpr int sharedTileDigits = 13;
  /// Threads of a block of a cluster, or twice as many: small blocks find room beside others.
  static constexpr int clusterThreadDigits = 7;
  /// Threads of a block that is filled with problems: 256, or 128 of as many registers as there are.
  static constexpr int filledThreadDigits = 8;
  /// Bytes of an element from which rings and few registers pay: exchanges of narrower ones take more instructions than
  /// their bytes are worth. Up to so many, asynchronous stores of clusters do.
  static constexpr int64_t wideElementBytes = 8;
  /// A schedule that costs so many times as much as the cheapest is not the best one: so far the costs are right.
  static constexpr double worthTrying = 1.4;
  static constexpr const char *unit = "copies";

  //===--- kernels and tiles --------------------------------------------------------------------------------------===//

  Schedule scheduleOf(const std::vector<Shape> &kernels) const {
    std::vector<std::vector<int>> tiles;
    for (const Shape &kernel : kernels)
      tiles.push_back(tileOf(kernel));
    Schedule schedule = mappings.inSequence(tiles, [&](size_t k, const Side &load, const Side &store) {
      return kernels[k].ranks ? *clusterKernel(kernels[k], tiles[k], load, store)
                              : blockKernel(kernels[k], tiles[k], load, store);
    });
    for (size_t k = 0; k < kernels.size(); ++k)
      if (kernels[k].ranks && persistent()) {
        schedule.kernels[k].launch.persistent = true;
        schedule.kernels[k].launch.dependent = false; // its blocks are there from the start
      }
    return schedule;
  }

  /// Schedules of two kernels as one of two passes, each with its cost, where a ring of the values between them fits
  /// the cache: as many tiles on their way as one problem has, and half as many as blocks run at a time. Narrow
  /// elements stay in two kernels, which measure faster.
  std::vector<Candidate> rings() const {
    std::vector<Candidate> found;
    if (!isShortEnough(request, 1, steps, int64_t(1) << registerDigits))
      return found;
    for (int last = 1; last < steps && request.values == 1 && request.devices == 1 &&
                       request.elementBytes >= wideElementBytes && request.operands.empty() && request.idleDigits == 0;
         ++last) {
      // The passes have the same threads.
      std::vector<Shape> kernels = {{1, last, tileDigits, 0, registerDigits},
                                    {last + 1, steps, tileDigits, 0, registerDigits}};
      double cost = 0;
      for (const Shape &kernel : kernels)
        cost += costOf(kernel);
      if (cost == infinite)
        continue;
      Schedule schedule = scheduleOf(kernels);
      auto tilesOf = [](const KernelPlan &plan) { return plan.ranges.front().mapping.extent(Field::Block); };
      const int64_t tiles = tilesOf(schedule.kernels[0]);
      const std::optional<Ring> ring = ringOf(request, tiles, request.elementBytes << request.numDigits, target);
      if (!ring || tilesOf(schedule.kernels[1]) != tiles)
        continue;
      joinByRing(schedule, *ring);
      found.push_back({std::move(schedule), {cost * ring->cost, unit, costsOf(kernels)}});
    }
    return found;
  }

  /// Persistent clusters wait less for each other; asynchronous stores of 16 bytes cost more than that saves.
  bool persistent() const { return request.elementBytes <= wideElementBytes; }

  bool meetsInput(const Shape &kernel) const { return kernel.first == 1; }
  bool meetsOutput(const Shape &kernel) const { return kernel.last == steps; }

  /// The shapes that a kernel of these steps can have, each with its cost, or with a bound of it that reaches the
  /// limit.
  std::vector<std::pair<Shape, double>> shapesOf(int first, int last, const CostLimit &limit) const {
    const bool tuning = request.forTuning;
    std::vector<std::pair<Shape, double>> shapes;
    if (!request.isPossible(first, last) || !isShortEnough(request, first, last, int64_t(1) << registerDigits))
      return shapes;
    auto consider = [&](int digits, int ranks, int registers) {
      Shape shape{first, last, digits, ranks, registers};
      if (double cost = costOf(shape, limit); cost < infinite)
        shapes.emplace_back(shape, cost);
    };
    consider(tileDigits, 0, 0);
    if (maxTileDigits > tileDigits)
      consider(maxTileDigits, 0, 0);
    // What the cost tells apart poorly, or not at all, is for measurements.
    if (tuning)
      for (int digits = tileDigits - 2; digits <= maxTileDigits; ++digits)
        for (int registers = std::max(1, largestNode); registers <= registerDigits + 1; ++registers)
          consider(digits, 0, registers);
    for (int threads = clusterThreadDigits - tuning; threads <= clusterThreadDigits + 1 && request.values == 1;
         ++threads)
      for (int ranks = 1; ranks <= floorLog2(target.maxCluster); ++ranks)
        for (int registers = registerDigits; registers <= registerDigits + (request.looksUp ? 0 : 1); ++registers)
          if ((request.elementBytes << (threads + registers)) <= target.tileBytes)
            consider(threads + registers + ranks, ranks, registers);
    return shapes;
  }

  /// Time of a kernel over a copy's: what it waits for memory because of its runs, and for its own threads and blocks;
  /// the two overlap in part. A bound is enough where that reaches the limit.
  double costOf(const Shape &shape, const CostLimit &limit = CostLimit()) const {
    int own = countDigits(request, shape.first, shape.last);
    if (own > shape.digits || (shape.ranks && shape.digits > request.mostTileDigits()))
      return infinite;
    constexpr double copy = 1; // no kernel costs less
    auto total = [](double runs, double wait) { return copy + std::hypot(runs - 1, wait - 1); };
    if (limit.isReachedBy(copy))
      return copy;
    const int registers = shape.ranks ? shape.registers : std::max(shape.registers, registerDigits);
    double leastWait = waitCost(shape, mappings.leastPasses(shape.first, shape.last, registers), 1);
    if (double least = total(1, leastWait); limit.isReachedBy(least))
      return least;
    std::vector<int> tile = tileOf(shape);
    if (shape.registers && !shape.ranks && static_cast<int>(tile.size()) - shape.registers > threadDigits)
      return infinite;
    const double runs = runCost(shape, tile, own);
    if (!waitsForPasses(shape))
      return total(runs, leastWait);
    leastWait = waitCost(shape, mappings.passesOf(shape.first, shape.last, registers).size(), 1);
    if (double least = total(runs, leastWait); limit.isReachedBy(least))
      return least;
    std::optional<KernelPlan> plan = estimated(shape, tile);
    return plan ? total(runs, waitCost(shape, *plan)) : infinite;
  }

  /// A kernel by itself, as if its neighbours had its own tiles; nothing where a cluster would access parts of sectors.
  std::optional<KernelPlan> estimated(const Shape &shape, const std::vector<int> &tile) const {
    AddressOrder between = mappings.workspaceOrder(tile, tile);
    Side load{meetsInput(shape) ? request.loadOrder : between, request.loadBytes};
    Side store{meetsOutput(shape) ? request.storeOrder : between, request.storeBytes};
    if (!shape.ranks)
      return blockKernel(shape, tile, load, store);
    std::optional<KernelPlan> plan = clusterKernel(shape, tile, load, store);
    if (plan && (TileMappings::runOfBlock(plan->ranges.front().mapping, load) < target.sectorBytes ||
                 TileMappings::runOfBlock(plan->ranges.back().mapping, store) < target.sectorBytes))
      return std::nullopt;
    return plan;
  }

  /// What the costs of kernels are made of.
  std::vector<KernelCost> costsOf(const std::vector<Shape> &kernels) const {
    std::vector<KernelCost> costs;
    for (const Shape &shape : kernels) {
      const std::vector<int> tile = tileOf(shape);
      const KernelPlan plan = *estimated(shape, tile);
      costs.push_back({costOf(shape),
                       {{"runs", runCost(shape, tile, countDigits(request, shape.first, shape.last))},
                        {"waits", waitCost(shape, plan)},
                        {"ranges", static_cast<double>(plan.ranges.size())},
                        {"exchanges between blocks", static_cast<double>(plan.exchangesBetweenBlocks())},
                        {"blocks of a cluster", static_cast<double>(int64_t(1) << shape.ranks)}}});
    }
    return costs;
  }

  /// Mean cost of the runs of load and store; that of operands on top.
  double runCost(const Shape &shape, const std::vector<int> &tile, int own) const {
    int columns = static_cast<int>(tile.size()) - own;
    if (static_cast<int>(tile.size()) == request.numDigits)
      return 1;
    double operands = 0;
    for (const PlanOperand &operand : request.operands)
      if (int step = std::min(operand.step, steps); shape.first <= step && step <= shape.last)
        operands +=
            target.loadRunCost.at(runBytes(tile, operand.order, operand.bytes), operand.bytes << request.numDigits) - 1;
    double load = meetsInput(shape) ? target.loadRunCost.at(runBytes(tile, request.loadOrder, request.loadBytes),
                                                            request.loadBytes << request.numDigits)
                                    : 1; // a workspace is in the order of its consumer's tiles
    int64_t storeRun = meetsOutput(shape) ? runBytes(tile, request.storeOrder, request.storeBytes)
                                          : request.elementBytes << sharedColumns(shape, columns);
    double store = target.storeRunCost.at(storeRun, request.storeBytes << request.numDigits);
    return (load + store + operands) / 2;
  }

  /// Digits that the tile has in common with the one that reads what it stores: the columns of both, as each holds the
  /// other's; the other one's are those of a tile of the same size that has all steps that are left. Those of a kernel
  /// between two others are columns already.
  int sharedColumns(const Shape &shape, int columns) const {
    if (!meetsInput(shape))
      return columns;
    int left = shape.digits - countDigits(request, shape.last + 1, steps);
    return columns + (left < 0 ? columns : std::min(left, columns));
  }

  /// True when what a kernel waits for its own threads depends on its passes.
  bool waitsForPasses(const Shape &shape) const {
    return shape.ranks || shape.registers || std::min(shape.digits, request.numDigits) > tileDigits;
  }

  double waitCost(const Shape &shape, const KernelPlan &plan) const {
    return waitCost(shape, plan.ranges.size(), plan.exchangesBetweenBlocks());
  }

  /// What is left of waiting for the exchanges of so many ranges, as few other blocks of a multiprocessor fill it with
  /// their accesses; in a cluster so many of them are between blocks.
  double waitCost(const Shape &shape, size_t ranges, int betweenBlocks) const {
    if (!waitsForPasses(shape))
      return 1;
    double exchanges = std::pow(target.exchangeCost, std::max(0.0, static_cast<double>(ranges) - 2));
    if (shape.ranks) {
      bool full = shape.registers > usualRegisterDigits,
           wide = shape.digits - shape.ranks - shape.registers > clusterThreadDigits;
      double cost = (1 + betweenBlocks * (costAt(target.clusterCost, int64_t(1) << shape.ranks) - 1)) * exchanges;
      const ClusterCosts &factors = target.clusters;
      if (full) // factors that depend on the digits of earlier kernels need registers beside the data
        cost *= meetsInput(shape) ? factors.firstFull : factors.full;
      if (wide)
        cost *= full ? factors.wideFull : factors.wide;
      if (operandOf(request, shape.first, shape.last)) // a second tile takes registers of other blocks
        cost *= full ? factors.operandFull : wide ? factors.operandWide : factors.operand;
      return persistent() ? cost : cost * factors.launched;
    }
    if (std::min(shape.digits, request.numDigits) > tileDigits)
      return target.aloneCost * exchanges;
    return shape.registers ? 1 + target.rangeCost * static_cast<double>(ranges) : 1;
  }

  /// The kernel's digits, then lowest address digits of the side with the costlier runs. A kernel between two others
  /// takes both sides' digits: its neighbours hold them as well; but those of an operand where it reads one.
  std::vector<int> tileOf(const Shape &kernel) const {
    std::vector<int> tile = digitsOfSteps(request, kernel.first, kernel.last);
    bool inner = !meetsInput(kernel) && !meetsOutput(kernel);
    bool useLoad = meetsInput(kernel) || inner, useStore = meetsOutput(kernel) || inner;
    const PlanOperand *operand = operandOf(request, kernel.first, kernel.last);
    while (static_cast<int>(tile.size()) < std::min(kernel.digits, request.numDigits)) {
      if (operand && inner) {
        auto lowest = llvm::find_if(operand->order, [&](int d) { return !llvm::is_contained(tile, d); });
        if (lowest != operand->order.end()) {
          tile.push_back(*lowest);
          continue;
        }
      }
      int64_t loadRun = runBytes(tile, request.loadOrder, request.loadBytes);
      int64_t storeRun = runBytes(tile, request.storeOrder, request.storeBytes);
      double loadCost = target.loadRunCost.at(loadRun, request.loadBytes << request.numDigits),
             storeCost = target.storeRunCost.at(storeRun, request.storeBytes << request.numDigits);
      bool forLoad = loadCost != storeCost ? loadCost > storeCost : loadRun <= storeRun;
      forLoad = useLoad && (forLoad || !useStore);
      const AddressOrder &order = forLoad ? request.loadOrder : request.storeOrder;
      tile.push_back(*llvm::find_if(order, [&](int d) { return !llvm::is_contained(tile, d); }));
    }
    return tile;
  }

  //===--- kernels ------------------------------------------------------------------------------------------------===//

  /// Fewer registers than there are unless that costs a pass. A problem of at most two warps takes as few as four
  /// passes allow, or, within a warp, six: more threads hide more waiting than exchanges cost, unless elements
  /// are so narrow that exchanging them takes more instructions than their bytes are worth. Four numbers stay together:
  /// their factors are constants then, and sums with a factor of 1 exact; but problems that are less than an access are
  /// many to a thread.
  int usualRegisters(const Shape &kernel, int size) const {
    auto countPasses = [&](int registers) { return mappings.passesOf(kernel.first, kernel.last, registers).size(); };
    int least = std::max(1, largestNode), lanes = floorLog2(target.lanes);
    constexpr int together = 2;
    constexpr size_t mostInWarp = 6, mostInTwo = 4; // passes
    if (size == request.numDigits && steps > 0 && size <= together &&
        request.elementBytes << size >= target.vectorBytes)
      return std::max(least, size);
    if (size == request.numDigits && steps > 0 && request.elementBytes >= wideElementBytes)
      for (int registers = least; registers < registerDigits; ++registers)
        if (size_t passes = countPasses(registers);
            size <= registers + lanes + 1 && passes <= (size <= registers + lanes ? mostInWarp : mostInTwo))
          return registers;
    bool narrow = request.elementBytes < 4;
    bool fewer = registerDigits > least && countPasses(registerDigits - 1) == countPasses(registerDigits);
    return fewer && !narrow ? registerDigits - 1 : registerDigits;
  }

  KernelPlan blockKernel(const Shape &kernel, std::vector<int> tile, const Side &load, const Side &store) const {
    int registers = kernel.registers ? kernel.registers : usualRegisters(kernel, static_cast<int>(tile.size()));
    // More when the threads would exceed a block.
    registers = std::max(registers, std::min(registerDigits, static_cast<int>(tile.size()) - threadDigits));
    // Small problems share a block: low batch digits up to a full set of threads.
    int wanted = std::min(tileDigits, registers + filledThreadDigits - (registers == registerDigits));
    if (static_cast<int>(tile.size()) == request.numDigits)
      for (int d = request.numDigits + 1; static_cast<int>(tile.size()) < wanted; ++d)
        tile.push_back(d);
    registers = std::min(registers, std::max(0, static_cast<int>(tile.size()) - floorLog2(target.lanes)));
    return mappings.blockKernel(kernel.first, kernel.last, tile, registers, load, store);
  }

  std::optional<KernelPlan> clusterKernel(const Shape &kernel, const std::vector<int> &tile, const Side &load,
                                          const Side &store) const {
    return mappings.clusterKernel(kernel.first, kernel.last, tile, kernel.registers, kernel.ranks, load, store);
  }
};

} // namespace

void passes::proposeBlocks(const PlanRequest &request, const Target &target, CandidatePool &pool) {
  BlockPlanner(request, target).run(pool);
}
