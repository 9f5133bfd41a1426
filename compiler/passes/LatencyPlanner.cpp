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
#include <numeric>

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
  static constexpr double rounding = 1e-9; // of sums in another order

  Schedule scheduleOf(const std::vector<Shape> &kernels) const {
    std::vector<std::vector<int>> tiles;
    for (const Shape &kernel : kernels)
      tiles.push_back(tileOf(kernel));
    return mappings.inSequence(
        tiles, [&](size_t k, const Side &load, const Side &store) { return *planOf(kernels[k], load, store); });
  }

  /// All forms of a kernel, each with its time or with a bound of it that reaches the limit; `best`: those that are
  /// not better than another are of no use. The ones that can be fastest are counted first.
  std::vector<std::pair<Shape, double>> shapesOf(int first, int last, bool best, CostLimit limit) const {
    std::vector<std::pair<Shape, double>> shapes; // with bounds, then with times
    if (!request.isPossible(first, last) || !isShortEnough(request, first, last, int64_t(1) << registerDigits))
      return shapes;
    const int own = countDigits(request, first, last), widest = request.stepDigits.widestOfRun(first, last);
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
          shapes.emplace_back(shape, leastTime(shape));
        }
    std::vector<size_t> order(shapes.size());
    std::iota(order.begin(), order.end(), size_t(0));
    llvm::stable_sort(order, [&](size_t a, size_t b) { return shapes[a].second < shapes[b].second; });
    for (size_t i : order) {
      auto &[shape, time] = shapes[i];
      if (limit.isReachedBy(time))
        break; // those that follow can be no faster
      time = timeOf(shape);
      // Of equals the first one counts, so they are not told to be of no use.
      if (best)
        limit.known = std::min(limit.known, (1 + rounding) * (limit.before + time));
    }
    llvm::erase_if(shapes, [](const auto &shape) { return shape.second == infinite; });
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
      cost.cost = timeOf(kernel, &cost.counted);
    }
    return costs;
  }

  std::optional<KernelPlan> planOf(const Shape &shape, const Side &load, const Side &store) const {
    std::vector<int> tile = tileOf(shape);
    if (shape.ranks)
      return mappings.clusterKernel(shape.first, shape.last, tile, shape.registers, shape.ranks, load, store);
    return mappings.blockKernel(shape.first, shape.last, tile, shape.registers, load, store);
  }

  /// What a kernel of a shape has whatever its plan is.
  struct Load {
    double threads, blocks; // of the blocks, those of a multiprocessor
    double start, pass;     // ns
    double warps;           // of a scheduler
  };
  Load loadOf(const Shape &shape) const {
    const LatencyCosts &costs = target.latency;
    const int64_t threads = int64_t(1) << (shape.tile - shape.registers - shape.ranks);
    const int64_t blocks = int64_t(1) << std::max(0, request.numDigits - shape.tile + shape.ranks);
    Load load;
    load.threads = static_cast<double>(threads);
    load.blocks = static_cast<double>((blocks + costs.multiprocessors - 1) / costs.multiprocessors);
    load.warps = std::max(1.0, std::ceil(load.blocks * static_cast<double>(threads / target.lanes) /
                                         static_cast<double>(target.schedulers)));
    load.pass = costs.pass + load.warps * static_cast<double>(int64_t(1) << shape.registers) * costs.element;
    load.start = (shape.first > 1 && target.dependentLaunch ? costs.dependentLaunch : costs.launch) + costs.load;
    return load;
  }

  /// Nanoseconds of an access to memory in runs of so many bytes at most: beside a workspace the runs are what both
  /// tiles have in common, taken to be as many columns again.
  double accessTime(const Shape &shape, const Load &load, bool isOutside, int64_t elementBytes, int64_t run) const {
    const LatencyCosts &costs = target.latency;
    const int columns = shape.tile - countDigits(request, shape.first, shape.last);
    if (!isOutside)
      run = std::min(run, elementBytes << std::max(0, 2 * columns));
    const double sectors = std::max(1.0, static_cast<double>(target.sectorBytes) / static_cast<double>(run));
    const double block = sectors * static_cast<double>(elementBytes << (shape.tile - shape.ranks));
    const double all = sectors * static_cast<double>(elementBytes << request.numDigits);
    return std::max(block * load.blocks / costs.multiprocessorBytes, all / costs.deviceBytes) *
           (1 + costs.clusterShare * shape.ranks);
  }

  /// Blocks that share a multiprocessor compute while others access memory.
  static double total(const Load &load, double memory, double compute) {
    return load.start + std::max(memory, compute) + std::min(memory, compute) / load.blocks;
  }

  /// A bound of `timeOf` that takes no plan: of the fewest passes, with whole sectors.
  double leastTime(const Shape &shape) const {
    const LatencyCosts &costs = target.latency;
    const Load load = loadOf(shape);
    const auto passes = static_cast<double>(mappings.leastPasses(shape.first, shape.last, shape.registers));
    const double between =
        load.threads > static_cast<double>(target.lanes) ? std::min(costs.barrier, costs.clusterBarrier) : 0;
    const double memory = accessTime(shape, load, meetsInput(shape), request.loadBytes, target.sectorBytes) +
                          accessTime(shape, load, meetsOutput(shape), request.storeBytes, target.sectorBytes);
    return (1 - rounding) * total(load, memory, passes * load.pass + std::max(0.0, passes - 1) * between);
  }

  /// Nanoseconds that a kernel adds to one problem, infinite when it does not exist. `counted`, if given, gets what it
  /// is made of.
  double timeOf(const Shape &shape, std::vector<std::pair<std::string, double>> *counted = nullptr) const {
    const LatencyCosts &costs = target.latency;
    const Load load = loadOf(shape);
    std::vector<int> tile = tileOf(shape);
    AddressOrder between = mappings.workspaceOrder(tile, tile);
    Side loaded{meetsInput(shape) ? request.loadOrder : between, request.loadBytes};
    Side stored{meetsOutput(shape) ? request.storeOrder : between, request.storeBytes};
    std::optional<KernelPlan> plan = planOf(shape, loaded, stored);
    if (!plan)
      return infinite;
    if (!request.fitsSharedMemory(shape.tile - shape.ranks, target))
      return infinite;

    const std::vector<RangePlan> &ranges = plan->ranges;
    auto sideTime = [&](bool isOutside, const Side &side, const Mapping &mapping) {
      return accessTime(shape, load, isOutside, side.elementBytes, TileMappings::runOfBlock(mapping, side));
    };
    const double memory = sideTime(meetsInput(shape), loaded, ranges.front().mapping) +
                          sideTime(meetsOutput(shape), stored, ranges.back().mapping);
    double compute = 0;
    for (const RangePlan &range : ranges)
      if (range.kind == RangePlan::Kind::Steps)
        compute += load.pass;
    for (size_t i = 1; i < ranges.size(); ++i)
      if (ranges[i].mapping[Field::Rank] != ranges[i - 1].mapping[Field::Rank])
        compute += costs.clusterBarrier + costs.clusterBlock * static_cast<double>(int64_t(1) << shape.ranks);
      else if (load.threads > static_cast<double>(target.lanes))
        compute += costs.barrier;
    if (counted)
      *counted = {{"start", load.start},
                  {"memory", memory},
                  {"compute", compute},
                  {"passes", static_cast<double>(ranges.size())},
                  {"blocks of a multiprocessor", load.blocks},
                  {"warps of a scheduler", load.warps}};
    return total(load, memory, compute);
  }
};

} // namespace

void passes::proposeLatency(const PlanRequest &request, const Target &target, CandidatePool &pool) {
  LatencyPlanner(request, target).run(pool);
}
