#include "compiler/conversion/addresses/ComputedAccesses.h"

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

ComputedAccesses::Position ComputedAccesses::inTile(const Tile &tile, size_t r) {
  const SmallVector<int64_t> inRegister = registerDigits(tile.mapping, r);
  Position position;
  for (int digit = 1; digit <= static_cast<int>(tile.radices.size()); ++digit) {
    digits::Place held;
    const bool isRegister = tile.mapping.find(digit, held) && held.field == Field::Reg;
    position.push_back({isRegister ? code.constant64(inRegister[held.position]) : place.digit(digit, tile.mapping), 1});
  }
  return position;
}

ComputedAccesses::Position ComputedAccesses::moved(Position position, const Permutation &map,
                                                   ArrayRef<int32_t> radices) {
  Position result;
  for (int p = 1; p <= map.size(); ++p) {
    Value digit = position[static_cast<size_t>(map.source(p)) - 1].number;
    if (map.complemented(p))
      digit = b.createOrFold<arith::SubIOp>(loc, code.constant64(radices[static_cast<size_t>(p) - 1] - 1), digit);
    result.push_back({digit, 1});
  }
  return result;
}

ComputedAccesses::Position ComputedAccesses::unmoved(Position position, const Permutation &map,
                                                     ArrayRef<int32_t> radices, size_t count) {
  Position result(count);
  for (int p = 1; p <= map.size(); ++p) {
    if (map.source(p) > static_cast<int>(count))
      continue; // repeated
    Value digit = position[static_cast<size_t>(p) - 1].number;
    if (map.complemented(p))
      digit = b.createOrFold<arith::SubIOp>(loc, code.constant64(radices[static_cast<size_t>(p) - 1] - 1), digit);
    result[static_cast<size_t>(map.source(p)) - 1] = {digit, 1};
  }
  return result;
}

void ComputedAccesses::split(Position &position, ArrayRef<int32_t> radices) {
  Position digits;
  for (const Digits &part : position) {
    Value rest = part.number;
    for (size_t i = 0; i < part.count; ++i) {
      Value radix = code.constant64(radices[digits.size()]);
      const bool last = i + 1 == part.count;
      digits.push_back({last ? rest : b.createOrFold<arith::RemUIOp>(loc, rest, radix), 1});
      rest = last ? rest : b.createOrFold<arith::DivUIOp>(loc, rest, radix);
    }
  }
  position = std::move(digits);
}

Value ComputedAccesses::numberOf(const Position &position, ArrayRef<int32_t> radices, size_t lowest) {
  Value sum = code.constant64(0);
  int64_t weight = 1;
  for (size_t digit = 0; digit < lowest; weight *= radices[digit++])
    sum = b.createOrFold<arith::AddIOp>(
        loc, sum, b.createOrFold<arith::MulIOp>(loc, position[digit].number, code.constant64(weight)));
  return sum;
}

void ComputedAccesses::replaceLowest(Position &position, size_t lowest, Value number, size_t count) {
  position.erase(position.begin(), position.begin() + static_cast<std::ptrdiff_t>(lowest));
  if (count > 0)
    position.insert(position.begin(), {number, count});
}

LogicalResult ComputedAccesses::replaceByBody(Position &position, Region &body, size_t lowest, size_t count) {
  FailureOr<SmallVector<Value>> index =
      bodies.numbers(body, [&](int digit) { return position[static_cast<size_t>(digit) - 1].number; });
  if (failed(index))
    return failure();
  replaceLowest(position, lowest, index->front(), count);
  return success();
}

//===--- views ----------------------------------------------------------------------------------------------------===//

LogicalResult ComputedAccesses::enter(Operation *view, Position &position, SmallVectorImpl<Test> &tests) {
  ArrayRef<int32_t> radices = id::radicesOf(view->getResult(0).getType());
  split(position, radices);
  if (auto gather = dyn_cast<id::GatherOp>(view))
    return replaceByBody(position, gather.getBody(), static_cast<size_t>(gather.getNewLowest()), gather.getLowest());
  if (auto part = dyn_cast<id::PartOp>(view)) {
    position.insert(position.begin() + static_cast<std::ptrdiff_t>(part.getDigit() - 1),
                    {code.constant64(static_cast<int64_t>(part.getValue())), 1});
    return success();
  }
  if (auto permute = dyn_cast<id::PermuteOp>(view)) {
    position = unmoved(std::move(position), permute.getMap().getPermutation(), radices, radices.size());
    return success();
  }
  auto resize = cast<id::ResizeOp>(view);
  const auto now = static_cast<size_t>(resize.getNewLowest());
  Value index = numberOf(position, radices, now);
  if (resize.pads()) {
    Value inside =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, code.constant64(resize.getOldLength()));
    tests.push_back({inside, resize});
    index = arith::SelectOp::create(b, loc, inside, index, code.constant64(0));
  }
  replaceLowest(position, now, index, resize.getLowest());
  return success();
}

