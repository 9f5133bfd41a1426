// Resource analysis: kernels, passes and mappings from counted bytes and registers.
//
// 1. Kernels. Steps i..j can share a kernel when their digits and the columns that keep memory runs long fit a tile. The
//    cost of a kernel is the cost of its two runs (load and store), from the target's table; splits are chosen by dynamic
//    programming over the number of steps, so fewest trips to memory come first by themselves.
// 2. Tile. The kernel's digits, then low address digits of the side with the costlier runs until the tile is full, then
//    low batch digits: small problems share a block.
// 3. Passes. Consecutive steps whose digits fit the registers, in as few passes as possible and of even size.
// 4. Mappings. Registers hold the pass's digits, then the slowest address digits; lanes and warps the rest, fastest
//    address digits first, by the load order in the first pass and by the store order afterwards. Where that would give
//    runs shorter than a sector, a load or store mapping of its own stands before or after, and an exchange between.
#include "compiler/passes/Planner.h"

#include <algorithm>
#include <limits>
#include <set>

using namespace idc;
using namespace idc::passes;
using digits::AddressOrder;
using digits::Field;
using digits::Mapping;

namespace {

int floorLog2(int64_t x) {
  int k = 0;
  while (x >= 2) {
    x /= 2;
    ++k;
  }
  return k;
}

bool contains(const std::vector<int> &v, int d) { return std::find(v.begin(), v.end(), d) != v.end(); }

class Planner {
public:
  Planner(const PlanRequest &request, const Target &target) : request(request), target(target) {
    laneDigits = floorLog2(target.lanes);
    maxRegisterDigits = std::min(5, floorLog2(4 * target.dataRegistersPerThread / request.elementBytes));
    vectorDigits = std::max(0, floorLog2(target.vectorBytes / request.elementBytes));
    tileDigits = floorLog2(target.tileBytes / request.elementBytes);
    maxTileDigits = floorLog2(target.maxTileBytes / request.elementBytes);
    maxTileDigits = std::min(maxTileDigits, maxRegisterDigits + floorLog2(target.maxThreadsPerBlock));
    tileDigits = std::min(std::min(tileDigits, maxTileDigits), 13);
  }

  bool run(Schedule &schedule, std::string &error) {
    int m = static_cast<int>(request.stepDigits.size());
    if (m == 0) {
      schedule.kernels.push_back(target.kind == "cpu" ? vectorKernel(1, 0, true, true) : blockKernel(1, 0, true, true));
      return true;
    }
    const double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> best(m + 1, infinity);
    std::vector<int> from(m + 1, -1);
    best[0] = 0;
    for (int last = 1; last <= m; ++last)
      for (int first = last; first >= 1; --first) {
        double cost = kernelCost(first, last);
        if (cost == infinity)
          break; // more steps only need more digits
        if (best[first - 1] + cost < best[last]) {
          best[last] = best[first - 1] + cost;
          from[last] = first;
        }
      }
    if (best[m] == infinity) {
      error = "a step acts on more digits than a kernel of " + target.name + " can hold";
      return false;
    }
    std::vector<std::pair<int, int>> parts;
    for (int last = m; last > 0; last = from[last] - 1)
      parts.emplace_back(from[last], last);
    std::reverse(parts.begin(), parts.end());
    for (auto [first, last] : parts)
      schedule.kernels.push_back(target.kind == "cpu" ? vectorKernel(first, last, first == 1, last == m)
                                                      : blockKernel(first, last, first == 1, last == m));
    return true;
  }

private:
  const PlanRequest &request;
  const Target &target;
  int laneDigits, maxRegisterDigits, vectorDigits, tileDigits, maxTileDigits;

  AddressOrder naturalOrder() const {
    AddressOrder order;
    for (int d = 1; d <= request.numDigits; ++d)
      order.push_back(d);
    return order;
  }
  AddressOrder loadOrderOf(int first) const { return first == 1 ? request.loadOrder : naturalOrder(); }
  AddressOrder storeOrderOf(int last) const {
    return last == static_cast<int>(request.stepDigits.size()) ? request.storeOrder : naturalOrder();
  }

