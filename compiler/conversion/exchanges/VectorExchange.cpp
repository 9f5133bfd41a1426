#include "compiler/conversion/exchanges/VectorExchange.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

//===--- within a turn --------------------------------------------------------------------------------------------===//

static VectorBits bitsOf(const Mapping &mapping) {
  VectorBits bits;
  for (const digits::Column &column : mapping[Field::Reg])
    bits.vectors.push_back(column.digits[0]);
  for (const digits::Column &column : mapping[Field::Lane])
    bits.lanes.push_back(column.digits[0]);
  return bits;
}

FailureOr<Tile> LaneExchange::exchange(id::ExchangeOp, const Tile &tile, const Mapping &after) {
  Tile moved = movedTile(tile, after);
  std::vector<SmallVector<Value>> numbers; // of an element, by registers
  for (const auto &leaves : tile.registers)
    for (auto [i, number] : llvm::enumerate(code.numbersOf(leaves, tile.element))) {
      if (numbers.size() <= i)
        numbers.emplace_back();
      numbers[i].push_back(number);
    }
  for (SmallVector<Value> &vectors : numbers)
    rearrange(code.b, code.loc, vectors, bitsOf(tile.mapping), bitsOf(after));
  for (size_t r = 0; r < moved.registers.size(); ++r) {
    SmallVector<Value> element;
    for (const SmallVector<Value> &vectors : numbers)
      element.push_back(vectors[r]);
    moved.registers[r] = code.leavesOf(element, tile.element);
  }
  return moved;
}

//===--- between turns --------------------------------------------------------------------------------------------===//

/// Planes and places begin some lines apart from whole pages, so that what turns read of one does not fall on what they
/// have just written to another.
static int64_t planeBytes(id::LayoutAttr layout, int64_t numberBytes) {
  constexpr int64_t line = 64, apart = 4 * line;
  return static_cast<int64_t>(llvm::alignTo(layout.getLayout().words * numberBytes, line)) + apart;
}

/// The bytes of one place.
static int64_t placeBytes(id::ExchangeOp op) {
  Type real;
  int components;
  if (!id::splitNumbers(op.getInput().getType().getElement(), real, components))
    return 0;
  return components * planeBytes(op.getLayoutAttr(), id::elementBytes(real));
}

int64_t ScratchExchange::bytesOf(id::KernelOp kernel) {
  int64_t bytes = 0;
  bool several = false;
  id::LayoutAttr layout;
  for (auto op : kernel.getBody().getOps<id::ExchangeOp>()) {
    if (op.getKind() != id::ExchangeKind::Shared)
      continue;
    bytes = std::max(bytes, placeBytes(op));
    several |= layout && layout != op.getLayoutAttr();
    layout = op.getLayoutAttr();
  }
  return several ? 2 * bytes : bytes;
}

FailureOr<Tile> ScratchExchange::exchange(id::ExchangeOp op, const Tile &tile, const Mapping &after) {
  Type real;
  int components;
  if (!id::splitNumbers(tile.element, real, components))
    return op.emitError() << "elements of type " << tile.element << " cannot be generated yet";
  if (current && current != op.getLayoutAttr())
    used ^= 1;
  current = op.getLayoutAttr();
  const digits::SharedLayout layout = current.getLayout();
  auto target = [&](int digit) -> uint64_t { return layout.column(digit); };
  const int64_t bytes = id::elementBytes(real), apart = planeBytes(current, bytes);
  Value start = used ? code.at(memory, placeBytes(op)) : memory;
  SmallVector<Value> parts;
  for (const auto &leaves : tile.registers)
    llvm::append_range(parts, code.numbersOf(leaves, tile.element, real));
  place.storeRegisters(place.makeAddress(tile.mapping, target, start, apart, real, components), parts);
  beginTurns();
  Tile moved = movedTile(tile, after);
  start = used ? code.at(memory, placeBytes(op)) : memory;
  parts = place.loadRegisters(place.makeAddress(after, target, start, apart, real, components));
  for (size_t r = 0; r < moved.registers.size(); ++r)
    moved.registers[r] = code.leavesOf(
        ArrayRef(parts).slice(r * static_cast<size_t>(components), static_cast<size_t>(components)), tile.element);
  return moved;
}
