#include "compiler/conversion/exchanges/BitExchange.h"

#include "compiler/conversion/Machine.h"
#include "compiler/conversion/Meetings.h"
#include "compiler/conversion/addresses/Index.h"
#include "compiler/conversion/exchanges/PackedWords.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Mapping;

//===--- addresses ------------------------------------------------------------------------------------------------===//

BitExchange::Side BitExchange::sideOf(const Mapping &mapping, const digits::SharedLayout &layout, int64_t wordBytes) {
  auto target = [&](int digit) { return uint64_t(layout.column(digit)) * wordBytes; };
  Side side;
  std::vector<uint64_t> threads = place.threadTargets(mapping, target);
  for (uint64_t bits : threads)
    side.threadBits |= bits;
  side.base = scatterBits(b, loc, place.thread, threads);
  if (Value ranks = place.rankBits(mapping, target)) {
    for (uint64_t bits : columnTargets(mapping[Field::Rank], target))
      side.threadBits |= bits;
    side.base = side.base ? arith::XOrIOp::create(b, loc, side.base, ranks).getResult() : ranks;
  }
  if (!side.base)
    side.base = code.constant32(0);
  side.regs = constantTargets(mapping[Field::Reg], target);
  return side;
}

Value BitExchange::pointerAt(Side &side, Value memory, size_t r) {
  uint64_t turn = side.regs[r] & side.threadBits, offset = side.regs[r] & ~side.threadBits;
  Value &base = side.turned[turn];
  if (!base) {
    Value bytes =
        turn ? arith::XOrIOp::create(b, loc, side.base, code.constant32(static_cast<int64_t>(turn))).getResult()
             : side.base;
    base = code.byteOffset(memory, bytes);
  }
  return offset ? code.byteOffset(base, code.constant32(static_cast<int64_t>(offset))) : base;
}

//===--- words ----------------------------------------------------------------------------------------------------===//

FailureOr<Tile> BitExchange::exchange(id::ExchangeOp op, const Tile &tile, const Mapping &after) {
  Tile moved = movedTile(tile, after);
  Type number;
  int components;
  if (!id::splitNumbers(tile.element, number, components))
    return op.emitError() << "elements of type " << tile.element << " cannot be generated yet";
  auto through = [&](const Tile &from, Tile &to, int count, bool first = true) {
    if (op.getKind() == id::ExchangeKind::Shared)
      throughShared(op, from, to, number, count, first);
    else
      throughCluster(op, from, to, number, count, first);
  };
  int64_t bytes = id::elementBytes(tile.element);
  int perWord =
      static_cast<int>(std::min(bytes & -bytes, id::exchangeWordBytes(tile.element)) / id::elementBytes(number));
  if (perWord == components) {
    through(tile, moved, components);
    return moved;
  }
  auto word = id::RecordType::get(b.getContext(), SmallVector<Type>(perWord, number));
  std::vector<SmallVector<Value>> numbers, received(moved.registers.size());
  for (const auto &leaves : tile.registers)
    numbers.push_back(code.numbersOf(leaves, tile.element, number));
  for (int first = 0; first < components; first += perWord) {
    Tile from = tile, to = moved;
    from.element = to.element = word;
    for (auto [leaves, all] : llvm::zip(from.registers, numbers))
      leaves = code.leavesOf(ArrayRef<Value>(all).slice(first, perWord), word);
    through(from, to, perWord, first == 0);
    for (auto [all, leaves] : llvm::zip(received, to.registers))
      llvm::append_range(all, code.numbersOf(leaves, word));
  }
  for (auto [leaves, all] : llvm::zip(moved.registers, received))
    leaves = code.leavesOf(all, tile.element);
  return moved;
}

Value BitExchange::wordAt(const Tile &tile, size_t r, Type number) {
  return wordOf(code, code.pack(code.numbersOf(tile.registers[r], tile.element, number)));
}

void BitExchange::read(const digits::SharedLayout &layout, Tile &moved, Type number, int count, int64_t wordBytes) {
  place.beforeUse();
  Value memory = sharedMemory(b, loc);
  Side side = sideOf(moved.mapping, layout, wordBytes);
  Type held = packedType(number, count);
  Type word = isNarrow(held) ? Type(b.getI32Type()) : held;
  for (size_t r = 0; r < moved.registers.size(); ++r) {
    Value value = LLVM::LoadOp::create(b, loc, word, pointerAt(side, memory, r), wordBytes);
    SmallVector<Value> numbers;
    code.unpack(fromWord(code, value, held), numbers);
    moved.registers[r] = code.leavesOf(numbers, moved.element);
  }
}

