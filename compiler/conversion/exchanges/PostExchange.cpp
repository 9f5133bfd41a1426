#include "compiler/conversion/exchanges/PostExchange.h"

#include "compiler/conversion/Layouts.h"
#include "compiler/conversion/Sections.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

//===--- cells ----------------------------------------------------------------------------------------------------===//

static size_t cellsOf(Type number) { return packedBytes(number) > 4 ? 2 : 1; }

static size_t cellsOfElement(Type element) {
  size_t cells = 0;
  for (Type type : numberTypes(element))
    cells += cellsOf(type);
  return cells;
}

/// Words of 4 bytes that an exchange posts.
static int64_t cellsOf(id::ExchangeOp op) {
  return static_cast<int64_t>(cellsOfElement(op.getInput().getType().getElement())) *
         op.getLayoutAttr().getLayout().words;
}

int64_t conversion::postedCells(id::KernelOp kernel) {
  int64_t cells = 0;
  for (id::ExchangeOp exchange : kernel.getBody().getOps<id::ExchangeOp>())
    cells += isPosted(exchange) ? cellsOf(exchange) : 0;
  return cells;
}

static Type integerOf(Type number) {
  return IntegerType::get(number.getContext(), static_cast<unsigned>(8 * packedBytes(number)));
}

void PostExchange::appendCells(Value number, SmallVectorImpl<Value> &words) {
  Type integer = integerOf(number.getType()), i32 = b.getI32Type();
  if (number.getType() != integer)
    number = LLVM::BitcastOp::create(b, loc, integer, number);
  if (packedBytes(integer) < 4) {
    words.push_back(arith::ExtUIOp::create(b, loc, i32, number));
  } else if (packedBytes(integer) == 4) {
    words.push_back(number);
  } else {
    words.push_back(arith::TruncIOp::create(b, loc, i32, number));
    words.push_back(arith::TruncIOp::create(b, loc, i32, arith::ShRUIOp::create(b, loc, number, code.constant64(32))));
  }
}

Value PostExchange::fromCells(ArrayRef<Value> words, Type type) {
  Type integer = integerOf(type);
  Value number = words[0];
  if (words.size() == 2) {
    Value high = arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, integer, words[1]), code.constant64(32));
    number = arith::OrIOp::create(b, loc, high, arith::ExtUIOp::create(b, loc, integer, words[0]));
  } else if (packedBytes(integer) < 4) {
    number = arith::TruncIOp::create(b, loc, integer, number);
  }
  return type == integer ? number : LLVM::BitcastOp::create(b, loc, type, number).getResult();
}

//===--- addresses ------------------------------------------------------------------------------------------------===//

SmallVector<Value> PostExchange::cellsAt(id::ExchangeOp op, const Mapping &mapping, Value base, size_t r,
                                         size_t cells) {
  const digits::SharedLayout layout = op.getLayoutAttr().getLayout();
  const int64_t elementBytes = static_cast<int64_t>(cells) * CooperativeRounds::cellBytes;
  int64_t offset = 0;
  for (auto [column, value] : llvm::zip(mapping[Field::Reg], registerDigits(mapping, r)))
    offset += value * layout.column(column.digits[0]) * elementBytes;
  SmallVector<Value> found;
  for (size_t i = 0; i < cells; ++i)
    found.push_back(code.at(base, offset + static_cast<int64_t>(i) * CooperativeRounds::cellBytes));
  return found;
}

Value PostExchange::pointerOf(id::ExchangeOp op, const Mapping &mapping, size_t cells) {
  const digits::SharedLayout layout = op.getLayoutAttr().getLayout();
  int64_t first = 0; // of the exchanges before
  for (id::ExchangeOp other : op->getParentOfType<id::KernelOp>().getBody().getOps<id::ExchangeOp>()) {
    if (other == op)
      break;
    first += isPosted(other) ? cellsOf(other) : 0;
  }
  Value offset = place.numbers.sum(mapping, [&](int digit) {
    return static_cast<int64_t>(layout.column(digit)) * static_cast<int64_t>(cells) * CooperativeRounds::cellBytes;
  });
  return code.at(code.byteOffset(round.rounds->posts(round.item), offset), first * CooperativeRounds::cellBytes);
}

//===--- writing and reading --------------------------------------------------------------------------------------===//

void PostExchange::write(id::ExchangeOp op, const Tile &tile) {
  Value base;
  for (size_t r = 0; r < tile.registers.size(); ++r) {
    SmallVector<Value> words;
    for (Value number : code.numbersOf(tile.registers[r], tile.element))
      appendCells(number, words);
    if (!base)
      base = pointerOf(op, tile.mapping, words.size());
    for (auto [cell, word] : llvm::zip(cellsAt(op, tile.mapping, base, r, words.size()), words))
      round.rounds->post(round.item, cell, word);
  }
}

FailureOr<Tile> PostExchange::exchange(id::ExchangeOp op, const Tile &tile, const Mapping &after) {
  Tile moved = movedTile(tile, after);
  const size_t perElement = cellsOfElement(tile.element);
  Value base = pointerOf(op, after, perElement);
  SmallVector<Value> cells;
  for (size_t r = 0; r < moved.registers.size(); ++r)
    llvm::append_range(cells, cellsAt(op, after, base, r, perElement));
  SmallVector<Value> words = round.rounds->await(round.item, cells);
  ArrayRef<Value> rest = words;
  for (auto &leaves : moved.registers) {
    SmallVector<Value> numbers;
    for (Type type : numberTypes(moved.element)) {
      numbers.push_back(fromCells(rest.take_front(cellsOf(type)), type));
      rest = rest.drop_front(cellsOf(type));
    }
    leaves = code.leavesOf(numbers, moved.element);
  }
  return moved;
}
