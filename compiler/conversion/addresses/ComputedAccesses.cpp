#include "compiler/conversion/addresses/ComputedAccesses.h"

#include "compiler/conversion/Peers.h"

#include "id/IndexCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Permutation;

bool conversion::isGathered(Value buffer) {
  while (isa_and_nonnull<id::PartOp, id::PermuteOp, id::ResizeOp>(buffer.getDefiningOp()))
    buffer = buffer.getDefiningOp()->getOperand(0);
  return isa_and_nonnull<id::GatherOp>(buffer.getDefiningOp());
}

/// The use of what is stored as a part or view of something else; null where it is what the kernel yields.
static OpOperand *viewOf(Value stored) {
  OpOperand *use = stored.hasOneUse() ? &*stored.use_begin() : nullptr;
  return use && isa<id::JoinOp, id::PermuteOp, id::ResizeOp, id::ScatterOp>(use->getOwner()) ? use : nullptr;
}

bool conversion::isScattered(Value buffer) {
  for (OpOperand *use = viewOf(buffer); use; use = viewOf(use->getOwner()->getResult(0)))
    if (isa<id::ScatterOp>(use->getOwner()))
      return true;
  return false;
}

//===--- positions ------------------------------------------------------------------------------------------------===//

ComputedAccesses::Position ComputedAccesses::inTile(const Tile &tile, size_t r, IndexSums &sums) {
  const SmallVector<int64_t> inRegister = registerDigits(tile.mapping, r);
  Position position;
  for (int digit = 1; digit <= static_cast<int>(tile.radices.size()); ++digit)
    position.push_back(place.numbers.digit(digit, tile.mapping, inRegister, sums));
  return position;
}

/// What a map makes of a digit that it has taken from place `p`.
static IndexSum mapped(const IndexSum &digit, const Permutation &map, int p, ArrayRef<int32_t> radices) {
  return map.complemented(p) ? IndexSums::add({radices[static_cast<size_t>(p) - 1] - 1, {}}, digit, -1) : digit;
}

ComputedAccesses::Position ComputedAccesses::moved(Position position, const Permutation &map,
                                                   ArrayRef<int32_t> radices) {
  Position result;
  for (int p = 1; p <= map.size(); ++p)
    result.push_back(mapped(position[static_cast<size_t>(map.source(p)) - 1], map, p, radices));
  return result;
}

ComputedAccesses::Position ComputedAccesses::unmoved(Position position, const Permutation &map,
                                                     ArrayRef<int32_t> radices, size_t count) {
  Position result(count);
  for (int p = 1; p <= map.size(); ++p)
    if (map.source(p) <= static_cast<int>(count)) // others are repeated
      result[static_cast<size_t>(map.source(p)) - 1] = mapped(position[static_cast<size_t>(p) - 1], map, p, radices);
  return result;
}

IndexSum ComputedAccesses::numberOf(const Position &position, ArrayRef<int32_t> radices, size_t lowest) {
  IndexSum sum;
  int64_t weight = 1;
  for (size_t digit = 0; digit < lowest; weight *= radices[digit++])
    sum = IndexSums::add(sum, position[digit], weight);
  return sum;
}

void ComputedAccesses::replaceLowest(Position &position, size_t lowest, const IndexSum &number,
                                     ArrayRef<int32_t> radices, IndexSums &sums) {
  const std::vector<IndexSum> digits = sums.digitsOf(number, radices);
  Position result(digits.begin(), digits.end());
  result.append(position.begin() + static_cast<std::ptrdiff_t>(lowest), position.end());
  position = std::move(result);
}

LogicalResult ComputedAccesses::replaceByBody(Position &position, Region &body, size_t lowest,
                                              ArrayRef<int32_t> radices, IndexSums &sums) {
  FailureOr<std::vector<IndexSum>> index = bodies.numbers(
      body, [&](int digit) { return position[static_cast<size_t>(digit) - 1]; }, sums, {id::elementsOf(radices)});
  if (failed(index))
    return failure();
  replaceLowest(position, lowest, index->front(), radices, sums);
  return success();
}

