#include "compiler/conversion/exchanges/FormExchange.h"

#include "compiler/conversion/Layouts.h"
#include "compiler/conversion/Machine.h"
#include "compiler/conversion/Meetings.h"
#include "compiler/conversion/exchanges/PackedWords.h"

#include "compiler/passes/ExchangeSides.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

//===--- addresses ------------------------------------------------------------------------------------------------===//

Value FormExchange::pointerOf(id::ExchangeOp op, const Mapping &mapping, const ExchangeWords &words, Column column) {
  Value offset = place.numbers.sum(
      mapping, [&](int digit) { return column(digit) * words.bytes; }, /*narrow=*/true);
  offset = arith::ExtUIOp::create(b, loc, b.getI64Type(), offset);
  if (place.slot)
    offset = arith::AddIOp::create(
        b, loc, offset,
        arith::MulIOp::create(
            b, loc, place.slot,
            code.constant64(place.sideBySide ? words.totalBytes() : numberOf(op->getParentOp(), sharedBytesAttr))));
  Value memory = sharedMemory(b, loc);
  if (op->hasAttr(parkedAttr)) {
    Value parked = arith::MulIOp::create(b, loc, round.rounds->place(round.item),
                                         code.constant32(numberOf(op->getParentOp(), parkedBytesAttr)));
    offset = arith::AddIOp::create(b, loc, offset, arith::ExtUIOp::create(b, loc, b.getI64Type(), parked));
  }
  return code.at(code.byteOffset(memory, offset),
                 numberOf(op, sharedOffsetAttr) * std::max<int64_t>(place.sideBySide, 1));
}

/// What the digits of a register add.
static int64_t registerOffset(const Mapping &mapping, size_t r, const ExchangeWords &words,
                              llvm::function_ref<int64_t(int)> column) {
  int64_t offset = 0;
  for (auto [held, value] : llvm::zip(mapping[Field::Reg], registerDigits(mapping, r)))
    offset += value * column(held.digits[0]) * words.bytes;
  return offset;
}

static int64_t weightIn(const digits::LinearForm &form, int digit) {
  return digit <= static_cast<int>(form.weight.size()) ? form.weight[digit - 1] : 0;
}

/// The rank of the block that has an element, in its digits; empty where all blocks have it.
static digits::LinearForm rankOf(const Mapping &mapping) {
  digits::LinearForm rank;
  int64_t weight = 1;
  for (const digits::Column &column : mapping[Field::Rank]) {
    if (!column.digits.empty()) {
      rank.weight.resize(std::max<size_t>(rank.weight.size(), column.digits[0]), 0);
      rank.weight[column.digits[0] - 1] = weight;
    }
    weight *= column.radix;
  }
  return rank;
}

//===--- writing and reading --------------------------------------------------------------------------------------===//

void FormExchange::write(id::ExchangeOp op, const Tile &tile) {
  // Who has none of the elements that are read writes nothing.
  std::vector<std::pair<int, int64_t>> inRegisters;
  Value has;
  if (op.getKind() == id::ExchangeKind::Shared)
    for (const auto &[digit, value] : passes::fixedDigits(op)) {
      digits::Place at;
      if (!tile.mapping.find(digit, at))
        continue;
      if (at.field == Field::Reg) {
        inRegisters.emplace_back(static_cast<int>(at.position), value);
        continue;
      }
      Value own = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, place.numbers.digit(digit, tile.mapping),
                                        code.constant64(value));
      has = has ? arith::AndIOp::create(b, loc, has, own).getResult() : own;
    }
  if (has)
    return place.where(has, [&] { writeTile(op, tile, inRegisters); });
  writeTile(op, tile, inRegisters);
}

