// CPU plans: a kernel is one pass over memory. A block of it holds a tile that the caches keep, goes through it in
// passes over registers, and each pass through it in turns.
//
//   12 digits, one tile     reg(12..10) lane(3..1) warp(9..4)     turns of 8 vectors of 8 lanes
//                           reg(9..7) lane(3..1) warp(12..10, 6..4)
//                           reg(6..4) lane(3..1) warp(12..7)
//                           reg(3..1) lane(10, 11, 12) warp(9..4)    lanes as the result is stored
//
// Lanes are low address digits: of the load from the first pass on, of the store in the last one, and from where a step
// acts on those of the load. So vectors in memory are whole but for one place, where a turn transposes what it holds.
#include "compiler/passes/VectorPlanner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace idc;
using namespace idc::passes;
using digits::AddressOrder;
using digits::Field;

namespace {

class VectorPlanner {
public:
  VectorPlanner(const PlanRequest &request, const Target &target) : request(request), target(target) {
    lastStep = static_cast<int>(request.stepDigits.size());
    laneDigits = floorLog2(std::min(target.lanes, target.vectorBytes * request.numbers / request.registerBytes));
    // Half of what registers hold of numbers of 8 bytes, which take more operations: factors are more precise.
    const int64_t vectors = request.registerBytes > 4 * request.numbers ? 2 : 1;
    registers = floorLog2(target.dataRegistersPerThread / (request.numbers * vectors));
    for (const std::vector<int> &digits : request.stepDigits)
      widest = std::max(widest, static_cast<int>(digits.size()));
    registers = std::max(registers, widest);
    wholeDigits = floorLog2(target.dataRegistersPerThread / (2 * request.numbers)) + laneDigits;
    tileDigits = std::max(registers + laneDigits, floorLog2(target.tileBytes / request.elementBytes));
    runDigits = std::max(laneDigits, floorLog2(2 * target.sectorBytes / request.elementBytes));
  }

  std::optional<Schedule> plan() {
    if (!areBits(request)) {
      Schedule schedule;
      schedule.kernels.push_back(flatKernel());
      return schedule;
    }
    if (widest > maxNodeDigits(target, request.registerBytes))
      return std::nullopt;
    // As few kernels as large tiles make, of tiles no larger than that takes.
    std::vector<std::pair<int, int>> kernels = kernelsOf(tileDigits);
    for (int less = tileDigits - 1; less > registers + laneDigits; --less) {
      std::vector<std::pair<int, int>> smaller = kernelsOf(less);
      if (smaller.size() > kernels.size())
        break;
      kernels = std::move(smaller);
    }
    Schedule schedule;
    for (auto [first, last] : kernels)
      schedule.kernels.push_back(kernel(first, last));
    return schedule;
  }

private:
  const PlanRequest &request;
  const Target &target;
  int lastStep, laneDigits, registers, wholeDigits, tileDigits, runDigits, widest = 0;

  const AddressOrder &loadOrder(int first) const { return first <= 1 ? request.loadOrder : natural(); }
  const AddressOrder &storeOrder(int last) const { return last == lastStep ? request.storeOrder : natural(); }
  const AddressOrder &natural() const {
    if (naturalOrder.empty())
      for (int d = 1; d <= request.numDigits; ++d)
        naturalOrder.push_back(d);
    return naturalOrder;
  }
  mutable AddressOrder naturalOrder;

  /// The lowest digits of an order that are not in `without`, at most `count`.
  static std::vector<int> lowest(const AddressOrder &order, const std::vector<int> &without, int count) {
    std::vector<int> digits;
    for (int d : order)
      if (static_cast<int>(digits.size()) < count && !llvm::is_contained(without, d))
        digits.push_back(d);
    return digits;
  }

  static void add(std::vector<int> &digits, const std::vector<int> &more, int most) {
    for (int d : more)
      if (static_cast<int>(digits.size()) < most && !llvm::is_contained(digits, d))
        digits.push_back(d);
  }

  /// The lowest digits of a load or a store, then others where it has too few.
  std::vector<int> lanesOf(const AddressOrder &order, const std::vector<int> &without, int count) const {
    std::vector<int> lanes = lowest(order, without, count);
    add(lanes, lowest(natural(), without, request.numDigits), count);
    return lanes;
  }

  /// The digits of a tile: those that steps act on, and the lowest of both sides as far as runs in memory take them.
  std::vector<int> tileOf(int first, int last) const {
    std::vector<int> held = digitsOfSteps(request, first, last);
    for (const AddressOrder *order : {&loadOrder(first), &storeOrder(last)})
      add(held, lowest(*order, {}, runDigits), request.numDigits);
    return held;
  }