//===--- views ----------------------------------------------------------------------------------------------------===//

LogicalResult ComputedAccesses::enter(Operation *view, Position &position, SmallVectorImpl<Test> &tests,
                                      IndexSums &sums) {
  const ArrayRef<int32_t> after = id::radicesOf(view->getResult(0).getType()),
                          before = id::radicesOf(view->getOperand(0).getType());
  if (auto gather = dyn_cast<id::GatherOp>(view))
    return replaceByBody(position, gather.getBody(), static_cast<size_t>(gather.getNewLowest()),
                         before.take_front(gather.getLowest()), sums);
  if (auto part = dyn_cast<id::PartOp>(view)) {
    position.insert(position.begin() + static_cast<std::ptrdiff_t>(part.getDigit() - 1),
                    IndexSum{static_cast<int64_t>(part.getValue()), {}});
    return success();
  }
  if (auto permute = dyn_cast<id::PermuteOp>(view)) {
    position = unmoved(std::move(position), permute.getMap().getPermutation(), after, after.size());
    return success();
  }
  auto resize = cast<id::ResizeOp>(view);
  const auto now = static_cast<size_t>(resize.getNewLowest());
  IndexSum index = numberOf(position, after, now);
  if (resize.pads()) {
    const IndexSums::Condition inside = sums.isBelow(index, resize.getOldLength());
    if (inside.known != true)
      tests.push_back({inside, resize});
    index = sums.select(inside, index, {});
  }
  replaceLowest(position, now, index, before.take_front(resize.getLowest()), sums);
  return success();
}

LogicalResult ComputedAccesses::leave(OpOperand &stored, Position &position, SmallVectorImpl<Test> &tests,
                                      IndexSums &sums) {
  Operation *view = stored.getOwner();
  const ArrayRef<int32_t> before = id::radicesOf(stored.get().getType()),
                          after = id::radicesOf(view->getResult(0).getType());
  if (auto scatter = dyn_cast<id::ScatterOp>(view))
    return replaceByBody(position, scatter.getBody(), scatter.getLowest(),
                         after.take_front(static_cast<size_t>(scatter.getNewLowest())), sums);
  if (auto join = dyn_cast<id::JoinOp>(view)) {
    position.insert(position.begin() + static_cast<std::ptrdiff_t>(join.getDigit() - 1),
                    IndexSum{stored.getOperandNumber(), {}});
    return success();
  }
  if (auto permute = dyn_cast<id::PermuteOp>(view)) {
    position = moved(std::move(position), permute.getMap().getPermutation(), after);
    return success();
  }
  auto resize = cast<id::ResizeOp>(view);
  const IndexSum index = numberOf(position, before, resize.getLowest());
  if (resize.getNewLength() < resize.getOldLength())
    if (IndexSums::Condition inside = sums.isBelow(index, resize.getNewLength()); inside.known != true)
      tests.push_back({inside, resize});
  replaceLowest(position, resize.getLowest(), index, after.take_front(static_cast<size_t>(resize.getNewLowest())),
                sums);
  return success();
}

//===--- elements -------------------------------------------------------------------------------------------------===//

/// What the digits of the batch in a register make up.
static int64_t problemOf(const Tile &tile, size_t r) {
  const int n = static_cast<int>(tile.radices.size());
  int64_t problem = 0;
  for (auto [column, value] : llvm::zip(tile.mapping[Field::Reg], registerDigits(tile.mapping, r)))
    if (column.digits[0] > n)
      problem += value << (column.digits[0] - n - 1);
  return problem;
}