LogicalResult ComputedAccesses::leave(OpOperand &stored, Position &position, SmallVectorImpl<Test> &tests) {
  Operation *view = stored.getOwner();
  ArrayRef<int32_t> radices = id::radicesOf(stored.get().getType());
  split(position, radices);
  if (auto scatter = dyn_cast<id::ScatterOp>(view))
    return replaceByBody(position, scatter.getBody(), scatter.getLowest(), static_cast<size_t>(scatter.getNewLowest()));
  if (auto join = dyn_cast<id::JoinOp>(view)) {
    position.insert(position.begin() + static_cast<std::ptrdiff_t>(join.getDigit() - 1),
                    {code.constant64(stored.getOperandNumber()), 1});
    return success();
  }
  if (auto permute = dyn_cast<id::PermuteOp>(view)) {
    position =
        moved(std::move(position), permute.getMap().getPermutation(), id::radicesOf(permute.getResult().getType()));
    return success();
  }
  auto resize = cast<id::ResizeOp>(view);
  Value index = numberOf(position, radices, resize.getLowest());
  if (resize.getNewLength() < resize.getOldLength())
    tests.push_back(
        {arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, code.constant64(resize.getNewLength())),
         resize});
  replaceLowest(position, resize.getLowest(), index, static_cast<size_t>(resize.getNewLowest()));
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

FailureOr<ComputedAccesses::Element> ComputedAccesses::elementAt(Operation *op, Value buffer, Position position,
                                                                 const Tile &tile, size_t r) {
  // Numbers whose digits lie one after the other stay whole.
  ViewLayout layout = layoutOf(buffer, buffers);
  const std::vector<int64_t> &weights = layout.view.address.weight;
  ArrayRef<int32_t> radices = id::radicesOf(buffer.getType());
  auto isRow = [&](size_t first, size_t count) {
    for (size_t digit = first + 1; digit < first + count; ++digit)
      if (weights[digit] != weights[digit - 1] * radices[digit - 1])
        return false;
    return true;
  };
  size_t digit = 0;
  for (const Digits &part : position) {
    if (!isRow(digit, part.count)) {
      split(position, radices);
      break;
    }
    digit += part.count;
  }
  Value address = code.constant64(layout.view.address.constant);
  digit = 0;
  for (const Digits &part : position) {
    address = b.createOrFold<arith::AddIOp>(
        loc, address, b.createOrFold<arith::MulIOp>(loc, part.number, code.constant64(weights[digit])));
    digit += part.count;
  }
  const int n = static_cast<int>(tile.radices.size());
  Value problem = arith::MulIOp::create(b, loc, place.problemOf(tile.mapping, n, problemOf(tile, r)).index,
                                        code.constant64(layout.view.problem));
  address = arith::AddIOp::create(b, loc, address, problem);

  // Accesses are as wide as elements are aligned.
  Tile one = tile;
  one.registers.resize(1);
  one.mapping[Field::Reg].clear();
  layout.view.address = {0, std::vector<int64_t>(tile.radices.size(), 0)};
  layout.view.radices = tile.radices;
  layout.view.problem = 1;
  const TileSlots inMemory(layout, one, place.numbers);
  Element element;
  if (failed(inMemory.find(op, element.slots)))
    return failure();
  element.runs = inMemory.runs(element.slots, 1);
  for (auto [plane, bytes] : llvm::zip(buffers.find(layout.buffer)->second.planes, layout.bytes))
    element.pointers.push_back(
        code.byteOffset(plane, arith::MulIOp::create(b, loc, address, code.constant64(bytes)).getResult()));
  return element;
}

FailureOr<SmallVector<Value>> ComputedAccesses::loadElement(id::LoadOp op, const Tile &tile, size_t r) {
  Value buffer = op.getBuffer();
  SmallVector<int32_t> radices(tile.radices.begin(), tile.radices.end());
  Position position =
      unmoved(inTile(tile, r), op.getMap().getPermutation(), radices, id::radicesOf(buffer.getType()).size());
  SmallVector<Test> tests;
  for (; Operation *view = buffer.getDefiningOp(); buffer = view->getOperand(0))
    if (failed(enter(view, position, tests)))
      return failure();
  FailureOr<Element> element = elementAt(op, buffer, std::move(position), tile, r);
  if (failed(element))
    return failure();
  for (const Run &run : element->runs) {
    const Slot &lowest = element->slots[run.first];
    Value loaded = code.read(packedType(lowest.type, static_cast<int64_t>(run.count)),
                             code.at(element->pointers[lowest.plane], lowest.offset), streams);
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
      number = arith::SelectOp::create(b, loc, test.inside, number, outside);
  }
  return numbers;
}

LogicalResult ComputedAccesses::storeElement(id::StoreOp op, const Tile &tile, size_t r, ArrayRef<Value> numbers) {
  Value buffer = op.getBuffer();
  Position position = moved(inTile(tile, r), op.getMap().getPermutation(), id::radicesOf(buffer.getType()));
  SmallVector<Test> tests;
  for (OpOperand *use = viewOf(buffer); use; use = viewOf(buffer)) {
    if (failed(leave(*use, position, tests)))
      return failure();
    buffer = use->getOwner()->getResult(0);
  }
  FailureOr<Element> element = elementAt(op, buffer, std::move(position), tile, r);
  if (failed(element))
    return failure();
  Value inside;
  for (const Test &test : tests)
    inside = inside ? arith::AndIOp::create(b, loc, inside, test.inside).getResult() : test.inside;
  auto store = [&] {
    for (const Run &run : element->runs) {
      const Slot &lowest = element->slots[run.first];
      SmallVector<Value> values;
      for (size_t i = 0; i < run.count; ++i)
        values.push_back(numbers[element->slots[run.first + i].number]);
      code.write(code.pack(values), code.at(element->pointers[lowest.plane], lowest.offset), streams);
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
  for (size_t r = 0; r < tile.registers.size(); ++r) {
    FailureOr<SmallVector<Value>> element = loadElement(op, tile, r);
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
      for (size_t r : own)
        if (failed(storeElement(op, tile, r, ArrayRef<Value>(numbers).slice(r * each, each))))
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
