#include "compiler/conversion/Machine.h"
#include "compiler/conversion/protocols/Protocols.h"
#include "compiler/conversion/protocols/TicketLoop.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;

/// What a block receives in an exchange between blocks, word by word.
static void appendReceivedBytes(id::ExchangeOp exchange, int64_t threads, SmallVectorImpl<int64_t> &received) {
  id::TileType tile = exchange.getInput().getType();
  int64_t wordBytes = id::exchangeWordBytes(tile.getElement());
  int64_t bytes = id::elementBytes(tile.getElement()), word = std::min(bytes & -bytes, wordBytes);
  int64_t words = tile.getMapping().extent(Field::Reg) >> id::exchangeWordDigits(exchange).size();
  received.append(bytes / word, words * threads * std::max<int64_t>(4, word));
}

/// Shared memory of a block, where those that would leave little of the multiprocessor's to its first-level cache ask
/// for so much that one less is there.
static int64_t besideCache(int64_t sharedBytes, const passes::Target &target) {
  constexpr int64_t reserved = 1024;
  int64_t all = target.sharedBytesPerMultiprocessor / (sharedBytes + reserved),
          cached = target.sharedBytesBesideCache / (sharedBytes + reserved);
  if (cached < all)
    sharedBytes = std::max(sharedBytes, target.sharedBytesPerMultiprocessor / (cached + 1) - reserved + 16);
  return sharedBytes;
}

/// True where the data of the last tile that is loaded leave few registers free.
static bool isCrowded(id::KernelOp kernel) {
  constexpr int64_t roomy = 64; // registers of data, beside which as many are free
  bool crowded = false;
  for (id::LoadOp load : kernel.getBody().getOps<id::LoadOp>()) {
    id::TileType tile = load.getResult().getType();
    crowded = tile.getMapping().extent(Field::Reg) * id::elementBytes(tile.getElement()) > 4 * roomy;
  }
  return crowded;
}

/// Ends the round and the loop. `arrives`: where it goes on, this block says that its shared memory is free.
static void closeRound(TileCode &code, TicketLoop &tickets, bool arrives) {
  OpBuilder &b = code.b;
  Value goesOn = tickets.endRound();
  if (arrives) {
    auto branch = scf::IfOp::create(b, code.loc, TypeRange{}, goesOn, false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(branch.thenBlock());
    machine::ClusterArriveOp::create(b, code.loc, machine::ArrivalOrder::Relaxed);
  }
  tickets.close(goesOn);
}

LogicalResult conversion::emitPersistent(TileCode &code, KernelFrame &frame) {
  OpBuilder &b = code.b;
  TicketLoop::Shape shape;
  shape.cluster = frame.lowered.launch.cluster;
  bool betweenBlocksFirst = false, first = true;
  for (id::ExchangeOp exchange : frame.kernel.getBody().getOps<id::ExchangeOp>()) {
    bool betweenBlocks = exchange.getKind() == id::ExchangeKind::Cluster;
    if (!isThroughMemory(exchange))
      continue;
    if (betweenBlocks)
      appendReceivedBytes(exchange, frame.lowered.threads, shape.exchangedBytes);
    betweenBlocksFirst |= first && betweenBlocks;
    first = false;
  }
  if (frame.rank && shape.exchangedBytes.empty())
    return frame.kernel.emitError() << "draws numbers for clusters whose blocks exchange nothing";
  shape.offset = (frame.lowered.sharedBytes + 7) / 8 * 8;
  TicketLoop tickets(b, code.loc, shape, sharedMemory(b, code.loc));
  frame.lowered.sharedBytes = besideCache(tickets.sharedEnd(), frame.target);
  BitParts parts(code, frame);
  if (frame.rank)
    tickets.initialise();
  // "All blocks have started and made their barriers", and after a round "shared memory is free": what was read
  // there has been stored by then, so that only the threads' progress need be ordered.
  if (betweenBlocksFirst)
    parts.barriers.arriveAtStart();
  tickets.begin(frame.block, frame.counter, blockNumbers(code, frame));
  BitPlace &place = parts.place;
  place.block = tickets.number();
  place.thread = tickets.thread();
  place.rank = tickets.rank();
  if (isCrowded(frame.kernel))
    place.readAgain = [&] {
      place.thread = tickets.thread();
      place.rank = tickets.rank();
    };
  parts.memory.tickets = &tickets;
  if (failed(parts.emitter.emit()))
    return failure();
  closeRound(code, tickets, betweenBlocksFirst);
  return success();
}

LogicalResult conversion::emitPersistentTiles(TileCode &code, KernelFrame &frame) {
  OpBuilder &b = code.b;
  describeTiles(frame);
  TicketLoop::Shape shape;
  shape.cluster = frame.lowered.launch.cluster;
  shape.fullWarps = frame.lowered.threads >= frame.target.lanes;
  std::optional<bool> betweenBlocksFirst;
  for (const Section &section : frame.cut.sections)
    for (id::ExchangeOp exchange : section.writes) {
      const bool betweenBlocks = exchange.getKind() == id::ExchangeKind::Cluster;
      if (!betweenBlocksFirst)
        betweenBlocksFirst = betweenBlocks;
      if (!betweenBlocks)
        continue;
      // What a block holds behind it, the next number with the first one.
      const digits::Mapping after = exchange.getResult().getType().getMapping();
      const ExchangeWords words = wordsOf(exchange);
      int64_t bytes = 0;
      for (Type word : words.types)
        bytes += std::max<int64_t>(4, packedBytes(word));
      shape.exchangedBytes.push_back(after.extent(Field::Reg) * after.numThreads() * bytes);
    }
  if (frame.rank && shape.exchangedBytes.empty())
    return frame.kernel.emitError() << "draws numbers for clusters whose blocks exchange nothing";
  shape.offset = (frame.lowered.sharedBytes + 7) / 8 * 8;
  TicketLoop tickets(b, code.loc, shape, sharedMemory(b, code.loc));
  frame.lowered.sharedBytes = besideCache(tickets.sharedEnd(), frame.target);
  FormParts parts(code, frame);
  // "All blocks have started and made their barriers", and after a round "shared memory is free": what was read
  // there has been stored by then, so that only the threads' progress need be ordered.
  if (frame.rank) {
    tickets.initialise();
    parts.barriers.arriveAtStart();
  }
  tickets.begin(frame.block, frame.counter, blockNumbers(code, frame));
  parts.place.thread = tickets.thread();
  parts.place.rank = tickets.rank();
  parts.memory.tickets = &tickets;
  if (frame.inPlace)
    parts.memory.afterWords = [&] { parts.barriers.arriveBeforeStore(); };
  if (failed(emitTiles(code, frame, parts, tickets.number())))
    return failure();
  if (frame.rank && !*betweenBlocksFirst) // the next round writes what threads of the block may still read
    parts.barriers.block();
  closeRound(code, tickets, static_cast<bool>(frame.rank));
  return success();
}
