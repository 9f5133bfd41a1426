#include "compiler/conversion/KernelParts.h"
#include "compiler/conversion/TileBlocks.h"
#include "compiler/conversion/protocols/Protocols.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;

namespace {

/// Accesses of a round. What a first half stores may be loaded again in a later visit of the block to the item: it is
/// stored in the last one.
class TeamAccesses : public Accesses {
public:
  TeamAccesses(Accesses &accesses, ThreadPlace &place, const TeamRound &round, const Sections &cut)
      : accesses(accesses), place(place), round(round), cut(cut) {}

  FailureOr<Tile> load(id::LoadOp op, llvm::function_ref<void()> ready) override { return accesses.load(op, ready); }

  LogicalResult store(id::StoreOp op, const Tile &tile) override {
    const bool again = cut.sectionOf.lookup(op) < cut.firstHalf;
    Value isLast = again ? round.rounds->isFinished(round.item) : Value();
    if (!isLast)
      return accesses.store(op, tile);
    LogicalResult result = success();
    place.where(isLast, [&] { result = accesses.store(op, tile); });
    return result;
  }

private:
  Accesses &accesses;
  ThreadPlace &place;
  const TeamRound &round;
  const Sections &cut;
};

} // namespace

LogicalResult conversion::emitTeams(TileCode &code, KernelFrame &frame) {
  OpBuilder &b = code.b;
  const Location loc = code.loc;
  const Sections &cut = frame.cut;
  const int64_t blocks = id::extentOf(frame.kernel, Field::Block), turns = id::extentOf(frame.kernel, Field::Turn),
                team = frame.lowered.launch.team;
  frame.lowered.problemsPerBlockGroup = 1;
  frame.lowered.blocksPerGroup = blocks * team;
  Value numbers = arith::TruncIOp::create(b, loc, b.getI32Type(),
                                          arith::MulIOp::create(b, loc, frame.batch, code.constant64(blocks)));
  CooperativeRounds rounds(b, loc, {team, turns, postedCells(frame.kernel), frame.several}, frame.counter, numbers);
  FormParts parts(code, frame.buffers, frame.parameters, cut, RootFactors::Means::Either);
  TileEmitter &emitter = parts.emitter;
  FormPlace &place = parts.place;
  parts.round.rounds = &rounds;
  TeamAccesses accesses(parts.accesses, place, parts.round, cut);
  emitter.setAccesses(accesses);
  place.batch = frame.batch;
  place.device = frame.device;
  place.devices = frame.lowered.devices;
  LogicalResult result = success();
  auto enter = [&](const CooperativeRounds::Item &item) {
    parts.round.item = item;
    place.thread = rounds.thread();
    place.rank = rounds.rank(item);
    Value number = arith::ExtUIOp::create(b, loc, b.getI64Type(), item.number);
    Value block = arith::RemUIOp::create(b, loc, number, code.constant64(blocks));
    place.first = place.problem = arith::DivUIOp::create(b, loc, number, code.constant64(blocks));
    place.count({cut.threads, team, blocks, turns}, block, item.turn);
  };
  const ArrayRef<Section> sections = cut.sections;
  const ArrayRef<Section> firstHalf = sections.take_front(cut.firstHalf),
                          secondHalf = sections.drop_front(cut.firstHalf);
  // What the first half loads at its start is loaded a round ahead.
  SmallVector<id::LoadOp> ahead;
  for (const Section &section : firstHalf)
    for (Operation &op : llvm::make_range(section.first, section.end))
      if (auto load = dyn_cast<id::LoadOp>(op); load && section.threads == cut.threads)
        ahead.push_back(load);
  auto loadItem = [&](const CooperativeRounds::Item &item) {
    enter(item);
    SmallVector<Value> values;
    for (id::LoadOp load : ahead) {
      FailureOr<Tile> tile = emitter.load(load);
      if (failed(tile))
        result = failure();
      else
        llvm::append_range(values, code.numbersOf(*tile));
    }
    return values;
  };
  auto emitHalf = [&](ArrayRef<Section> half) { result = failed(result) ? result : emitter.emit(half); };
  SmallVector<Value> first = loadItem(rounds.first());
  if (failed(result))
    return failure();
  parts.turns.clearKept(cut);
  rounds.begin(first);
  rounds.firstHalf([&](const CooperativeRounds::Item &item) -> SmallVector<Value> {
    enter(item);
    ArrayRef<Value> values = rounds.carried();
    for (id::LoadOp load : ahead) {
      Tile tile = emptyTile(load.getResult().getType());
      const size_t count = code.numberTypesOf(tile).size();
      code.fill(tile, values.take_front(count));
      values = values.drop_front(count);
      emitter.give(load, std::move(tile));
    }
    emitHalf(firstHalf);
    if (failed(result))
      return SmallVector<Value>(rounds.carried());
    return rounds.next(ValueRange(rounds.carried()).getTypes(), loadItem);
  });
  rounds.secondHalf([&](const CooperativeRounds::Item &item) {
    enter(item);
    emitHalf(secondHalf);
  });
  rounds.end();
  return result;
}
