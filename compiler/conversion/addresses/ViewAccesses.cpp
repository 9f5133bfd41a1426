#include "compiler/conversion/addresses/ViewAccesses.h"

#include "compiler/conversion/Peers.h"
#include "compiler/conversion/Sections.h"
#include "compiler/conversion/addresses/ComputedAccesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <limits>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

static LogicalResult notInRow(Operation *op) {
  return op->emitError() << "the layout of an argument or result has distances that change inside of a dimension "
                            "whose length the program changes";
}

//===--- addresses ------------------------------------------------------------------------------------------------===//

ViewAccesses::Starts ViewAccesses::startsOf(const ViewLayout &layout, const Tile &tile, int64_t inRegisters,
                                            int64_t device) {
  const BufferMemory &memory = buffers.find(layout.buffer)->second;
  const digits::LinearForm &form = layout.view.device;
  Value number; // of the device, but for what registers add
  if (!memory.peers.empty()) {
    const int n = static_cast<int>(form.weight.size());
    bool isThreads = false;
    place.numbers.forEachColumn(tile.mapping, [&](const digits::Column &column) {
      isThreads |= !column.digits.empty() && column.digits[0] <= n &&
                   form.weight[static_cast<size_t>(column.digits[0]) - 1] != 0;
    });
    if (isThreads)
      number = place.numbers.sum(tile.mapping, [&](int digit) { return digit > n ? 0 : form.weight[digit - 1]; });
  }
  Starts starts;
  for (auto [plane, bytes] : llvm::enumerate(layout.bytes))
    starts.push_back(
        startOf(layout, tile, inRegisters, planeOf(code, memory, plane, number, form.constant + device), bytes));
  return starts;
}

SmallVector<ViewAccesses::Starts, 1> ViewAccesses::startsToStore(const ViewLayout &layout, const Tile &tile,
                                                                 int64_t inRegisters, int64_t device) {
  const BufferMemory &memory = buffers.find(layout.buffer)->second;
  if (!memory.isForAll())
    return {startsOf(layout, tile, inRegisters, device)};
  SmallVector<Starts, 1> all;
  for (const auto &planes : memory.peers) {
    Starts &starts = all.emplace_back();
    for (auto [plane, bytes] : llvm::zip(planes, layout.bytes))
      starts.push_back(startOf(layout, tile, inRegisters, plane, bytes));
  }
  return all;
}

ViewAccesses::Start ViewAccesses::startOf(const ViewLayout &layout, const Tile &tile, int64_t inRegisters, Value plane,
                                          int64_t bytes) {
  const digits::LinearForm &address = layout.view.address;
  const int64_t problemBytes = layout.view.problem * bytes;
  int n = static_cast<int>(address.weight.size());
  auto weightOf = [&](int digit) { return digit > n ? 0 : address.weight[digit - 1] * bytes; };
  // Inside a problem 32 bits mostly are enough; complemented digits count down.
  bool narrow = reachOf(address, layout.view.radices) * bytes <= std::numeric_limits<int32_t>::max();
  Value offset = place.numbers.sum(tile.mapping, weightOf, narrow);
  if (narrow)
    offset = arith::ExtSIOp::create(b, loc, b.getI64Type(), offset);
  const int64_t first = (address.constant + ofFirstThread(layout, tile, address)) * bytes;
  Value index = place.problemOf(tile.mapping, n, inRegisters).index;
  if (origin)
    index = arith::SubIOp::create(b, loc, index, origin);
  Value start = arith::MulIOp::create(b, loc, index, code.constant64(problemBytes));
  Value problem = code.byteOffset(plane, start);
  return {code.at(code.byteOffset(problem, offset), address.constant * bytes), code.at(problem, first)};
}

int64_t ViewAccesses::ofFirstThread(const ViewLayout &layout, const Tile &tile, const digits::LinearForm &form) const {
  int64_t sum = 0;
  place.numbers.forEachColumn(tile.mapping, [&](const digits::Column &column) {
    if (column.digits.empty() || column.digits[0] > static_cast<int>(form.weight.size()))
      return;
    const size_t digit = static_cast<size_t>(column.digits[0]) - 1;
    int64_t direction = 0;
    for (const digits::BufferView::Bound &bound : layout.view.bounds)
      direction = direction ? direction : bound.index.weight[digit];
    if ((direction ? direction : layout.view.address.weight[digit]) < 0)
      sum += form.weight[digit] * (column.radix - 1);
  });
  return sum;
}