//===--- in a block -----------------------------------------------------------------------------------------------===//

void BitExchange::throughShared(id::ExchangeOp op, const Tile &tile, Tile &moved, Type number, int count, bool first) {
  digits::SharedLayout layout = op.getLayoutAttr().getLayout();
  int64_t wordBytes = id::exchangeWordBytes(tile.element);
  Value memory = sharedMemory(b, loc);
  if (!first || meetingOf(op, beforeAttr) == id::Meeting::Block)
    barriers.block();
  Side side = sideOf(tile.mapping, layout, wordBytes);
  for (size_t r = 0; r < tile.registers.size(); ++r)
    LLVM::StoreOp::create(b, loc, wordAt(tile, r, number), pointerAt(side, memory, r), wordBytes);
  onTheWay(op);
  barriers.meet(meetingOf(op, betweenAttr) == id::Meeting::Warp ? id::Meeting::Warp : id::Meeting::Block);
  read(layout, moved, number, count, wordBytes);
}

//===--- between the blocks of a cluster --------------------------------------------------------------------------===//

Value BitExchange::peerOf(const Tile &tile, const Mapping &after, std::vector<uint64_t> &ofRegisters) {
  auto rankTarget = [&](int digit) -> uint64_t {
    for (auto [i, column] : llvm::enumerate(after[Field::Rank]))
      if (llvm::is_contained(column.digits, digit))
        return uint64_t(1) << i;
    return 0;
  };
  Value peer = place.threadBits(tile.mapping, rankTarget);
  if (Value own = place.rankBits(tile.mapping, rankTarget))
    peer = peer ? arith::XOrIOp::create(b, loc, peer, own).getResult() : own;
  ofRegisters = constantTargets(tile.mapping[Field::Reg], rankTarget);
  return peer;
}

BitExchange::Destination BitExchange::destinationOf(Value peer, uint64_t ofRegister, const Side &side) {
  Value number = code.constant32(static_cast<int64_t>(ofRegister));
  if (peer)
    number = ofRegister ? arith::XOrIOp::create(b, loc, peer, number).getResult() : peer;
  else if (tickets)
    number = tickets->inRound(number);
  Value memory = peerMemory(b, loc, sharedMemory(b, loc), number);
  return {memory, tickets ? tickets->barrier(memory, numSent) : Value(), side};
}

void BitExchange::throughCluster(id::ExchangeOp op, const Tile &tile, Tile &moved, Type number, int count, bool first) {
  digits::SharedLayout layout = op.getLayoutAttr().getLayout();
  int64_t wordBytes = id::exchangeWordBytes(tile.element);
  barriers.awaitStart();
  if (!first || meetingOf(op, beforeAttr) == id::Meeting::Cluster)
    barriers.meet(id::Meeting::Cluster);
  std::vector<uint64_t> ranks;
  const Value peer = peerOf(tile, moved.mapping, ranks);
  const Side side = sideOf(tile.mapping, layout, wordBytes);
  std::map<uint64_t, Destination> destinations;
  if (tickets && numSent == 0)
    tickets->sendNumber();
  for (size_t r = 0; r < tile.registers.size(); ++r) {
    auto found = destinations.find(ranks[r]);
    if (found == destinations.end())
      found = destinations.emplace(ranks[r], destinationOf(peer, ranks[r], side)).first;
    Destination &to = found->second;
    Value word = wordAt(tile, r, number), at = pointerAt(to.side, to.memory, r);
    if (tickets)
      tickets->send(word, at, to.barrier);
    else
      LLVM::StoreOp::create(b, loc, word, at, wordBytes);
  }
  if (!tickets)
    machine::ClusterArriveOp::create(b, loc, machine::ArrivalOrder::Release);
  onTheWay(op);
  if (tickets)
    tickets->wait(numSent++);
  else
    machine::ClusterWaitOp::create(b, loc);
  // A block waits only for what it is sent, while others may not have loaded all that it is going to overwrite.
  if (tickets && inPlace && numSent == tickets->exchanges())
    barriers.arriveBeforeStore();
  read(layout, moved, number, count, wordBytes);
}
