#include "compiler/passes/TileMappings.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace idc;
using namespace idc::passes;
using digits::AddressOrder;
using digits::Field;
using digits::Mapping;

/// Sectors of a run, a line of the cache: longer ones are hardly faster.
static constexpr int64_t fullRunSectors = 4;
/// Exchanges between the blocks of a cluster: there and back.
static constexpr size_t mostExchanges = 2;

TileMappings::TileMappings(const PlanRequest &request, const Target &target)
    : request(request), target(target), laneDigits(floorLog2(target.lanes)) {
  constexpr int mostDigits = 16; // whose passes are counted ahead: what clusters hold
  const int steps = static_cast<int>(request.stepDigits.size());
  for (int registers = 0; registers <= mostDigits; ++registers) {
    std::vector<int> &passes = passesUpTo.emplace_back(1, 0);
    for (auto [first, last] : groupSteps(request, 1, steps, registers))
      passes.insert(passes.end(), last - first + 1, passes.back() + 1);
  }
}

std::vector<TileMappings::Steps> TileMappings::passesOf(int first, int last, int registers) const {
  if (first > last)
    return {};
  std::vector<Steps> passes = groupSteps(request, first, last, registers);
  for (int size = registers - 1; size >= 1; --size) {
    std::vector<Steps> even = groupSteps(request, first, last, size);
    if (even.size() != passes.size())
      break;
    passes = std::move(even);
  }
  return passes;
}

size_t TileMappings::leastPasses(int first, int last, int registers) const {
  // The passes of all steps up to the last one are no more than those of the ones before the first, and these.
  if (first > last || registers >= static_cast<int>(passesUpTo.size()))
    return first <= last;
  const std::vector<int> &passes = passesUpTo[registers];
  return std::max(1, passes[last] - passes[first - 1]);
}

AddressOrder TileMappings::workspaceOrder(const std::vector<int> &producer, const std::vector<int> &consumer) const {
  AddressOrder order;
  for (bool common : {true, false})
    for (int d = 1; d <= request.numDigits; ++d)
      if (llvm::is_contained(consumer, d) && llvm::is_contained(producer, d) == common)
        order.push_back(d);
  for (int d : remainingDigits(request, order))
    order.push_back(d);
  return order;
}

int64_t TileMappings::runOfBlock(const Mapping &mapping, const Side &side) {
  return runBytes(digitsOfBlock(mapping), side.order, side.elementBytes);
}

/// The digits outside a tile: neighbouring blocks run at the same time, so the side with the shorter runs decides which
/// are neighbours, and parts of one cache line meet in the L2 cache.
std::vector<int> TileMappings::blockDigitsOf(const std::vector<int> &tile, const Side &load, const Side &store) const {
  bool byStore = runBytes(tile, store.order, store.elementBytes) < runBytes(tile, load.order, load.elementBytes);
  std::vector<int> rest;
  for (int d : byStore ? store.order : load.order)
    if (!llvm::is_contained(tile, d))
      rest.push_back(d);
  return rest;
}

Schedule
TileMappings::inSequence(const std::vector<std::vector<int>> &tiles,
                         llvm::function_ref<KernelPlan(size_t k, const Side &load, const Side &store)> planOf) const {
  Schedule schedule;
  Side load{request.loadOrder, request.loadBytes};
  for (size_t k = 0; k < tiles.size(); ++k) {
    bool last = k + 1 == tiles.size();
    Side store{request.storeOrder, request.storeBytes};
    if (!last)
      store = {workspaceOrder(tiles[k], tiles[k + 1]), request.elementBytes};
    KernelPlan plan = planOf(k, load, store);
    if (!last)
      plan.order = store.order;
    if (k > 0 && target.dependentLaunch)
      plan.launch.dependent = true;
    schedule.kernels.push_back(std::move(plan));
    load = store;
  }
  return schedule;
}

/// The memory that a pass which begins with another value than the one before makes loads it from.
std::optional<Side> TileMappings::beginOf(Steps pass) const {
  if (!request.isBegin(pass.first))
    return std::nullopt;
  const PlanOperand &operand = *operandOf(request, pass.first, pass.first);
  return Side{operand.order, operand.bytes};
}

