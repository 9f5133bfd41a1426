#include "compiler/conversion/exchanges/FlatExchange.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Mapping;

/// Before and behind a plane: as much as a vector has, which blended ones read and rows stored one by one write.
static constexpr int64_t besideBytes = 64;

static int64_t planeBytes(id::ExchangeOp op, Type real) {
  return static_cast<int64_t>(
             llvm::alignTo(op.getLayoutAttr().getLayout().words * id::elementBytes(real), besideBytes)) +
         2 * besideBytes;
}

int64_t FlatExchange::bytesOf(id::KernelOp kernel) {
  int64_t most = 0;
  for (auto op : kernel.getBody().getOps<id::ExchangeOp>()) {
    Type real;
    int components;
    if (op.getKind() == id::ExchangeKind::Shared &&
        id::splitNumbers(op.getInput().getType().getElement(), real, components))
      most = std::max(most, components * planeBytes(op, real));
  }
  return 2 * most;
}

FailureOr<Tile> FlatExchange::exchange(id::ExchangeOp op, const Tile &tile, const Mapping &after) {
  Type real;
  int components;
  if (!id::splitNumbers(tile.element, real, components))
    return op.emitError() << "elements of type " << tile.element << " cannot be generated yet";
  const digits::SharedLayout layout = op.getLayoutAttr().getLayout();
  const int64_t half = bytesOf(op->getParentOfType<id::KernelOp>()) / 2, apart = planeBytes(op, real);
  const int64_t offset = second ? half : 0;
  second = !second;
  auto addressOf = [&](const Mapping &mapping) {
    Value start = code.at(memory, offset);
    FlatPlace::Address address{{}, real, components, 1, {}, besideBytes / id::elementBytes(real)};
    for (int plane = 0; plane < components; ++plane)
      address.bases.push_back(code.at(start, plane * apart + besideBytes));
    address.places = FlatPlace::placesOf(
        mapping, [&](int digit) { return static_cast<int64_t>(layout.column(digit)); },
        [](int64_t index) { return index; });
    return address;
  };
  SmallVector<Value> parts;
  for (const auto &leaves : tile.registers)
    llvm::append_range(parts, code.numbersOf(leaves, tile.element, real));
  place.storeRegisters(addressOf(tile.mapping), parts);
  beginTurns(after);
  Tile moved = movedTile(tile, after);
  parts = place.loadRegisters(addressOf(after));
  const auto count = static_cast<size_t>(components);
  for (size_t r = 0; r < moved.registers.size(); ++r)
    moved.registers[r] = code.leavesOf(ArrayRef(parts).slice(r * count, count), tile.element);
  return moved;
}