void FormExchange::writeTile(id::ExchangeOp op, const Tile &tile, ArrayRef<std::pair<int, int64_t>> inRegisters) {
  const digits::SharedLayout layout = op.getLayoutAttr().getLayout();
  const ExchangeWords words = wordsOf(op);
  auto columnOf = [&](int digit) -> int64_t { return layout.column(digit); };
  Value own = pointerOf(op, tile.mapping, words, columnOf);
  std::optional<Destinations> blocks;
  if (sendsToBlocks(op))
    blocks.emplace(destinationsOf(op, tile.mapping, own));
  const Destinations::Block here{own, {}};
  for (size_t r = 0; r < tile.registers.size(); ++r) {
    const auto digitsHere = registerDigits(tile.mapping, r);
    if (llvm::any_of(inRegisters, [&](const auto &fixed) { return digitsHere[fixed.first] != fixed.second; }))
      continue;
    int64_t offset = registerOffset(tile.mapping, r, words, columnOf);
    const ArrayRef<Destinations::Block> to = blocks ? blocksOf(*blocks, tile.mapping, r) : ArrayRef(here);
    for (Value word : wordsOfNumbers(code.numbersOf(tile.registers[r], tile.element, words.unit), words)) {
      for (const auto &[memory, barrier] : to) {
        Value place = code.at(memory, offset);
        if (barrier)
          tickets->send(wordOf(code, word), place, barrier);
        else
          LLVM::StoreOp::create(b, loc, word, place, static_cast<unsigned>(packedBytes(word.getType())));
      }
      offset += words.setBytes;
    }
  }
}

size_t FormExchange::orderOf(id::ExchangeOp op) { return sent.try_emplace(op, sent.size()).first->second; }

void FormExchange::beforeWrite(id::ExchangeOp op) {
  if (tickets && orderOf(op) == 0)
    tickets->sendNumber();
}

void FormExchange::await(id::ExchangeOp op) {
  tickets->wait(orderOf(op));
  if (afterWords && orderOf(op) + 1 == tickets->exchanges())
    afterWords();
}

SmallVector<Value> FormExchange::read(Value base, int64_t offset, const ExchangeWords &words, Type element) {
  SmallVector<Value> values;
  for (Type word : words.types) {
    values.push_back(
        LLVM::LoadOp::create(b, loc, word, code.at(base, offset), static_cast<unsigned>(packedBytes(word))));
    offset += words.setBytes;
  }
  return numbersOfWords(values, words, element);
}

FailureOr<Tile> FormExchange::exchange(id::ExchangeOp op, const Tile &tile, const Mapping &after) {
  if (op.isComputed())
    return fetch(op, tile, after);
  Tile moved = movedTile(tile, after);
  const digits::SharedLayout layout = op.getLayoutAttr().getLayout();
  const ExchangeWords words = wordsOf(op);
  auto columnOf = [&](int digit) -> int64_t { return layout.column(digit); };
  Value base = pointerOf(op, after, words, columnOf);
  for (size_t r = 0; r < moved.registers.size(); ++r)
    moved.registers[r] =
        code.leavesOf(read(base, registerOffset(after, r, words, columnOf), words, tile.element), tile.element);
  return moved;
}

//===--- computed places ------------------------------------------------------------------------------------------===//

FailureOr<Tile> FormExchange::fetch(id::ExchangeOp op, const Tile &tile, const Mapping &after) {
  Tile moved = movedTile(tile, after);
  const id::TileType result = op.getResult().getType();
  const ArrayRef<int32_t> radices = op.getInput().getType().getRadices();
  moved.radices.assign(result.getRadices().begin(), result.getRadices().end());
  const digits::SharedLayout layout = op.getLayoutAttr().getLayout();
  const ExchangeWords words = wordsOf(op);
  const int own = result.getNumDigits(), more = static_cast<int>(tile.radices.size()) - own;
  // The digits of the batch are the same behind as before.
  auto columnOf = [&](int digit) -> int64_t { return digit > own ? layout.column(digit + more) : 0; };
  Value base = pointerOf(op, after, words, columnOf);
  const digits::LinearForm ranks = rankOf(tile.mapping);
  // Digits of a number that lie behind each other are one.
  struct Stretch {
    int64_t column, rank; // of its lowest digit
  };
  struct Run {
    SmallVector<Stretch> stretches;
    SmallVector<int32_t> lengths;
  };
  std::vector<Run> runs;
  SmallVector<int64_t> lengths;
  for (size_t i = 0; i < op.getRuns()->size(); ++i) {
    Run &run = runs.emplace_back();
    lengths.push_back(1);
    for (int64_t number : op.getRun(i)) {
      const int32_t radix = radices[static_cast<size_t>(number) - 1];
      const int digit = static_cast<int>(number);
      const Stretch next{layout.column(digit), weightIn(ranks, digit)};
      lengths.back() *= radix;
      if (!run.stretches.empty() && llvm::isInt<32>(int64_t{run.lengths.back()} * radix) &&
          next.column == run.stretches.back().column * run.lengths.back() &&
          next.rank == run.stretches.back().rank * run.lengths.back()) {
        run.lengths.back() *= radix;
      } else {
        run.stretches.push_back(next);
        run.lengths.push_back(radix);
      }
    }
  }
  IndexSums sums(b, loc);
  for (size_t r = 0; r < moved.registers.size(); ++r) {
    const SmallVector<int64_t> inRegister = registerDigits(after, r);
    auto digitOf = [&](int digit) { return place.numbers.digit(digit, after, inRegister, sums); };
    FailureOr<std::vector<IndexSum>> numbers = bodies.numbers(op.getPlaces(), digitOf, sums, lengths);
    if (failed(numbers))
      return failure();
    IndexSum offset{registerOffset(after, r, words, columnOf), {}}, rank;
    for (auto [number, run] : llvm::zip_equal(*numbers, runs))
      for (auto [stretch, value] : llvm::zip_equal(run.stretches, sums.digitsOf(number, run.lengths))) {
        offset = IndexSums::add(offset, value, stretch.column * words.bytes);
        rank = IndexSums::add(rank, value, stretch.rank);
      }
    Value from = code.byteOffset(base, sums.value({0, offset.terms}));
    int64_t rest = offset.constant;
    if (readsBlocks(op)) {
      // Another block's memory has a stretch of addresses of its own, which none on the way to a word may leave.
      Value block = arith::TruncIOp::create(b, loc, b.getI32Type(), sums.value(rank));
      from = peerMemory(b, loc, code.at(from, std::exchange(rest, 0)), block);
    }
    moved.registers[r] = code.leavesOf(read(from, rest, words, tile.element), tile.element);
  }
  return moved;
}