FailureOr<ComputedAccesses::Element> ComputedAccesses::elementAt(Operation *op, Value buffer, const Position &position,
                                                                 const Tile &tile, size_t r, IndexSums &sums) {
  ViewLayout layout = layoutOf(buffer, buffers);
  auto formOf = [&](const digits::LinearForm &form) {
    IndexSum sum{form.constant, {}};
    for (auto [digit, weight] : llvm::zip(position, form.weight))
      sum = IndexSums::add(sum, digit, weight);
    return sum;
  };
  const IndexSum address = formOf(layout.view.address), device = formOf(layout.view.device);
  const int n = static_cast<int>(tile.radices.size());
  Value problem = arith::MulIOp::create(b, loc, place.problemOf(tile.mapping, n, problemOf(tile, r)).index,
                                        code.constant64(layout.view.problem));
  problem = arith::AddIOp::create(b, loc, problem, sums.value({0, address.terms}));

  // Accesses are as wide as elements are aligned.
  Tile one = tile;
  one.registers.resize(1);
  one.mapping[Field::Reg].clear();
  layout.view.address = layout.view.device = {0, std::vector<int64_t>(tile.radices.size(), 0)};
  layout.view.radices = tile.radices;
  layout.view.problem = 1;
  const TileSlots inMemory(layout, one, place.numbers);
  Element element;
  if (failed(inMemory.find(op, element.slots)))
    return failure();
  element.runs = inMemory.runs(element.slots, 1);
  const BufferMemory &memory = buffers.find(layout.buffer)->second;
  element.streams = memory.streams;
  if (memory.isOwnPart)
    element.isOwn = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, sums.value(device),
                                          arith::ExtUIOp::create(b, loc, b.getI64Type(), place.device).getResult());
  SmallVector<SmallVector<Value, 1>, 1> all;
  if (memory.isForAll()) {
    llvm::append_range(all, memory.peers);
  } else {
    Value number = memory.peers.empty() || device.terms.empty() ? Value() : sums.value({0, device.terms});
    SmallVector<Value, 1> &planes = all.emplace_back();
    for (size_t plane = 0; plane < layout.bytes.size(); ++plane)
      planes.push_back(planeOf(code, memory, plane, number, device.constant));
  }
  for (const SmallVector<Value, 1> &planes : all) {
    SmallVector<Value, 1> &pointers = element.pointers.emplace_back();
    for (auto [plane, bytes] : llvm::zip(planes, layout.bytes)) {
      Value common = code.byteOffset(plane, arith::MulIOp::create(b, loc, problem, code.constant64(bytes)).getResult());
      pointers.push_back(code.at(common, address.constant * bytes));
    }
  }
  return element;
}

FailureOr<SmallVector<Value>> ComputedAccesses::loadElement(id::LoadOp op, const Tile &tile, size_t r,
                                                            IndexSums &sums) {
  Value buffer = op.getBuffer();
  SmallVector<int32_t> radices(tile.radices.begin(), tile.radices.end());
  Position position =
      unmoved(inTile(tile, r, sums), op.getMap().getPermutation(), radices, id::radicesOf(buffer.getType()).size());
  SmallVector<Test> tests;
  for (const Value root = id::rootOf(buffer); buffer != root; buffer = buffer.getDefiningOp()->getOperand(0))
    if (failed(enter(buffer.getDefiningOp(), position, tests, sums)))
      return failure();
  FailureOr<Element> element = elementAt(op, buffer, position, tile, r, sums);
  if (failed(element))
    return failure();
  for (const Run &run : element->runs) {
    const Slot &lowest = element->slots[run.first];
    const Type type = packedType(lowest.type, static_cast<int64_t>(run.count));
    Value from = code.at(element->pointers.front()[lowest.plane], lowest.offset);
    Value loaded = inOrder ? code.readInOrder(type, from) : code.read(type, from, element->streams);
    SmallVector<Value> values;
    code.unpack(loaded, values);
    for (size_t i = 0; i < run.count; ++i)
      element->slots[run.first + i].value = values[i];
  }
  SmallVector<Value> numbers = TileSlots::valuesOf(element->slots);
  for (const Test &test : llvm::reverse(tests)) {
    id::ResizeOp resize = test.resize;
    FailureOr<SmallVector<Leaf>> leaves = bodies.run(resize.getBody(), {}, tile, 0);
    if (failed(leaves))
      return failure();
    Tile fill = tile;
    fill.registers = {*leaves};
    code.makeCanonical(fill);
    for (auto [number, outside] : llvm::zip(numbers, code.numbersOf(fill.registers[0], tile.element)))
      number = b.createOrFold<arith::SelectOp>(loc, sums.value(test.inside), number, outside);
  }
  return numbers;
}

