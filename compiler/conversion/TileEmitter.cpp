#include "compiler/conversion/TileEmitter.h"

#include "compiler/conversion/Meetings.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

/// True for accesses to memory that kernels of the same call write or read before: all but loads of its arguments.
static bool mustAwait(Operation &op) {
  auto load = dyn_cast<id::LoadOp>(op);
  if (!load)
    return isa<id::StoreOp>(op);
  auto argument = dyn_cast<BlockArgument>(id::rootOf(load.getBuffer()));
  if (!argument) // a ring
    return true;
  return !isa<BlockArgument>(op.getParentOfType<id::KernelOp>().getInputs()[argument.getArgNumber()]);
}

//===--- sections -------------------------------------------------------------------------------------------------===//

/// The last exchange of a section that reads other blocks which may end behind it; or null.
static Operation *lastRead(const Section &section) {
  Operation *last = nullptr;
  for (Operation &op : llvm::make_range(section.first, section.end))
    if (meetingOf(&op, afterAttr) == id::Meeting::Cluster)
      last = &op;
  return last;
}

LogicalResult TileEmitter::emit() {
  // What kernels before have made is fetched when the first section has its own.
  const bool early = parts.barriers.isEarly();
  if (failed(loadAhead([&](Operation &load) { return !early || !mustAwait(load); })))
    return failure();
  for (const Section &section : cut.sections) {
    if (failed(emitSection(section)))
      return failure();
    if (section.threads != cut.threads && lastRead(section)) // of a branch, which not all threads come by
      parts.barriers.arriveAtEnd();
    if (early && &section == &cut.sections.front() && failed(loadAhead(mustAwait)))
      return failure();
  }
  parts.barriers.awaitPrevious();
  return success();
}

LogicalResult TileEmitter::emit(ArrayRef<Section> sections) {
  for (const Section &section : sections)
    if (failed(emitSection(section)))
      return failure();
  return success();
}

LogicalResult TileEmitter::emitSection(const Section &section) {
  const auto ops = llvm::make_range(section.first, section.end);
  if (cut.straight) // exchanges meet where they stand
    return emitOps(section.first, section.end);
  const bool full = section.threads == cut.threads;
  if (llvm::any_of(ops, [&](Operation &op) { return !loaded.contains(&op) && mustAwait(op); }))
    parts.barriers.awaitPrevious();
  for (id::LoadOp load : section.stagedLoads)
    parts.staged->fetch(load);
  if (full) // roots of unity are looked up across the barrier
    for (Operation &op : ops)
      if (isThroughMemory(&op) || (isStaged(&op) && isa<id::LoadOp>(op)))
        roots.prefetch(&op, emptyTile(op.getResult(0).getType()));
  parts.barriers.meet(section.meeting());
  for (id::ExchangeOp exchange : section.awaited())
    if (Exchange *means = exchangeOf(exchange))
      means->await(exchange);
  // That all blocks run is known from here on, where all threads come by: ahead of a branch or, better, after what
  // this section loads.
  auto awaitStart = [&] {
    for (id::ExchangeOp write : section.writes)
      if (sendsToBlocks(write)) {
        parts.barriers.awaitStart();
        exchangeOf(write)->beforeWrite(write);
      }
  };
  auto emit = [&]() -> LogicalResult {
    if (failed(emitSteps(section)))
      return failure();
    for (id::ExchangeOp exchange : section.writes)
      settled(exchange.getInput());
    return success();
  };
  LogicalResult written = success();
  auto write = [&] {
    for (id::ExchangeOp exchange : section.writes)
      if (Exchange *means = exchangeOf(exchange))
        means->write(exchange, settled(exchange.getInput()));
    for (id::StoreOp store : section.stagedStores) {
      Tile tile = settled(store.getTile());
      code.makeCanonical(tile);
      if (failed(parts.staged->store(store, tile)))
        written = failure();
    }
  };
  auto send = [&] {
    if (!section.stagedStores.empty())
      parts.barriers.meet(meetingOf(section.stagedStores.front(), betweenAttr));
    for (id::StoreOp store : section.stagedStores) {
      parts.barriers.beforeStore();
      parts.staged->send(store);
    }
    return written;
  };
  const id::Meeting again = section.beforeWrites(); // between its reads and its writes
  const bool meets = again == id::Meeting::Block || again == id::Meeting::Cluster;
  if (full) {
    if (failed(emit()))
      return failure();
    awaitStart();
    if (meets)
      parts.barriers.meet(again);
    write();
    return send();
  }
  awaitStart();
  if (llvm::any_of(ops, llvm::IsaPred<id::StoreOp>)) // what is due there is for all threads
    parts.barriers.beforeStore();
  SmallVector<Value> kept(section.kept);
  if (!meets) {
    LogicalResult branch = emitBranch(section, kept, [&]() -> LogicalResult {
      if (failed(emit()))
        return failure();
      write();
      return success();
    });
    return succeeded(branch) ? send() : failure();
  }
  // The branch ends ahead of the barrier; what it is to write waits in registers.
  for (id::ExchangeOp exchange : section.writes)
    if (!llvm::is_contained(kept, exchange.getInput()))
      kept.push_back(exchange.getInput());
  for (id::StoreOp store : section.stagedStores)
    if (!llvm::is_contained(kept, store.getTile()))
      kept.push_back(store.getTile());
  if (failed(emitBranch(section, kept, emit)))
    return failure();
  parts.barriers.meet(again);
  parts.place.where(parts.place.isBelow(section.threads), write);
  return send();
}