//===--- between the blocks of a cluster --------------------------------------------------------------------------===//

FormExchange::Destinations FormExchange::destinationsOf(id::ExchangeOp op, const Mapping &before, Value own) {
  Destinations to{own, tickets ? orderOf(op) : 0, rankOf(op.getResult().getType().getMapping()), {}};
  if (!to.rank.weight.empty())
    to.ofThread = place.numbers.sum(
        before, [&](int digit) { return weightIn(to.rank, digit); }, /*narrow=*/true);
  return to;
}

ArrayRef<FormExchange::Destinations::Block> FormExchange::blocksOf(Destinations &to, const Mapping &mapping, size_t r) {
  int64_t rank = 0;
  for (auto [column, value] : llvm::zip(mapping[Field::Reg], registerDigits(mapping, r)))
    rank += value * weightIn(to.rank, column.digits[0]);
  SmallVector<Destinations::Block> &found = to.ofRegisters[rank];
  if (!found.empty())
    return found;
  // Another block's shared memory has a stretch of addresses of its own.
  auto memoryOf = [&](Value number) {
    found.push_back({peerMemory(b, loc, to.own, number), {}});
    if (tickets)
      found.back().barrier = tickets->barrier(peerMemory(b, loc, sharedMemory(b, loc), number), to.number);
  };
  if (to.ofThread) {
    memoryOf(arith::AddIOp::create(b, loc, to.ofThread, code.constant32(rank)));
  } else {
    for (int64_t i = 0; i < mapping.extent(Field::Rank); ++i)
      memoryOf(arith::XOrIOp::create(b, loc, place.rank, code.constant32(i)));
  }
  return found;
}

//===--- words ----------------------------------------------------------------------------------------------------===//

SmallVector<Value> FormExchange::wordsOfNumbers(ArrayRef<Value> numbers, const ExchangeWords &words) {
  SmallVector<Value> result;
  if (words.unit) {
    for (; !numbers.empty(); numbers = numbers.drop_front(words.perWord))
      result.push_back(code.pack(numbers.take_front(words.perWord)));
    return result;
  }
  for (Value number : numbers) {
    if (packedBytes(number.getType()) > words.bytes)
      number = LLVM::BitcastOp::create(b, loc, VectorType::get({2}, b.getI32Type()), number);
    code.unpack(number, result);
  }
  return result;
}

SmallVector<Value> FormExchange::numbersOfWords(ArrayRef<Value> values, const ExchangeWords &words, Type element) {
  SmallVector<Value> numbers;
  if (words.unit) {
    for (Value value : values)
      code.unpack(value, numbers);
    return numbers;
  }
  for (Type number : numberTypes(element)) {
    const bool halves = packedBytes(number) > words.bytes;
    Value value = values[0];
    if (halves)
      value = LLVM::BitcastOp::create(b, loc, number, code.pack(values.take_front(2)));
    numbers.push_back(value);
    values = values.drop_front(halves ? 2 : 1);
  }
  return numbers;
}