/// The memory by whose order a pass arranges its threads: in the first one the load, or what it begins with, in the
/// last one the store, between them an operand that it reads, else the store.
Side TileMappings::sideOf(const std::vector<Steps> &passes, size_t pass, const Side &load, const Side &store) const {
  if (const std::optional<Side> begin = beginOf(passes[pass]))
    return *begin;
  const PlanOperand *operand = operandOf(request, passes[pass].first, passes[pass].second);
  if (pass == 0 || pass + 1 == passes.size() || !operand)
    return pass == 0 ? load : store;
  Side side{operand->order, operand->bytes};
  for (int d : store.order)
    if (!llvm::is_contained(side.order, d))
      side.order.push_back(d);
  return side;
}

KernelPlan TileMappings::blockKernel(int first, int last, const std::vector<int> &tile, int registers, const Side &load,
                                     const Side &store) const {
  KernelPlan even = blockKernel(passesOf(first, last, registers), tile, registers, load, store);
  // A short last pass leaves registers for the fastest addresses, so that no range of its own is needed to store.
  KernelPlan shortLast = blockKernel(groupSteps(request, first, last, registers), tile, registers, load, store);
  return shortLast.ranges.size() < even.ranges.size() ? shortLast : even;
}

/// Passes of which the last one's digits are no more than one access stores, so that its lanes have neighbouring
/// addresses where the last steps act on the lowest ones; empty when there are none.
std::vector<TileMappings::Steps> TileMappings::passesToStore(int first, int last, int registers,
                                                             const Side &store) const {
  int begin = last + 1;
  while (begin > first && countDigits(request, begin - 1, last) <= vectorDigits(store))
    --begin;
  if (begin > last)
    return {};
  std::vector<Steps> passes = passesOf(first, begin - 1, registers);
  passes.emplace_back(begin, last);
  return passes;
}

KernelPlan TileMappings::blockKernel(const std::vector<Steps> &passes, const std::vector<int> &tile, int registers,
                                     const Side &load, const Side &store) const {
  std::vector<int> blockDigits = blockDigitsOf(tile, load, store);
  KernelPlan plan;
  for (size_t i = 0; i < passes.size(); ++i) {
    RangePlan range;
    range.first = passes[i].first;
    range.last = passes[i].second;
    std::vector<int> own = digitsOfSteps(request, range.first, range.last);
    const Side side = sideOf(passes, i, load, store);
    range.mapping = mappingOf(tile, own, registers, side.order, blockDigits);
    const bool begins = beginOf(passes[i]).has_value();
    if (i > 0 && !begins)
      keepWarps(range.mapping, plan.ranges.back().mapping, own, tile, side);
    if (begins && !hasFullRuns(range.mapping, tile, side)) {
      KernelPlan rest;
      rest.ranges.push_back(range);
      plan.ranges.push_back(memoryRange(RangePlan::Kind::Load, side, tile, registers, blockDigits, rest));
    }
    plan.ranges.push_back(range);
  }
  if (passes.empty() || !hasFullRuns(plan.ranges.front().mapping, tile, load))
    plan.ranges.insert(plan.ranges.begin(),
                       memoryRange(RangePlan::Kind::Load, load, tile, registers, blockDigits, plan));
  if (passes.empty() || !hasFullRuns(plan.ranges.back().mapping, tile, store))
    plan.ranges.push_back(memoryRange(RangePlan::Kind::Store, store, tile, registers, blockDigits, plan));
  return plan;
}

std::optional<KernelPlan> TileMappings::clusterKernel(int first, int last, const std::vector<int> &tile, int registers,
                                                      int ranks, const Side &load, const Side &store) const {
  // Between two exchanges no step acts on the rank's digits.
  if (leastPasses(first, last, static_cast<int>(tile.size()) - ranks) > mostExchanges + 1)
    return std::nullopt;
  std::vector<Steps> passes = passesOf(first, last, registers);
  if (passes.size() < 2)
    return std::nullopt;
  std::optional<KernelPlan> plan = clusterKernel(passes, tile, registers, ranks, load, store);
  auto fit = [&](int from, int to) { return countDigits(request, from, to) <= registers; };
  auto storeRun = [&](const KernelPlan &kernel) { return runOfBlock(kernel.ranges.back().mapping, store); };
  // The last pass as long as registers allow: what they hold beside a pass's digits is finished there and makes each
  // element need factors of its own, but is still to come in the pass before and shares them.
  Steps &before = passes[passes.size() - 2], &end = passes.back();
  while (passes.size() > 2 && before.second > before.first && fit(before.second, last)) {
    --before.second;
    --end.first;
  }
  std::optional<KernelPlan> other = clusterKernel(passes, tile, registers, ranks, load, store);
  if (plan && other && other->ranges.size() <= plan->ranges.size() && storeRun(*other) >= storeRun(*plan))
    plan = other;
  // A pass instead of a range that only stores.
  if (std::vector<Steps> toStore = passesToStore(first, last, registers, store);
      toStore.size() > 1 && plan && plan->ranges.back().kind == RangePlan::Kind::Store) {
    other = clusterKernel(toStore, tile, registers, ranks, load, store);
    if (other && other->ranges.size() <= plan->ranges.size())
      return other;
  }
  // The first pass, too, where the rank then leaves longer runs of an operand that a later pass reads.
  const PlanOperand *operand = operandOf(request, first, last);
  if (!plan || !operand || passes.size() == 2)
    return plan;
  Steps &begin = passes.front(), &after = passes[1];
  while (after.first < after.second && fit(first, after.first)) {
    ++begin.second;
    ++after.first;
  }
  auto operandRun = [&](const KernelPlan &kernel) {
    auto range = llvm::find_if(kernel.ranges, [&](const RangePlan &range) {
      return range.kind == RangePlan::Kind::Steps && range.last >= std::min(operand->step, last);
    });
    return runOfBlock(range->mapping, {operand->order, operand->bytes});
  };
  other = clusterKernel(passes, tile, registers, ranks, load, store);
  if (other && other->ranges.size() <= plan->ranges.size() &&
      storeRun(*other) >= std::min(storeRun(*plan), fullRunSectors * target.sectorBytes) &&
      operandRun(*other) > operandRun(*plan))
    plan = other;
  return plan;
}

