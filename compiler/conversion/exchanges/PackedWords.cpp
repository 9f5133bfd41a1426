#include "compiler/conversion/exchanges/PackedWords.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

FailureOr<Tile> PackedExchange::exchange(id::ExchangeOp op, const Tile &tile, const Mapping &after) {
  const std::vector<int> together = id::exchangeWordDigits(op);
  if (together.empty())
    return ofWords.exchange(op, tile, after);
  FailureOr<Tile> words = ofWords.exchange(op, packed(tile, together), after.without(together));
  if (failed(words))
    return failure();
  return unpacked(*words, after, together, tile.element);
}

/// The registers whose elements make word `number` of a mapping without `together`: the digits of `together`, lowest
/// first, count them.
static SmallVector<size_t> membersOf(const Mapping &mapping, const std::vector<int> &together, size_t number) {
  SmallVector<size_t> members(size_t(1) << together.size());
  for (auto [i, member] : llvm::enumerate(members)) {
    SmallVector<int64_t> digits;
    size_t rest = number;
    for (const digits::Column &column : mapping[Field::Reg]) {
      auto found = llvm::find(together, column.digits[0]);
      if (found != together.end()) {
        digits.push_back(static_cast<int64_t>(i >> (found - together.begin()) & 1));
        continue;
      }
      digits.push_back(static_cast<int64_t>(rest % column.radix));
      rest /= column.radix;
    }
    member = registerNumber(mapping, digits);
  }
  return members;
}

/// Elements that differ in the digits `together` as one of 32 bits, its highest 0 where they have fewer.
Tile PackedExchange::packed(const Tile &tile, const std::vector<int> &together) {
  Type number;
  int count;
  id::splitNumbers(tile.element, number, count);
  Tile words = tile;
  words.mapping = tile.mapping.without(together);
  words.element = b.getI32Type();
  words.registers.assign(words.mapping.extent(Field::Reg), {});
  for (auto [r, leaves] : llvm::enumerate(words.registers)) {
    SmallVector<Value> numbers;
    for (size_t member : membersOf(tile.mapping, together, r))
      llvm::append_range(numbers, code.numbersOf(tile.registers[member], tile.element, number));
    const auto width = static_cast<unsigned>(numbers.size() * number.getIntOrFloatBitWidth());
    Value word = LLVM::BitcastOp::create(b, loc, b.getIntegerType(width), code.pack(numbers));
    leaves = code.leavesOf(wordOf(code, word), words.element);
  }
  return words;
}

Tile PackedExchange::unpacked(const Tile &words, const Mapping &mapping, const std::vector<int> &together,
                              Type element) {
  Type number;
  int count;
  id::splitNumbers(element, number, count);
  Tile tile = words;
  tile.mapping = mapping;
  tile.element = element;
  tile.registers.assign(mapping.extent(Field::Reg), {});
  const int64_t members = count << together.size();
  Type held = VectorType::get({members}, number);
  Type bits = b.getIntegerType(static_cast<unsigned>(members * number.getIntOrFloatBitWidth()));
  for (auto [r, leaves] : llvm::enumerate(words.registers)) {
    SmallVector<Value> numbers;
    Value word = fromWord(code, code.numbersOf(leaves, words.element)[0], bits);
    code.unpack(LLVM::BitcastOp::create(b, loc, held, word), numbers);
    for (auto [i, member] : llvm::enumerate(membersOf(mapping, together, r)))
      tile.registers[member] = code.leavesOf(ArrayRef<Value>(numbers).slice(i * count, count), element);
  }
  return tile;
}

bool conversion::isNarrow(Type type) { return type.isIntOrFloat() && type.getIntOrFloatBitWidth() < 32; }

Value conversion::wordOf(TileCode &code, Value value) {
  Type type = value.getType();
  if (!isNarrow(type))
    return value;
  Type bits = code.b.getIntegerType(type.getIntOrFloatBitWidth());
  return arith::ExtUIOp::create(code.b, code.loc, code.b.getI32Type(),
                                arith::BitcastOp::create(code.b, code.loc, bits, value));
}

Value conversion::fromWord(TileCode &code, Value word, Type type) {
  if (!isNarrow(type))
    return word;
  Type bits = code.b.getIntegerType(type.getIntOrFloatBitWidth());
  return arith::BitcastOp::create(code.b, code.loc, type, arith::TruncIOp::create(code.b, code.loc, bits, word));
}