LogicalResult TileEmitter::emitBranch(const Section &section, ArrayRef<Value> leaving,
                                      llvm::function_ref<LogicalResult()> emit) {
  LogicalResult result = success();
  if (leaving.empty()) {
    parts.place.where(parts.place.isBelow(section.threads), [&] { result = emit(); });
    return result;
  }
  SmallVector<Type> types;
  for (Value kept : leaving)
    llvm::append_range(types, code.numberTypesOf(emptyTile(kept.getType())));
  std::vector<Tile> made;
  auto branch = scf::IfOp::create(b, loc, types, parts.place.isBelow(section.threads), /*withElseRegion=*/true);
  parts.place.inside(branch.thenBlock(), [&] {
    result = emit();
    SmallVector<Value> values;
    for (Value kept : leaving) {
      if (failed(result))
        break;
      made.push_back(settled(kept));
      llvm::append_range(values, code.numbersOf(made.back()));
    }
    scf::YieldOp::create(b, loc, values);
  });
  parts.place.inside(branch.elseBlock(), [&] { yieldPoison(code, types); });
  SmallVector<Value> values(branch.getResults());
  ArrayRef<Value> rest = values;
  for (auto [kept, tile] : llvm::zip(leaving, made)) {
    const size_t count = code.numberTypesOf(tile).size();
    code.fill(tile, rest.take_front(count));
    rest = rest.drop_front(count);
    hold(kept, std::move(tile));
  }
  return result;
}

LogicalResult TileEmitter::emitSteps(const Section &section) {
  Block::iterator first = section.first;
  for (Block::iterator op = first; op != section.end; ++op)
    if (actsOnTurns(&*op)) {
      if (failed(emitOps(first, op)) ||
          failed(parts.turns->emit(
              cast<id::NodeOp>(*op), [&](Value value) -> const Tile & { return settled(value); },
              [&](Value value, Tile tile) { hold(value, std::move(tile)); })))
        return failure();
      first = std::next(op);
    }
  if (failed(emitOps(first, section.end)))
    return failure();
  if (parts.turns)
    parts.turns->storeKept();
  return success();
}

//===--- accesses -------------------------------------------------------------------------------------------------===//