  std::vector<int> digitsOfSteps(int first, int last) const {
    std::set<int> digits;
    for (int s = first; s <= last; ++s)
      digits.insert(request.stepDigits[s - 1].begin(), request.stepDigits[s - 1].end());
    return {digits.begin(), digits.end()};
  }

  /// The tile of a kernel with room for `capacity` digits, without batch digits: its own, then low address digits of
  /// whichever side moves data in the costlier runs.
  std::vector<int> tileOf(const std::vector<int> &own, const AddressOrder &load, const AddressOrder &store,
                          int capacity) const {
    std::vector<int> tile = own;
    while (static_cast<int>(tile.size()) < std::min(capacity, request.numDigits)) {
      int64_t loadRun = runBytes(tile, load, request.elementBytes);
      int64_t storeRun = runBytes(tile, store, request.elementBytes);
      double loadCost = target.costOfRun(loadRun), storeCost = target.costOfRun(storeRun);
      bool forLoad = loadCost != storeCost ? loadCost > storeCost : loadRun <= storeRun;
      const AddressOrder &order = forLoad ? load : store;
      tile.push_back(*std::find_if(order.begin(), order.end(), [&](int d) { return !contains(tile, d); }));
    }
    return tile;
  }

  double kernelCost(int first, int last) const {
    std::vector<int> own = digitsOfSteps(first, last);
    int k = static_cast<int>(own.size());
    if (target.kind == "cpu")
      return k <= maxRegisterDigits ? 1.0 : std::numeric_limits<double>::infinity();
    double best = std::numeric_limits<double>::infinity();
    for (int capacity : {tileDigits, maxTileDigits}) {
      if (k > capacity)
        continue;
      best = std::min(best, costWithTile(first, last, own, capacity));
    }
    return best;
  }

  double costWithTile(int first, int last, const std::vector<int> &own, int capacity) const {
    AddressOrder load = loadOrderOf(first), store = storeOrderOf(last);
    std::vector<int> tile = tileOf(own, load, store, capacity);
    double cost = (runCost(tile, load) + runCost(tile, store)) / 2;
    // One block a multiprocessor leaves memory idle while it computes.
    return capacity > tileDigits && static_cast<int>(tile.size()) > tileDigits ? cost * 1.3 : cost;
  }

  double runCost(const std::vector<int> &tile, const AddressOrder &order) const {
    return static_cast<int>(tile.size()) == request.numDigits
               ? 1.0
               : target.costOfRun(runBytes(tile, order, request.elementBytes));
  }

  int chooseCapacity(int first, int last, const std::vector<int> &own) const {
    if (static_cast<int>(own.size()) > tileDigits)
      return maxTileDigits;
    return costWithTile(first, last, own, maxTileDigits) < costWithTile(first, last, own, tileDigits) ? maxTileDigits
                                                                                                      : tileDigits;
  }

  /// Consecutive steps grouped so that each group's digits fit `registers`, groups as even as possible.
  std::vector<std::pair<int, int>> passesOf(int first, int last, int registers) const {
    int total = static_cast<int>(digitsOfSteps(first, last).size());
    int count = countPasses(first, last, registers);
    int even = count > 0 ? (total + count - 1) / count : registers;
    for (int size = std::max(1, even); size < registers; ++size)
      if (countPasses(first, last, size) == count)
        return groups(first, last, size);
    return groups(first, last, registers);
  }
  int countPasses(int first, int last, int size) const {
    std::vector<std::pair<int, int>> g = groups(first, last, size);
    return static_cast<int>(g.size());
  }
  std::vector<std::pair<int, int>> groups(int first, int last, int size) const {
    std::vector<std::pair<int, int>> result;
    for (int s = first; s <= last;) {
      int e = s;
      while (e + 1 <= last && static_cast<int>(digitsOfSteps(s, e + 1).size()) <= size)
        ++e;
      result.emplace_back(s, e);
      s = e + 1;
    }
    return result;
  }