  /// The steps in runs, one for each kernel, whose tiles have at most so many digits.
  std::vector<std::pair<int, int>> kernelsOf(int most) const {
    std::vector<std::pair<int, int>> result;
    if (lastStep == 0)
      return {{1, 0}};
    for (int first = 1, last; first <= lastStep; first = last + 1) {
      for (last = first; last < lastStep && !request.isBegin(last + 1) &&
                         static_cast<int>(tileOf(first, last + 1).size()) <= most &&
                         isShortEnough(request, first, last + 1, int64_t(1) << registers);)
        ++last;
      result.emplace_back(first, last);
    }
    return result;
  }

  /// The same for passes over registers that hold so many digits: the first one has what is left, the last ones are
  /// full, so that lanes of the load are acted on together.
  std::vector<std::pair<int, int>> passesOf(int first, int last, int most) const {
    std::vector<std::pair<int, int>> result;
    if (last < first)
      return {{first, last}};
    for (int end = last, begin; end >= first; end = begin - 1) {
      for (begin = end; begin > first && countDigits(request, begin - 1, end) <= most;)
        --begin;
      result.emplace_back(begin, end);
    }
    std::reverse(result.begin(), result.end());
    return result;
  }

  /// A tile that stays in the first-level cache is gone through in passes that hold half as much: these are more, but
  /// most of what a pass holds stays in registers.
  int registersFor(int digits) const {
    const bool isNear = request.elementBytes << digits <= target.nearTileBytes;
    return isNear ? std::max(registers - 1, std::max(1, widest)) : registers;
  }

  /// The digits of a kernel's lanes, and of what else a turn holds.
  struct Turn {
    int lanes, registers;
    bool whole; // a block is one turn
  };
  Turn turnOf(size_t tile) const {
    const int digits = static_cast<int>(tile), held = registersFor(digits);
    if (digits <= std::max(held + laneDigits, wholeDigits)) { // all in registers, or half of what they hold
      const int lanes = std::min({laneDigits, digits / 2, digits - std::max(1, widest)});
      return {lanes, digits - lanes, true};
    }
    return {laneDigits, held, false};
  }

  KernelPlan kernel(int first, int last) const {
    std::vector<int> tile = tileOf(first, last);
    const AddressOrder &load = loadOrder(first), &store = storeOrder(last);
    // With one pass nothing is exchanged: what no turn needs numbers blocks. The lanes of tiny problems are of several.
    const std::vector<int> own = digitsOfSteps(request, first, last);
    const int batchFrom = request.numDigits + 1, beside = request.numDigits - static_cast<int>(own.size());
    constexpr int tiny = 2;
    if (static_cast<int>(own.size()) <= registers && (beside >= laneDigits || request.numDigits <= tiny)) {
      std::vector<int> byLoad = lanesOf(load, own, laneDigits), byStore = lanesOf(store, own, laneDigits);
      std::vector<int> lanes = runs(byLoad, load, store) >= runs(byStore, load, store) ? byLoad : byStore;
      for (int d = batchFrom; static_cast<int>(lanes.size()) < laneDigits; ++d)
        lanes.push_back(d);
      // Registers that no step needs hold what lies side by side on the other side.
      std::vector<int> held = own, taken = own;
      taken.insert(taken.end(), lanes.begin(), lanes.end());
      add(held, lowest(lanes == byLoad ? store : load, taken, laneDigits), registers);
      llvm::sort(held);
      KernelPlan plan;
      plan.ranges.push_back(range(first, last, held, lanes, {}));
      return plan;
    }
    const Turn turn = turnOf(tile.size());
    KernelPlan plan;
    std::vector<int> lanes;
    const auto passes = passesOf(first, last, turn.registers);
    for (auto [begin, end] : passes) {
      std::vector<int> acted = digitsOfSteps(request, begin, end);
      const bool isFirst = begin == first, isLast = end == last;
      const std::vector<int> before = lanes;
      auto isActed = [&](int digit) { return llvm::is_contained(acted, digit); };
      std::vector<int> others = remainingDigits(request, tile); // and those that are acted on
      others.insert(others.end(), acted.begin(), acted.end());
      if (isFirst)
        lanes = lanesOf(load, others, turn.lanes);
      else if (isLast || llvm::any_of(lanes, isActed))
        lanes = lanesOf(store, others, turn.lanes);
      // The rest of the registers: what has been lanes, then what lies side by side.
      std::vector<int> held = acted;
      std::vector<int> rest;
      for (const std::vector<int> &digits : {before, isLast ? store : load, natural()})
        for (int d : digits)
          if (llvm::is_contained(tile, d) && !llvm::is_contained(lanes, d))
            rest.push_back(d);
      add(held, rest, turn.registers);
      std::vector<int> turns;
      for (const AddressOrder *order : {isLast ? &store : &load, &natural()})
        for (int d : *order)
          if (llvm::is_contained(tile, d) && !llvm::is_contained(lanes, d) && !llvm::is_contained(held, d) &&
              !llvm::is_contained(turns, d))
            turns.push_back(d);
      llvm::sort(held);
      plan.ranges.push_back(range(begin, end, held, lanes, turns));
    }
    return plan;
  }

