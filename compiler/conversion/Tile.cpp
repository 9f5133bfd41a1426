#include "compiler/conversion/Tile.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;

Tile conversion::emptyTile(Type type) {
  auto tileType = cast<id::TileType>(type);
  Tile tile;
  tile.mapping = tileType.getMapping();
  tile.radices.assign(tileType.getRadices().begin(), tileType.getRadices().end());
  tile.element = tileType.getElement();
  tile.registers.resize(tile.mapping.extent(Field::Reg));
  return tile;
}

int64_t conversion::registersOf(id::TileType tile) {
  return tile.getMapping().extent(Field::Reg) * id::registerBytes(tile.getElement()) / 4;
}

SmallVector<int64_t> conversion::registerDigits(const digits::Mapping &mapping, size_t number) {
  SmallVector<int64_t> digits;
  for (const digits::Column &column : mapping[Field::Reg]) {
    digits.push_back(static_cast<int64_t>(number % column.radix));
    number /= column.radix;
  }
  return digits;
}

size_t conversion::registerNumber(const digits::Mapping &mapping, ArrayRef<int64_t> digits) {
  size_t number = 0;
  for (size_t i = digits.size(); i-- > 0;)
    number = number * mapping[Field::Reg][i].radix + static_cast<size_t>(digits[i]);
  return number;
}