//===--- bounds ---------------------------------------------------------------------------------------------------===//

ViewAccesses::Tests ViewAccesses::testsOf(const ViewLayout &layout, const Tile &tile, const Slot &slot) {
  Tests tests;
  for (auto [number, bound] : llvm::enumerate(layout.view.bounds)) {
    int64_t own = bound.index.constant + slot.indices[number], least = own, most = own;
    auto weightOf = [&weights = bound.index.weight](int digit) {
      return digit <= static_cast<int>(weights.size()) ? weights[digit - 1] : 0;
    };
    place.numbers.forEachColumn(tile.mapping, [&](const digits::Column &column) {
      int64_t reach = column.digits.empty() ? 0 : weightOf(column.digits[0]) * (column.radix - 1);
      (reach < 0 ? least : most) += reach;
    });
    tests.inside.emplace_back();
    if (least >= bound.limit)
      tests.outside = static_cast<int>(number);
    else if (most >= bound.limit)
      tests.inside.back() =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, place.numbers.sum(tile.mapping, weightOf),
                                code.constant64(bound.limit - own));
  }
  return tests;
}

Value ViewAccesses::allOf(ArrayRef<Value> tests) {
  Value all;
  for (Value test : tests)
    if (test)
      all = all ? arith::AndIOp::create(b, loc, all, test).getResult() : test;
  return all;
}

FailureOr<ViewAccesses::Fills> ViewAccesses::fillsOf(const ViewLayout &layout, const Tile &tile) {
  Fills fills;
  for (id::ResizeOp resize : layout.fills) {
    FailureOr<SmallVector<Leaf>> leaves = bodies.run(resize.getBody(), {}, tile, 0);
    if (failed(leaves))
      return failure();
    Tile one = tile;
    one.registers = {*leaves};
    code.makeCanonical(one);
    fills.push_back(code.numbersOf(one.registers[0], tile.element));
  }
  return fills;
}

bool ViewAccesses::isFirstInside(const ViewLayout &layout, const Tile &tile, const Slot &slot) const {
  for (auto [bound, own] : llvm::zip(layout.view.bounds, slot.indices))
    if (bound.index.constant + own + ofFirstThread(layout, tile, bound.index) >= bound.limit)
      return false;
  return true;
}

//===--- loads ----------------------------------------------------------------------------------------------------===//

static Type accessType(const Slot &slot, const Run &run) {
  return packedType(slot.type, static_cast<int64_t>(run.count));
}

void ViewAccesses::loadRun(const ViewLayout &layout, const Tile &tile, const Start &start, std::vector<Slot> &slots,
                           Run run, const Fills &fills) {
  const Slot &lowest = slots[run.first];
  const Tests tests = testsOf(layout, tile, lowest);
  SmallVector<Value> values;
  if (tests.outside < 0) {
    const Value exists = allOf(tests.inside);
    const Type type = accessType(lowest, run);
    auto loadFrom = [&](Value element) -> Value {
      Value from = code.at(element, lowest.offset);
      if (ordered)
        return code.readInOrder(type, from);
      return code.read(type, from, buffers.find(layout.buffer)->second.streams);
    };
    Value loaded;
    if (!exists) {
      loaded = loadFrom(start.element);
    } else if (isFirstInside(layout, tile, lowest)) {
      loaded = loadFrom(arith::SelectOp::create(b, loc, exists, start.element, start.first));
    } else {
      auto branch = scf::IfOp::create(b, loc, type, exists, /*withElseRegion=*/true);
      place.inside(branch.thenBlock(), [&] { scf::YieldOp::create(b, loc, loadFrom(start.element)); });
      place.inside(branch.elseBlock(), [&] { yieldPoison(code, type); });
      loaded = branch.getResult(0);
    }
    code.unpack(loaded, values);
  }
  values.resize(run.count);
  for (size_t i = 0; i < run.count; ++i) {
    Slot &slot = slots[run.first + i];
    for (int bound = std::max(tests.outside, 0); bound < static_cast<int>(fills.size()); ++bound) {
      Value fill = fills[bound][slot.number % fills[bound].size()];
      if (bound == tests.outside)
        values[i] = fill;
      else if (Value inside = tests.inside[bound])
        values[i] = arith::SelectOp::create(b, loc, inside, values[i], fill);
    }
    slot.value = values[i];
  }
}