/// The digits that the rank holds in each pass. In the first one the slowest addresses that the pass leaves; then, for
/// as many passes as possible, digits of the pass before that they leave, so that every register's word goes to one
/// block: the slowest by the memory that they read. Empty where too few digits qualify, or blocks would exchange too
/// often.
std::vector<std::vector<int>> TileMappings::ranksOf(const std::vector<Steps> &passes, const std::vector<int> &tile,
                                                    int ranks, const Side &load, const Side &store) const {
  auto slowest = [&](const AddressOrder &order, llvm::function_ref<bool(int)> qualifies) {
    std::vector<int> chosen;
    for (int d : llvm::reverse(order))
      if (static_cast<int>(chosen.size()) < ranks && llvm::is_contained(tile, d) && qualifies(d))
        chosen.push_back(d);
    return chosen;
  };
  auto digitsOf = [&](size_t pass) { return digitsOfSteps(request, passes[pass].first, passes[pass].second); };
  auto isEnough = [&](const std::vector<int> &chosen) { return static_cast<int>(chosen.size()) == ranks; };
  const std::vector<int> first = digitsOf(0);
  std::vector<std::vector<int>> rankOf{slowest(load.order, [&](int d) { return !llvm::is_contained(first, d); })};
  if (!isEnough(rankOf.front()))
    return {};
  for (size_t exchanges = 0; rankOf.size() < passes.size();) {
    const size_t begin = rankOf.size();
    const std::vector<int> before = digitsOf(begin - 1);
    std::vector<int> own, chosen;
    AddressOrder order = store.order;
    size_t end = begin;
    for (; end < passes.size(); ++end) {
      llvm::append_range(own, digitsOf(end));
      if (const Side side = sideOf(passes, end, load, store); side.order != store.order)
        order = side.order;
      std::vector<int> now =
          slowest(order, [&](int d) { return llvm::is_contained(before, d) && !llvm::is_contained(own, d); });
      if (!isEnough(now))
        break;
      chosen = std::move(now);
    }
    if (end == begin || exchanges++ == mostExchanges)
      return {};
    rankOf.resize(end, chosen);
  }
  return rankOf;
}

