// GPU plans for one problem at a time, from the time that each part of a kernel takes.
//
// 1. Shapes. A kernel of steps i..j has a tile (its own digits, then lowest address digits where it meets input or
//    output: columns), elements per thread, and blocks that hold the tile together. All of them are tried.
// 2. Time. A kernel is launched, or starts while its predecessor ends; then its busiest multiprocessor loads, computes
//    pass by pass, exchanges between passes, and stores. A pass takes as long as the instructions of the warps that
//    share a scheduler, an exchange as long as its barrier, an access as long as the bytes of the whole sectors it
//    touches, on that multiprocessor or in the whole device, and the load its latency on top. Several blocks on a
//    multiprocessor overlap the two. The constants are the target's, fitted to measurements.
// 3. Kernels. Dynamic programming over the number of steps, every kernel in its best shape.
#include "compiler/passes/LatencyPlanner.h"

#include "compiler/passes/SplitSteps.h"
#include "compiler/passes/TileMappings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <limits>

using namespace idc;
using namespace idc::passes;
using digits::AddressOrder;
using digits::Field;
using digits::Mapping;

namespace {

/// A kernel's steps and how its blocks hold its data. Numbers are logarithms.
struct Shape {
  int first = 1, last = 0; // steps
  int tile = 0;            // elements of a block, or of a cluster of blocks
  int registers = 0;       // elements of a thread
  int ranks = 0;           // blocks of a cluster
};

class LatencyPlanner {
public:
  LatencyPlanner(const PlanRequest &request, const Target &target)
      : request(request), target(target), mappings(request, target), steps(static_cast<int>(request.stepDigits.size())),
        laneDigits(floorLog2(target.lanes)), registerDigits(passes::registerDigits(target, request.heldBytes())) {}

  /// The schedules of least time, as many as the pool wants.
  void run(CandidatePool &pool) const {
    auto shapes = [&](int first, int last, const CostLimit &limit) {
      return shapesOf(first, last, pool.wanted() == 1, limit);
    };
    // Several shapes may come to one schedule.
    for (size_t count = pool.wanted();; count *= 2) {
      const auto splits = cheapestSplits<Shape>(steps, count, shapes);
      for (const auto &[kernels, time] : splits)
        pool.add({scheduleOf(kernels), {time, "ns", costsOf(kernels)}});
      if (pool.isFull() || splits.size() < count)
        return;
    }
  }

private:
  const PlanRequest &request;
  const Target &target;
  TileMappings mappings;
  int steps;
  int laneDigits, registerDigits;
  /// What is tried: clusters of up to 8 blocks, blocks of up to 256 threads.
  static constexpr int clusterDigits = 3, threadDigits = 8;
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  Schedule scheduleOf(const std::vector<Shape> &kernels) const {
    std::vector<std::vector<int>> tiles;
    for (const Shape &kernel : kernels)
      tiles.push_back(tileOf(kernel));
    return mappings.inSequence(
        tiles, [&](size_t k, const Side &load, const Side &store) { return *planOf(kernels[k], load, store); });
  }

  /// All forms of a kernel, each with its time or with a bound of it that reaches the limit; `best`: those that are
  /// not better than one before are left out.
  std::vector<std::pair<Shape, double>> shapesOf(int first, int last, bool best, CostLimit limit) const {
    std::vector<std::pair<Shape, double>> shapes;
    if (!request.isPossible(first, last) || !isShortEnough(request, first, last, int64_t(1) << registerDigits))
      return shapes;
    int own = countDigits(request, first, last), widest = 0;
    for (int s = first; s <= last; ++s)
      widest = std::max(widest, static_cast<int>(request.stepDigits[s - 1].size()));
    int most = std::max(registerDigits, std::min(widest, maxNodeDigits(target, request.heldBytes())));
    // Larger clusters and blocks have the latency of smaller ones, and more.
    int mostRanks = request.values > 1 ? 0 : std::min(clusterDigits, floorLog2(target.maxCluster)),
        mostThreads = std::min(threadDigits, floorLog2(target.maxThreadsPerBlock));
    for (int registers = std::max(std::min(1, request.numDigits), widest); registers <= most; ++registers)
      for (int ranks = 0; ranks <= mostRanks; ++ranks)
        for (int threads = laneDigits; threads <= mostThreads; ++threads) {
          Shape shape{first, last, registers + ranks + threads, registers, ranks};
          // Problems share a block only to fill a warp.
          if (shape.tile < own || (shape.tile > request.numDigits && (threads > laneDigits || ranks)))
            continue;
          if (double time = timeOf(shape, limit); time < infinite) {
            shapes.emplace_back(shape, time);
            if (best)
              limit.known = std::min(limit.known, limit.before + time);
          }
        }
    return shapes;
  }

  bool meetsInput(const Shape &shape) const { return shape.first == 1; }
  bool meetsOutput(const Shape &shape) const { return shape.last == steps; }