void ViewAccesses::loadAll(std::vector<Slot> &slots, const ViewLayout &layout, const Tile &tile, int64_t together,
                           const Fills &fills) {
  Starts starts;
  const Slot *before = nullptr;
  for (const Run &run : TileSlots(layout, tile, place.numbers).runs(slots, together)) {
    const Slot &lowest = slots[run.first];
    if (!before || before->problem != lowest.problem || before->device != lowest.device)
      starts = startsOf(layout, tile, lowest.problem, lowest.device);
    before = &lowest;
    loadRun(layout, tile, starts[lowest.plane], slots, run, fills);
  }
}

void ViewAccesses::loadTogether(std::vector<Slot> &slots, const ViewLayout &layout, const Tile &tile, int64_t together,
                                const Fills &fills) {
  // Vectors leave the branches, so that a load stays one.
  std::vector<Slot> wide = slots;
  const SmallVector<Run> runs = TileSlots(layout, tile, place.numbers).runs(wide, together);
  SmallVector<Type> types;
  for (const Run &run : runs)
    types.push_back(accessType(wide[run.first], run));
  const int n = static_cast<int>(layout.view.radices.size());
  Value full = place.problemOf(tile.mapping, n, slots.back().problem).inBatch;
  auto branch = scf::IfOp::create(b, loc, types, full, /*withElseRegion=*/true);
  for (Block *arm : {branch.thenBlock(), branch.elseBlock()})
    place.inside(arm, [&] {
      std::vector<Slot> here = slots;
      loadAll(here, layout, tile, arm == branch.thenBlock() ? together : 1, fills);
      SmallVector<Value> numbers = TileSlots::valuesOf(here), loaded;
      for (const Run &run : runs) {
        SmallVector<Value> own;
        for (const Slot &slot : ArrayRef<Slot>(wide).slice(run.first, run.count))
          own.push_back(numbers[slot.number]);
        loaded.push_back(code.pack(own));
      }
      scf::YieldOp::create(b, loc, loaded);
    });
  for (auto [run, value] : llvm::zip(runs, branch.getResults())) {
    SmallVector<Value> values;
    code.unpack(value, values);
    for (size_t i = 0; i < run.count; ++i)
      wide[run.first + i].value = values[i];
  }
  slots = std::move(wide);
}

/// True for one of several loads between two exchanges.
static bool isOneOfSeveral(id::LoadOp op) {
  auto isAlone = [](Operation *next, auto step) {
    for (; next && !isa<id::ExchangeOp, id::RingOp>(next); next = step(next))
      if (isa<id::LoadOp>(next))
        return false;
    return true;
  };
  auto before = [](Operation *other) { return other->getPrevNode(); };
  auto behind = [](Operation *other) { return other->getNextNode(); };
  return !isAlone(before(op), before) || !isAlone(behind(op), behind);
}

FailureOr<Tile> ViewAccesses::load(id::LoadOp op, llvm::function_ref<void()> ready) {
  ready();
  ordered = inOrder && isOneOfSeveral(op);
  if (isGathered(op.getBuffer()))
    return ComputedAccesses(code, place, buffers, bodies, ordered).load(op);
  Tile tile = emptyTile(op.getResult().getType());
  const ViewLayout layout = layoutOf(op, buffers);
  if (!layout.inRow)
    return notInRow(op);
  const TileSlots inMemory(layout, tile, place.numbers);
  std::vector<Slot> slots;
  if (failed(inMemory.find(op, slots)))
    return failure();
  FailureOr<Fills> fills = fillsOf(layout, tile);
  if (failed(fills))
    return failure();
  if (const int64_t together = place.batch ? inMemory.problemsTogether() : 1; together > 1)
    loadTogether(slots, layout, tile, together, *fills);
  else
    loadAll(slots, layout, tile, 1, *fills);
  code.fill(tile, TileSlots::valuesOf(slots));
  return tile;
}