std::optional<KernelPlan> TileMappings::clusterKernel(const std::vector<Steps> &passes, const std::vector<int> &tile,
                                                      int registers, int ranks, const Side &load,
                                                      const Side &store) const {
  const std::vector<std::vector<int>> rankOf = ranksOf(passes, tile, ranks, load, store);
  if (rankOf.empty())
    return std::nullopt;
  auto tileWithout = [&](const std::vector<int> &rank) {
    std::vector<int> rest = tile;
    llvm::erase_if(rest, [&](int d) { return llvm::is_contained(rank, d); });
    return rest;
  };
  std::vector<int> loadTile = tileWithout(rankOf.front()), storeTile = tileWithout(rankOf.back()),
                   blockDigits = blockDigitsOf(tile, load, store);
  KernelPlan plan;
  plan.launch.cluster = int64_t(1) << ranks;
  for (size_t i = 0; i < passes.size(); ++i) {
    RangePlan range;
    range.first = passes[i].first;
    range.last = passes[i].second;
    std::vector<int> own = digitsOfSteps(request, range.first, range.last);
    const Side side = sideOf(passes, i, load, store);
    const std::vector<int> held = tileWithout(rankOf[i]);
    range.mapping = mappingOf(held, own, registers, side.order, blockDigits);
    if (i > 0 && rankOf[i] == rankOf[i - 1])
      keepWarps(range.mapping, plan.ranges.back().mapping, own, held, side);
    plan.ranges.push_back(range);
  }
  size_t firstPass = 0; // its range
  if (!hasFullRuns(plan.ranges.front().mapping, loadTile, load)) {
    plan.ranges.insert(plan.ranges.begin(),
                       memoryRange(RangePlan::Kind::Load, load, loadTile, registers, blockDigits, plan));
    firstPass = 1;
  }
  if (!hasFullRuns(plan.ranges.back().mapping, storeTile, store))
    plan.ranges.push_back(memoryRange(RangePlan::Kind::Store, store, storeTile, registers, blockDigits, plan));
  for (auto [i, range] : llvm::enumerate(plan.ranges))
    for (int d : llvm::reverse(rankOf[std::min(i < firstPass ? 0 : i - firstPass, passes.size() - 1)]))
      range.mapping.push(Field::Rank, d);
  return plan;
}

/// A range that only loads or stores, at the begin or end of `kernel`: the lowest address digits in one thread's wide
/// access, the next ones in lanes.
RangePlan TileMappings::memoryRange(RangePlan::Kind kind, const Side &side, const std::vector<int> &tile, int registers,
                                    const std::vector<int> &blockDigits, const KernelPlan &kernel) const {
  std::vector<int> vector;
  for (int d : side.order) {
    if (static_cast<int>(vector.size()) == std::min(vectorDigits(side), registers) || !llvm::is_contained(tile, d))
      break;
    vector.push_back(d);
  }
  RangePlan range;
  range.kind = kind;
  range.mapping = mappingOf(tile, vector, registers, side.order, blockDigits);
  if (!kernel.ranges.empty())
    keepWarps(range.mapping, (kind == RangePlan::Kind::Load ? kernel.ranges.front() : kernel.ranges.back()).mapping,
              vector, tile, side);
  return range;
}

/// Where lanes and registers of the neighbouring range have the digits that `mapping` needs in registers, and its
/// memory runs stay as long, warps keep their digits: then no warp waits for another.
void TileMappings::keepWarps(Mapping &mapping, const Mapping &neighbour, const std::vector<int> &inRegisters,
                             const std::vector<int> &tile, const Side &side) const {
  std::vector<int> ofWarp;
  for (Field field : {Field::Reg, Field::Lane})
    for (const digits::Column &column : neighbour[field])
      ofWarp.push_back(column.digits[0]);
  llvm::sort(ofWarp);
  if (!llvm::all_of(inRegisters, [&](int d) { return llvm::is_contained(ofWarp, d); }))
    return;
  Mapping local = mappingOf(ofWarp, inRegisters, static_cast<int>(mapping[Field::Reg].size()), side.order, {});
  local[Field::Warp] = neighbour[Field::Warp];
  local[Field::Block] = neighbour[Field::Block];
  if (hasFullRuns(local, tile, side) || !hasFullRuns(mapping, tile, side))
    mapping = local;
}

/// Digits of the widest access of one thread.
int TileMappings::vectorDigits(const Side &side) const { return floorLog2(target.vectorBytes / side.elementBytes); }

/// The address order with the batch digits of the tile on top.
AddressOrder TileMappings::withBatch(const PlanRequest &request, AddressOrder order, const std::vector<int> &tile) {
  for (int d : tile)
    if (d > request.numDigits)
      order.push_back(d);
  return order;
}

/// Registers for the given digits first, then the slowest address digits; lanes and warps the rest, fastest first.
Mapping TileMappings::mappingOf(const std::vector<int> &tile, const std::vector<int> &inRegisters, int registers,
                                const AddressOrder &order, const std::vector<int> &blockDigits) const {
  std::vector<int> sorted;
  for (int d : withBatch(request, order, tile))
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
bool TileMappings::hasFullRuns(const Mapping &mapping, const std::vector<int> &tile, const Side &side) const {
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
  AddressOrder full = withBatch(request, side.order, tile);
  int64_t possible = std::min(runBytes(tile, full, side.elementBytes), fullRunSectors * target.sectorBytes);
  return runBytes(covered, full, side.elementBytes) >= possible;
}