  /// Registers for the given digits first, then the slowest address digits; lanes and warps the rest, fastest first.
  Mapping mappingOf(const std::vector<int> &tile, const std::vector<int> &inRegisters, int registers,
                    const AddressOrder &order, const std::vector<int> &blockDigits) const {
    std::vector<int> sorted; // tile digits by address; batch digits above all
    for (int d : order)
      if (contains(tile, d))
        sorted.push_back(d);
    for (int d : tile)
      if (d > request.numDigits)
        sorted.push_back(d);
    std::vector<int> regs = inRegisters;
    std::sort(regs.begin(), regs.end());
    for (size_t i = sorted.size(); i-- > 0 && static_cast<int>(regs.size()) < registers;)
      if (!contains(regs, sorted[i]))
        regs.push_back(sorted[i]);
    Mapping mapping;
    for (int d : regs)
      mapping.push(Field::Reg, d);
    int lanes = 0;
    for (int d : sorted)
      if (!contains(regs, d))
        mapping.push(lanes++ < laneDigits ? Field::Lane : Field::Warp, d);
    for (int d : blockDigits)
      mapping.push(Field::Block, d);
    return mapping;
  }

  /// The mapping that only moves data: a vector of the lowest digits and the slowest ones in registers.
  Mapping memoryMapping(const std::vector<int> &tile, int registers, const AddressOrder &order,
                        const std::vector<int> &blockDigits) const {
    std::vector<int> vector;
    for (size_t i = 0; i < order.size() && static_cast<int>(vector.size()) < std::min(vectorDigits, registers); ++i) {
      if (!contains(tile, order[i]))
        break;
      vector.push_back(order[i]);
    }
    return mappingOf(tile, vector, registers, order, blockDigits);
  }

  /// Bytes of the runs that one warp-wide access touches: digits in lanes or in the vector part of the registers.
  int64_t accessRun(const Mapping &mapping, const AddressOrder &order) const {
    std::vector<int> covered;
    for (const digits::Column &column : mapping[Field::Lane])
      covered.push_back(column.digits[0]);
    int vector = 0;
    for (int d : order) {
      bool inRegisters = false;
      for (const digits::Column &column : mapping[Field::Reg])
        inRegisters |= column.digits[0] == d;
      if (!inRegisters || vector == vectorDigits)
        break;
      covered.push_back(d);
      ++vector;
    }
    AddressOrder full = order;
    for (int d : mapping.digits())
      if (d > request.numDigits)
        full.push_back(d);
    return runBytes(covered, full, request.elementBytes);
  }

  bool reachesFullRuns(const Mapping &mapping, const std::vector<int> &tile, const AddressOrder &order) const {
    AddressOrder full = order;
    for (int d : tile)
      if (d > request.numDigits)
        full.push_back(d);
    int64_t possible = std::min<int64_t>(runBytes(tile, full, request.elementBytes), 4 * target.sectorBytes);
    return accessRun(mapping, order) >= possible;
  }

  std::vector<int> blockDigitsOf(const std::vector<int> &tile) const {
    std::vector<int> digits;
    for (int d = 1; d <= request.numDigits; ++d)
      if (!contains(tile, d))
        digits.push_back(d);
    return digits;
  }

