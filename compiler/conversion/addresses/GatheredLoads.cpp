#include "compiler/conversion/addresses/GatheredLoads.h"

#include "compiler/conversion/addresses/TileSlots.h"

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

static int64_t lengthOf(ArrayRef<int32_t> radices) {
  int64_t length = 1;
  for (int32_t radix : radices)
    length *= radix;
  return length;
}

void GatheredLoads::split(Position &position, ArrayRef<int32_t> radices) {
  Position digits;
  for (const Digits &part : position) {
    Value rest = part.number;
    for (size_t i = 0; i < part.count; ++i) {
      Value radix = code.constant64(radices[digits.size()]);
      bool last = i + 1 == part.count;
      digits.push_back({last ? rest : b.createOrFold<arith::RemUIOp>(loc, rest, radix), 1});
      rest = last ? rest : b.createOrFold<arith::DivUIOp>(loc, rest, radix);
    }
  }
  position = std::move(digits);
}

Value GatheredLoads::numberOf(const Position &position, ArrayRef<int32_t> radices, size_t count) {
  Value sum = code.constant64(0);
  size_t digit = 0;
  int64_t weight = 1;
  for (const Digits &part : position) {
    if (digit == count)
      break;
    assert(digit + part.count <= count && "digits were split");
    sum = b.createOrFold<arith::AddIOp>(loc, sum,
                                        b.createOrFold<arith::MulIOp>(loc, part.number, code.constant64(weight)));
    weight *= lengthOf(radices.slice(digit, part.count));
    digit += part.count;
  }
  return sum;
}

LogicalResult GatheredLoads::enter(Operation *view, Position &position, SmallVectorImpl<Fill> &fills) {
  ArrayRef<int32_t> radices = id::radicesOf(view->getResult(0).getType());
  if (auto gather = dyn_cast<id::GatherOp>(view)) {
    split(position, radices);
    FailureOr<Value> index = bodies.index(gather.getBody(), [&](int digit) { return position[digit - 1].number; });
    if (failed(index))
      return failure();
    position.erase(position.begin(), position.begin() + gather.getNewLowest());
    if (gather.getLowest() > 0)
      position.insert(position.begin(), {*index, static_cast<size_t>(gather.getLowest())});
    return success();
  }
  split(position, radices);
  if (auto part = dyn_cast<id::PartOp>(view)) {
    position.insert(position.begin() + (part.getDigit() - 1),
                    {code.constant64(static_cast<int64_t>(part.getValue())), 1});
  } else if (auto permute = dyn_cast<id::PermuteOp>(view)) {
    const Permutation map = permute.getMap().getPermutation();
    Position before(position.size());
    for (int p = 1; p <= map.size(); ++p) {
      Value digit = position[static_cast<size_t>(p) - 1].number;
      if (map.complemented(p))
        digit = b.createOrFold<arith::SubIOp>(loc, code.constant64(radices[static_cast<size_t>(p) - 1] - 1), digit);
      before[static_cast<size_t>(map.source(p)) - 1] = {digit, 1};
    }
    position = std::move(before);
  } else {
    auto resize = cast<id::ResizeOp>(view);
    const auto now = static_cast<size_t>(resize.getNewLowest());
    Value index = numberOf(position, radices, now);
    if (resize.pads()) {
      fills.push_back(
          {arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, code.constant64(resize.getOldLength())),
           resize});
      index = arith::SelectOp::create(b, loc, fills.back().inside, index, code.constant64(0));
    }
    position.erase(position.begin(), position.begin() + static_cast<std::ptrdiff_t>(now));
    if (resize.getLowest() > 0)
      position.insert(position.begin(), {index, static_cast<size_t>(resize.getLowest())});
  }
  return success();
}

FailureOr<SmallVector<Value>> GatheredLoads::loadElement(id::LoadOp op, const Tile &tile, size_t r) {
  // The digits of the tile, then of what the load moves.
  const Permutation map = op.getMap().getPermutation();
  const SmallVector<int64_t> inRegister = registerDigits(tile.mapping, r);
  const int n = static_cast<int>(tile.radices.size());
  Position position(id::radicesOf(op.getBuffer().getType()).size());
  for (int p = 1; p <= map.size(); ++p) {
    if (map.source(p) > static_cast<int>(position.size()))
      continue; // repeated
    digits::Place held;
    const bool isRegister = tile.mapping.find(p, held) && held.field == Field::Reg;
    Value digit = isRegister ? code.constant64(inRegister[held.position]) : place.digit(p, tile.mapping);
    if (map.complemented(p))
      digit = b.createOrFold<arith::SubIOp>(loc, code.constant64(tile.radices[static_cast<size_t>(p) - 1] - 1), digit);
    position[static_cast<size_t>(map.source(p)) - 1] = {digit, 1};
  }
  SmallVector<Fill> fills;
  Value buffer = op.getBuffer();
  for (; Operation *view = buffer.getDefiningOp(); buffer = view->getOperand(0))
    if (failed(enter(view, position, fills)))
      return failure();

  // Its address: numbers whose digits lie one after the other stay whole.
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
  int64_t problemInRegisters = 0;
  for (auto [column, value] : llvm::zip(tile.mapping[Field::Reg], inRegister))
    if (column.digits[0] > n)
      problemInRegisters += value << (column.digits[0] - n - 1);
  Value problem = arith::MulIOp::create(b, loc, place.problemOf(tile.mapping, n, problemInRegisters).index,
                                        code.constant64(layout.view.problem));
  address = arith::AddIOp::create(b, loc, address, problem);

  // The element's numbers, in accesses as wide as its alignment.
  Tile element = tile;
  element.registers.resize(1);
  llvm::erase_if(element.mapping[Field::Reg], [](const digits::Column &) { return true; });
  layout.view.address = {0, std::vector<int64_t>(tile.radices.size(), 0)};
  layout.view.radices = tile.radices;
  layout.view.problem = 1;
  const TileSlots inMemory(layout, element, place.numbers);
  std::vector<Slot> slots;
  if (failed(inMemory.find(op, slots)))
    return failure();
  SmallVector<Value, 1> pointers;
  for (auto [plane, bytes] : llvm::zip(buffers.find(layout.buffer)->second.planes, layout.bytes))
    pointers.push_back(
        code.byteOffset(plane, arith::MulIOp::create(b, loc, address, code.constant64(bytes)).getResult()));
  for (const Run &run : inMemory.runs(slots, 1)) {
    const Slot &lowest = slots[run.first];
    Value loaded = code.read(packedType(lowest.type, static_cast<int64_t>(run.count)),
                             code.at(pointers[lowest.plane], lowest.offset), streams);
    SmallVector<Value> values;
    code.unpack(loaded, values);
    for (size_t i = 0; i < run.count; ++i)
      slots[run.first + i].value = values[i];
  }
  SmallVector<Value> numbers = TileSlots::valuesOf(slots);
  for (const Fill &fill : llvm::reverse(fills)) {
    id::ResizeOp resize = fill.resize;
    FailureOr<SmallVector<Leaf>> leaves = bodies.run(resize.getBody(), {}, tile, 0);
    if (failed(leaves))
      return failure();
    Tile one = element;
    one.registers = {*leaves};
    code.makeCanonical(one);
    for (auto [number, outside] : llvm::zip(numbers, code.numbersOf(one.registers[0], tile.element)))
      number = arith::SelectOp::create(b, loc, fill.inside, number, outside);
  }
  return numbers;
}

FailureOr<Tile> GatheredLoads::load(id::LoadOp op) {
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
