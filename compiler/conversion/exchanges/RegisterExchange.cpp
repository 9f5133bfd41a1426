#include "compiler/conversion/exchanges/RegisterExchange.h"

#include "compiler/conversion/addresses/Index.h"
#include "compiler/conversion/exchanges/PackedWords.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Mapping;

/// Registers under the numbers that a plan gives them.
static void rename(const digits::ExchangePlan &plan, const Tile &tile, Tile &moved) {
  for (size_t r = 0; r < moved.registers.size(); ++r)
    moved.registers[r] = tile.registers[plan.registerSource.empty() ? r : plan.registerSource[r]];
}

FailureOr<Tile> RegisterExchange::exchange(id::ExchangeOp op, const Tile &tile, const Mapping &after) {
  Tile moved = movedTile(tile, after);
  digits::ExchangePlan plan;
  std::string error;
  if (!digits::planExchange(tile.mapping, after, {}, plan, error))
    return op.emitError() << error;
  rename(plan, tile, moved);
  return moved;
}

FailureOr<Tile> ShuffleExchange::exchange(id::ExchangeOp op, const Tile &tile, const Mapping &after) {
  Tile moved = movedTile(tile, after);
  digits::ExchangePlan plan;
  std::string error;
  digits::ExchangeOptions options;
  options.maxShuffleSwaps = static_cast<int>(tile.mapping[digits::Field::Lane].size());
  options.wordBytes = id::exchangeWordBytes(tile.element);
  if (!digits::planExchange(tile.mapping, after, options, plan, error))
    return op.emitError() << error;
  if (plan.kind == digits::ExchangeKind::Shuffle)
    shuffle(plan.shuffle, tile, moved);
  else
    rename(plan, tile, moved);
  return moved;
}

void ShuffleExchange::shuffle(const digits::ShufflePlan &plan, const Tile &tile, Tile &moved) {
  // Words of 32 bits, register by register.
  size_t count = moved.registers.size();
  std::vector<SmallVector<Value>> words(count);
  for (size_t r = 0; r < count; ++r) {
    size_t old = 0;
    for (auto [i, source] : llvm::enumerate(plan.registerSource))
      old |= (r >> i & 1) << source;
    words[r] = code.numbersOf(tile.registers[old], tile.element);
  }
  auto select = [&](const std::function<int(int)> &laneBit) {
    for (auto [r, l] : plan.swaps) {
      Value bit = arith::AndIOp::create(b, loc, place.thread, code.constant32(int64_t(1) << laneBit(l)));
      Value set = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bit, code.constant32(0));
      std::vector<SmallVector<Value>> before = words;
      for (size_t k = 0; k < count; ++k)
        for (size_t w = 0; w < words[k].size(); ++w)
          words[k][w] = arith::SelectOp::create(b, loc, set, before[k ^ (size_t(1) << r)][w], before[k][w]);
    }
  };
  select([&](int l) { return plan.laneSource[l]; });
  bool straight = true;
  std::vector<uint64_t> lanes;
  for (auto [l, source] : llvm::enumerate(plan.laneSource)) {
    straight &= source == static_cast<int>(l);
    lanes.push_back(uint64_t(1) << source);
  }
  const int64_t last = (int64_t(1) << lanes.size()) - 1; // lane: all lanes of a warp hold the tile
  Value lane = scatterBits(b, loc, arith::AndIOp::create(b, loc, place.thread, code.constant32(last)), lanes);
  for (size_t k = 0; k < count; ++k) {
    int64_t mask = 0;
    for (auto [r, l] : plan.swaps)
      if (k >> r & 1)
        mask ^= int64_t(1) << plan.laneSource[l];
    if (straight && mask == 0)
      continue;
    for (Value &word : words[k])
      word = straight ? shuffleWord(word, code.constant32(mask), machine::ShuffleKind::Xor)
                      : shuffleWord(word, arith::XOrIOp::create(b, loc, lane, code.constant32(mask)),
                                    machine::ShuffleKind::From);
  }
  select([](int l) { return l; });
  for (size_t k = 0; k < count; ++k)
    moved.registers[k] = code.leavesOf(words[k], tile.element);
}

Value ShuffleExchange::shuffleWord(Value value, Value lane, machine::ShuffleKind kind) {
  Type type = value.getType(), i32 = b.getI32Type(), i64 = b.getI64Type();
  auto one = [&](Value v) { return machine::ShuffleOp::create(b, loc, v.getType(), kind, v, lane); };
  if (type.isF32() || type.isInteger(32))
    return one(value);
  if (isNarrow(type))
    return fromWord(code, one(wordOf(code, value)), type);
  Value bits = type.isInteger(64) ? value : arith::BitcastOp::create(b, loc, i64, value).getResult();
  Value low = one(arith::TruncIOp::create(b, loc, i32, bits));
  Value high = one(arith::TruncIOp::create(b, loc, i32, arith::ShRUIOp::create(b, loc, bits, code.constant64(32))));
  Value joined = arith::OrIOp::create(
      b, loc, arith::ShLIOp::create(b, loc, arith::ExtUIOp::create(b, loc, i64, high), code.constant64(32)),
      arith::ExtUIOp::create(b, loc, i64, low));
  return type.isInteger(64) ? joined : arith::BitcastOp::create(b, loc, type, joined).getResult();
}