  /// The kernel's digits, then lowest address digits where it meets input or output, or both, then batch digits.
  std::vector<int> tileOf(const Shape &shape) const {
    std::vector<int> tile = digitsOfSteps(request, shape.first, shape.last);
    bool inner = !meetsInput(shape) && !meetsOutput(shape);
    bool byLoad = meetsInput(shape) || inner, byStore = meetsOutput(shape) || inner;
    while (static_cast<int>(tile.size()) < std::min(shape.tile, request.numDigits)) {
      bool loadIsShorter = runBytes(tile, request.loadOrder, request.loadBytes) <=
                           runBytes(tile, request.storeOrder, request.storeBytes);
      const AddressOrder &order = byLoad && (loadIsShorter || !byStore) ? request.loadOrder : request.storeOrder;
      tile.push_back(*llvm::find_if(order, [&](int d) { return !llvm::is_contained(tile, d); }));
    }
    for (int d = request.numDigits + 1; static_cast<int>(tile.size()) < shape.tile; ++d)
      tile.push_back(d);
    return tile;
  }

  /// What the times of kernels are made of.
  std::vector<KernelCost> costsOf(const std::vector<Shape> &kernels) const {
    std::vector<KernelCost> costs;
    for (const Shape &kernel : kernels) {
      KernelCost &cost = costs.emplace_back();
      cost.cost = timeOf(kernel, CostLimit(), &cost.counted);
    }
    return costs;
  }

  std::optional<KernelPlan> planOf(const Shape &shape, const Side &load, const Side &store) const {
    std::vector<int> tile = tileOf(shape);
    if (shape.ranks)
      return mappings.clusterKernel(shape.first, shape.last, tile, shape.registers, shape.ranks, load, store);
    return mappings.blockKernel(shape.first, shape.last, tile, shape.registers, load, store);
  }

  /// Nanoseconds that a kernel adds to one problem, infinite when it does not exist; a bound where that reaches the
  /// limit. `counted`, if given, gets what it is made of.
  double timeOf(const Shape &shape, const CostLimit &limit,
                std::vector<std::pair<std::string, double>> *counted = nullptr) const {
    const LatencyCosts &costs = target.latency;
    const int64_t threads = int64_t(1) << (shape.tile - shape.registers - shape.ranks);
    const int64_t blocks = int64_t(1) << std::max(0, request.numDigits - shape.tile + shape.ranks);
    const auto perMultiprocessor = static_cast<double>((blocks + costs.multiprocessors - 1) / costs.multiprocessors);
    const double warps = std::max(1.0, std::ceil(perMultiprocessor * static_cast<double>(threads / target.lanes) /
                                                 static_cast<double>(target.schedulers)));
    const double pass = costs.pass + warps * static_cast<double>(int64_t(1) << shape.registers) * costs.element;
    const double start =
        (shape.first > 1 && target.dependentLaunch ? costs.dependentLaunch : costs.launch) + costs.load;
    constexpr double rounding = 1e-9;
    const auto leastPasses = static_cast<double>(mappings.leastPasses(shape.first, shape.last, shape.registers));
    if (double least = (1 - rounding) * (start + leastPasses * pass); limit.isReachedBy(least))
      return least;
    std::vector<int> tile = tileOf(shape);
    // Beside a workspace the runs are what both tiles have in common: taken to be as many columns again.
    AddressOrder between = mappings.workspaceOrder(tile, tile);
    Side load{meetsInput(shape) ? request.loadOrder : between, request.loadBytes};
    Side store{meetsOutput(shape) ? request.storeOrder : between, request.storeBytes};
    std::optional<KernelPlan> plan = planOf(shape, load, store);
    if (!plan)
      return infinite;
    if ((request.elementBytes << (shape.tile - shape.ranks)) > target.sharedBytesPerBlock)
      return infinite;

    int columns = shape.tile - countDigits(request, shape.first, shape.last);
    auto accessTime = [&](bool outside, const Side &side, const Mapping &mapping) {
      int64_t run = TileMappings::runOfBlock(mapping, side);
      if (!outside)
        run = std::min(run, side.elementBytes << std::max(0, 2 * columns));
      double sectors = std::max(1.0, static_cast<double>(target.sectorBytes) / static_cast<double>(run));
      double block = sectors * static_cast<double>(side.elementBytes << (shape.tile - shape.ranks));
      double all = sectors * static_cast<double>(side.elementBytes << request.numDigits);
      return std::max(block * perMultiprocessor / costs.multiprocessorBytes, all / costs.deviceBytes);
    };
    const std::vector<RangePlan> &ranges = plan->ranges;
    double memory = accessTime(meetsInput(shape), load, ranges.front().mapping) +
                    accessTime(meetsOutput(shape), store, ranges.back().mapping);
    memory *= 1 + costs.clusterShare * shape.ranks;
    double compute = 0;
    for (const RangePlan &range : ranges)
      if (range.kind == RangePlan::Kind::Steps)
        compute += pass;
    for (size_t i = 1; i < ranges.size(); ++i)
      if (ranges[i].mapping[Field::Rank] != ranges[i - 1].mapping[Field::Rank])
        compute += costs.clusterBarrier + costs.clusterBlock * static_cast<double>(int64_t(1) << shape.ranks);
      else if (threads > target.lanes)
        compute += costs.barrier;
    if (counted)
      *counted = {{"start", start},
                  {"memory", memory},
                  {"compute", compute},
                  {"passes", static_cast<double>(ranges.size())},
                  {"blocks of a multiprocessor", perMultiprocessor},
                  {"warps of a scheduler", warps}};
    // Blocks that share a multiprocessor compute while others access memory.
    return start + std::max(memory, compute) + std::min(memory, compute) / perMultiprocessor;
  }
};

} // namespace

void passes::proposeLatency(const PlanRequest &request, const Target &target, CandidatePool &pool) {
  LatencyPlanner(request, target).run(pool);
}