  KernelPlan blockKernel(int first, int last, bool, bool) const {
    AddressOrder load = loadOrderOf(first), store = storeOrderOf(last);
    std::vector<int> own = digitsOfSteps(first, last);
    int k = static_cast<int>(own.size());
    std::vector<int> tile = tileOf(own, load, store, chooseCapacity(first, last, own));
    // As few passes as registers allow; then few registers, but enough loads in flight.
    int registers = maxRegisterDigits;
    int least = std::max(1, std::min(maxRegisterDigits - 1, maxRegisterDigits));
    for (int r = least; r < maxRegisterDigits; ++r)
      if (countPasses(first, last, r) == countPasses(first, last, maxRegisterDigits)) {
        registers = r;
        break;
      }
    if (k == 0)
      registers = least;
    // Threads: 256 of them with the smaller register tile, and never more than a block has.
    int threads = static_cast<int>(tile.size()) - registers;
    int wanted = registers == maxRegisterDigits ? 7 : 8;
    int mostThreads = floorLog2(target.maxThreadsPerBlock);
    if (threads > std::min(9, mostThreads)) {
      registers = std::min(maxRegisterDigits, static_cast<int>(tile.size()) - std::min(9, mostThreads));
      threads = static_cast<int>(tile.size()) - registers;
    }
    for (int d = request.numDigits + 1; static_cast<int>(tile.size()) < registers + wanted &&
                                        static_cast<int>(tile.size()) < tileDigits &&
                                        blockDigitsOf(tile).empty();
         ++d)
      tile.push_back(d);
    while (static_cast<int>(tile.size()) < registers + laneDigits && registers > 1)
      --registers;
    std::vector<int> blockDigits = blockDigitsOf(tile);

    KernelPlan kernel;
    std::vector<std::pair<int, int>> passes;
    if (k > 0)
      passes = passesOf(first, last, registers);
    for (size_t i = 0; i < passes.size(); ++i) {
      RangePlan range;
      range.first = passes[i].first;
      range.last = passes[i].second;
      range.mapping = mappingOf(tile, digitsOfSteps(range.first, range.last), registers, i == 0 ? load : store,
                                blockDigits);
      kernel.ranges.push_back(range);
    }
    // A single pass may serve the store order better.
    if (passes.size() == 1 && !reachesFullRuns(kernel.ranges[0].mapping, tile, load)) {
      Mapping other = mappingOf(tile, own, registers, store, blockDigits);
      if (reachesFullRuns(other, tile, store))
        kernel.ranges[0].mapping = other;
    }
    if (passes.empty() || !reachesFullRuns(kernel.ranges.front().mapping, tile, load)) {
      RangePlan range;
      range.kind = RangePlan::Kind::Load;
      range.mapping = memoryMapping(tile, registers, load, blockDigits);
      kernel.ranges.insert(kernel.ranges.begin(), range);
    }
    if (passes.empty() || !reachesFullRuns(kernel.ranges.back().mapping, tile, store)) {
      RangePlan range;
      range.kind = RangePlan::Kind::Store;
      range.mapping = memoryMapping(tile, registers, store, blockDigits);
      kernel.ranges.push_back(range);
    }
    return kernel;
  }

  /// A CPU kernel: one pass over memory, lanes on whichever low address digits make both sides' runs longest.
  KernelPlan vectorKernel(int first, int last, bool, bool) const {
    AddressOrder load = loadOrderOf(first), store = storeOrderOf(last);
    std::vector<int> own = digitsOfSteps(first, last);
    auto lanesFrom = [&](const AddressOrder &order) {
      std::vector<int> lanes;
      for (int d : order)
        if (!contains(own, d) && static_cast<int>(lanes.size()) < laneDigits)
          lanes.push_back(d);
      for (int d = request.numDigits + 1; static_cast<int>(lanes.size()) < laneDigits; ++d)
        lanes.push_back(d);
      return lanes;
    };
    std::vector<int> byLoad = lanesFrom(load), byStore = lanesFrom(store);
    auto total = [&](const std::vector<int> &lanes) {
      return std::min<int64_t>(runBytes(lanes, load, request.elementBytes), target.vectorBytes) +
             std::min<int64_t>(runBytes(lanes, store, request.elementBytes), target.vectorBytes);
    };
    std::vector<int> lanes = total(byLoad) >= total(byStore) ? byLoad : byStore;
    RangePlan range;
    range.first = first;
    range.last = last;
    if (own.empty())
      range.kind = RangePlan::Kind::Load;
    for (int d : own)
      range.mapping.push(Field::Reg, d);
    std::vector<int> held = own;
    for (int d : lanes) {
      range.mapping.push(Field::Lane, d);
      held.push_back(d);
    }
    for (int d : blockDigitsOf(held))
      range.mapping.push(Field::Block, d);
    KernelPlan kernel;
    kernel.ranges.push_back(range);
    return kernel;
  }
};

} // namespace

int64_t passes::runBytes(const std::vector<int> &digitSet, const AddressOrder &order, int64_t elementBytes) {
  int64_t bytes = elementBytes;
  for (int d : order) {
    if (!contains(digitSet, d))
      break;
    bytes *= 2;
  }
  return bytes;
}

bool passes::planSchedule(const PlanRequest &request, const Target &target, Schedule &schedule, std::string &error) {
  return Planner(request, target).run(schedule, error);
}