FailureOr<Tile> TileEmitter::load(id::LoadOp op) {
  if (isStaged(op))
    return parts.staged->load(op);
  return parts.accesses->load(op, [&] {
    if (!cut.straight || !parts.barriers.isEarly())
      return;
    roots.prefetch(op, emptyTile(op.getResult().getType())); // tables are no kernel's result
    parts.barriers.awaitPrevious();
  });
}

FailureOr<Tile> TileEmitter::emitLoad(id::LoadOp op) {
  auto ahead = loaded.find(op);
  return ahead != loaded.end() ? ahead->second : load(op);
}

LogicalResult TileEmitter::emitStore(id::StoreOp op, const Tile &tile) {
  if (isStaged(op)) // where exchanges are written
    return success();
  parts.barriers.beforeStore();
  return parts.accesses->store(op, tile);
}

LogicalResult TileEmitter::loadAhead(llvm::function_ref<bool(Operation &)> isWanted) {
  constexpr int64_t maxWords = 32;
  int64_t words = 0;
  for (const Section &section : cut.sections)
    for (Operation &op : llvm::make_range(section.first, section.end)) {
      auto load = dyn_cast<id::LoadOp>(op);
      if (!load || isStaged(load) || section.threads == cut.threads || !isWanted(op))
        continue;
      Tile tile = emptyTile(load.getResult().getType());
      words += static_cast<int64_t>(tile.registers.size()) * id::registerBytes(tile.element) / 4;
      if (words > maxWords)
        return success();
      if (mustAwait(*load))
        parts.barriers.awaitPrevious();
      const SmallVector<Type> types = code.numberTypesOf(tile);
      auto branch = scf::IfOp::create(b, loc, types, parts.place.isBelow(section.threads), /*withElseRegion=*/true);
      LogicalResult result = success();
      parts.place.inside(branch.thenBlock(), [&] {
        FailureOr<Tile> made = this->load(load);
        result = made;
        if (succeeded(made))
          scf::YieldOp::create(b, loc, code.numbersOf(*made));
      });
      if (failed(result))
        return failure();
      parts.place.inside(branch.elseBlock(), [&] { yieldPoison(code, types); });
      code.fill(tile, SmallVector<Value>(branch.getResults()));
      loaded[load] = std::move(tile);
    }
  return success();
}

void TileEmitter::loadBehind(id::ExchangeOp op) {
  constexpr int64_t mostRegisters = 32;
  roots.prefetch(op, emptyTile(op.getResult().getType()));
  for (Operation *next = op->getNextNode(); next && !isa<id::ExchangeOp, id::StoreOp>(next); next = next->getNextNode())
    if (auto load = dyn_cast<id::LoadOp>(next); load && registersOf(load.getResult().getType()) <= mostRegisters)
      if (FailureOr<Tile> tile = this->load(load); succeeded(tile)) // a failure has been reported
        loaded[load] = std::move(*tile);
}

//===--- exchanges ------------------------------------------------------------------------------------------------===//

Exchange *TileEmitter::exchangeOf(id::ExchangeOp op) {
  auto found = parts.exchanges.find(op.getKind());
  return found == parts.exchanges.end() ? nullptr : found->second;
}

FailureOr<Tile> TileEmitter::emitExchange(id::ExchangeOp op, const Tile &tile) {
  Exchange *means = exchangeOf(op);
  if (!means)
    return op.emitError() << "a kernel of this kind has no such exchange";
  parts.place.beforeUse();
  FailureOr<Tile> moved = means->exchange(op, tile, op.getResult().getType().getMapping());
  if (const Section &section = cut.sections[cut.sectionOf.lookup(op)];
      !cut.straight && section.threads == cut.threads && lastRead(section) == op)
    parts.barriers.arriveAtEnd();
  const bool inWarp = op.getKind() == id::ExchangeKind::Registers || op.getKind() == id::ExchangeKind::Shuffle;
  if (cut.straight && inWarp)
    roots.prefetch(op, emptyTile(op.getResult().getType()));
  return moved;
}