  int64_t valuesOf(DigitSet digits) const {
    int64_t values = 1;
    for (int d : digitsIn(digits))
      values *= request.radices[static_cast<size_t>(d) - 1];
    return values;
  }

  /// Digits of other radices: a block holds the whole sequence, its threads are counted through. A pass takes as many
  /// steps as the registers hold values, but some threads are left for the lanes of vectors. Threads are in the order
  /// of the load in the first pass, in that of the store in others.
  KernelPlan flatKernel() const {
    KernelPlan plan;
    constexpr int64_t fewLanes = 4;
    const int64_t most = target.dataRegistersPerThread / request.numbers;
    const int64_t all = valuesOf(~(~DigitSet(0) << (request.numDigits + 1)) & ~DigitSet(1));
    const int64_t held = all <= most ? most : std::min(most, all / fewLanes);
    for (int first = 1, last; first <= std::max(1, lastStep); first = last + 1) {
      for (last = std::min(first, lastStep); last < lastStep;) {
        const int64_t values = valuesOf(request.stepDigits.ofRun(first, last + 1));
        if (values > held || !isShortEnough(request, first, last + 1, values))
          break;
        ++last;
      }
      std::vector<int> own = digitsOfSteps(request, first, last);
      const AddressOrder &order = first == 1 && last < lastStep ? request.loadOrder : request.storeOrder;
      plan.ranges.push_back(range(first, last, own, {}, lanesOf(order, own, request.numDigits)));
      last = std::max(last, first);
    }
    return plan;
  }

  int64_t runs(const std::vector<int> &lanes, const AddressOrder &load, const AddressOrder &store) const {
    const int64_t most = target.vectorBytes;
    return std::min(runBytes(lanes, load, request.loadBytes), most) +
           std::min(runBytes(lanes, store, request.storeBytes), most);
  }

  RangePlan range(int first, int last, const std::vector<int> &held, const std::vector<int> &lanes,
                  const std::vector<int> &turns) const {
    RangePlan range;
    range.kind = last < first ? RangePlan::Kind::Load : RangePlan::Kind::Steps;
    range.first = first;
    range.last = last;
    std::vector<int> all;
    auto push = [&](Field field, const std::vector<int> &digits) {
      for (int d : digits) {
        range.mapping.push(field, d);
        all.push_back(d);
      }
    };
    push(Field::Reg, held);
    push(Field::Lane, lanes);
    push(Field::Warp, turns);
    push(Field::Block, remainingDigits(request, all));
    return range;
  }
};

} // namespace

/// Adds the plan for a machine like the target; `off`: what the target's numbers are preferred by.
static void propose(const PlanRequest &request, const Target &target, double off, CandidatePool &pool) {
  std::optional<Schedule> schedule = VectorPlanner(request, target).plan();
  if (!schedule)
    return;
  constexpr double passOverRegisters = 0.05; // beside one over memory
  Candidate candidate{std::move(*schedule), {off, "passes over memory", {}}};
  for (const KernelPlan &kernel : candidate.schedule.kernels) {
    const double passes = static_cast<double>(kernel.ranges.size());
    candidate.cost.kernels.push_back({1 + passOverRegisters * passes, {{"passes over registers", passes}}});
    candidate.cost.cost += candidate.cost.kernels.back().cost;
  }
  pool.add(std::move(candidate));
}

void passes::proposeVectors(const PlanRequest &request, const Target &target, CandidatePool &pool) {
  propose(request, target, 0, pool);
  if (!request.forTuning)
    return;
  // Cores differ in how many values they keep at hand, in registers and in each of their caches. The first stays first.
  constexpr double other = 1;
  for (int64_t registers :
       {target.dataRegistersPerThread / 2, target.dataRegistersPerThread, 2 * target.dataRegistersPerThread})
    for (int64_t tile = 2 * target.tileBytes; tile >= target.tileBytes / 32; tile /= 2) {
      Target machine = target;
      machine.dataRegistersPerThread = registers;
      machine.tileBytes = tile;
      propose(request, machine, other, pool);
    }
}