Value ViewAccesses::isOwn(const ViewLayout &layout, const Tile &tile, const Slot &slot) {
  if (!buffers.find(layout.buffer)->second.isOwnPart)
    return {};
  const digits::LinearForm &form = layout.view.device;
  Value number = place.numbers.sum(tile.mapping, [&](int digit) {
    return digit > static_cast<int>(form.weight.size()) ? 0 : form.weight[static_cast<size_t>(digit) - 1];
  });
  number = arith::AddIOp::create(b, loc, number, code.constant64(form.constant + slot.device));
  Value own = arith::ExtUIOp::create(b, loc, b.getI64Type(), place.device);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, number, own);
}

//===--- stores ---------------------------------------------------------------------------------------------------===//

void ViewAccesses::storeRun(const ViewLayout &layout, const Tile &tile, const Start &start, ArrayRef<Slot> slots,
                            Run run) {
  const Slot &lowest = slots[run.first];
  const Tests tests = testsOf(layout, tile, lowest);
  if (tests.outside >= 0)
    return;
  auto store = [&] {
    Value to = code.at(start.element, lowest.offset);
    SmallVector<Value> values;
    for (const Slot &slot : slots.slice(run.first, run.count))
      values.push_back(slot.value);
    code.write(code.pack(values), to, buffers.find(layout.buffer)->second.streams);
  };
  SmallVector<Value> conditions = tests.inside;
  conditions.push_back(isOwn(layout, tile, lowest));
  if (Value inside = allOf(conditions))
    place.where(inside, store);
  else
    store();
}

void ViewAccesses::storeAll(std::vector<Slot> slots, const ViewLayout &layout, const Tile &tile, int64_t together,
                            bool guarded) {
  const SmallVector<Run> runs = TileSlots(layout, tile, place.numbers).runs(slots, together);
  for (size_t first = 0, end; first < runs.size(); first = end) {
    const int64_t inRegisters = slots[runs[first].first].problem, device = slots[runs[first].first].device;
    for (end = first;
         end < runs.size() && slots[runs[end].first].problem == inRegisters && slots[runs[end].first].device == device;)
      ++end;
    const SmallVector<Starts, 1> copies = startsToStore(layout, tile, inRegisters, device);
    auto storeProblem = [&] {
      for (const Starts &starts : copies)
        for (const Run &run : ArrayRef(runs).slice(first, end - first))
          storeRun(layout, tile, starts[slots[run.first].plane], slots, run);
    };
    if (guarded) {
      Value stores = place.problemOf(tile.mapping, static_cast<int>(tile.radices.size()), inRegisters).inBatch;
      if (Value holder = place.numbers.isFirstHolder(tile.mapping))
        stores = arith::AndIOp::create(b, loc, stores, holder);
      place.where(stores, storeProblem);
    } else {
      storeProblem();
    }
  }
}

LogicalResult ViewAccesses::store(id::StoreOp op, const Tile &tile) {
  if (isScattered(op.getBuffer()))
    return ComputedAccesses(code, place, buffers, bodies).store(op, tile);
  const ViewLayout layout = layoutOf(op, buffers);
  if (!layout.inRow)
    return notInRow(op);
  const TileSlots inMemory(layout, tile, place.numbers);
  std::vector<Slot> slots;
  if (failed(inMemory.find(op, slots)))
    return failure();
  const SmallVector<Value> values = code.numbersOf(tile);
  for (Slot &slot : slots)
    slot.value = values[slot.number];
  const int64_t together = place.batch ? inMemory.problemsTogether() : 1;
  if (together == 1) {
    storeAll(slots, layout, tile, 1, /*guarded=*/static_cast<bool>(place.batch));
    return success();
  }
  Value full = place.problemOf(tile.mapping, static_cast<int>(tile.radices.size()), slots.back().problem).inBatch;
  auto branch = scf::IfOp::create(b, loc, TypeRange{}, full, /*withElseRegion=*/true);
  place.inside(branch.thenBlock(), [&] { storeAll(slots, layout, tile, together, false); });
  place.inside(branch.elseBlock(), [&] { storeAll(slots, layout, tile, 1, true); });
  return success();
}