LogicalResult ComputedAccesses::storeElement(id::StoreOp op, const Tile &tile, size_t r, ArrayRef<Value> numbers,
                                             IndexSums &sums) {
  Value buffer = op.getBuffer();
  Position position = moved(inTile(tile, r, sums), op.getMap().getPermutation(), id::radicesOf(buffer.getType()));
  SmallVector<Test> tests;
  for (OpOperand *use = viewOf(buffer); use; use = viewOf(buffer)) {
    if (failed(leave(*use, position, tests, sums)))
      return failure();
    buffer = use->getOwner()->getResult(0);
  }
  if (llvm::any_of(tests, [](const Test &test) { return test.inside.known == false; }))
    return success();
  FailureOr<Element> element = elementAt(op, buffer, position, tile, r, sums);
  if (failed(element))
    return failure();
  Value inside = element->isOwn;
  for (const Test &test : tests) {
    Value own = sums.value(test.inside);
    inside = inside ? arith::AndIOp::create(b, loc, inside, own).getResult() : own;
  }
  auto store = [&] {
    for (const Run &run : element->runs) {
      const Slot &lowest = element->slots[run.first];
      SmallVector<Value> values;
      for (size_t i = 0; i < run.count; ++i)
        values.push_back(numbers[element->slots[run.first + i].number]);
      for (const auto &pointers : element->pointers)
        code.write(code.pack(values), code.at(pointers[lowest.plane], lowest.offset), element->streams);
    }
  };
  if (inside)
    place.where(inside, store);
  else
    store();
  return success();
}

//===--- tiles ----------------------------------------------------------------------------------------------------===//

FailureOr<Tile> ComputedAccesses::load(id::LoadOp op) {
  Tile tile = emptyTile(op.getResult().getType());
  SmallVector<Value> numbers;
  IndexSums sums(b, loc);
  for (size_t r = 0; r < tile.registers.size(); ++r) {
    FailureOr<SmallVector<Value>> element = loadElement(op, tile, r, sums);
    if (failed(element))
      return failure();
    llvm::append_range(numbers, *element);
  }
  code.fill(tile, numbers);
  return tile;
}

LogicalResult ComputedAccesses::store(id::StoreOp op, const Tile &tile) {
  const SmallVector<Value> numbers = code.numbersOf(tile);
  const size_t each = numbers.size() / tile.registers.size();
  // Registers by their problem, which may be beyond the batch.
  std::map<int64_t, SmallVector<size_t>> registers;
  for (size_t r = 0; r < tile.registers.size(); ++r)
    registers[problemOf(tile, r)].push_back(r);
  LogicalResult result = success();
  for (const auto &[problem, own] : registers) {
    auto storeProblem = [&, &own = own] {
      IndexSums sums(b, loc);
      for (size_t r : own)
        if (failed(storeElement(op, tile, r, ArrayRef<Value>(numbers).slice(r * each, each), sums)))
          result = failure();
    };
    Value stores = place.problemOf(tile.mapping, static_cast<int>(tile.radices.size()), problem).inBatch;
    if (Value holder = place.numbers.isFirstHolder(tile.mapping))
      stores = stores ? arith::AndIOp::create(b, loc, stores, holder).getResult() : holder;
    if (stores)
      place.where(stores, storeProblem);
    else
      storeProblem();
  }
  return result;
}
