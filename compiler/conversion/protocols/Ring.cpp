#include "compiler/conversion/KernelParts.h"
#include "compiler/conversion/Machine.h"
#include "compiler/conversion/protocols/Protocols.h"
#include "compiler/conversion/protocols/RingPasses.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

namespace {

/// Accesses of a pass of a ring: those to the ring are of the slot that the problem has there.
class RingAccesses : public Accesses {
public:
  /// `enter`: what is accessed next is the tile in the ring, or that of the batch.
  RingAccesses(Accesses &accesses, std::function<void(bool inRing)> enter)
      : accesses(accesses), enter(std::move(enter)) {}

  FailureOr<Tile> load(id::LoadOp op, llvm::function_ref<void()> ready) override {
    if (!op.getDelay())
      return accesses.load(op, ready);
    enter(true);
    FailureOr<Tile> tile = accesses.load(op, ready);
    enter(false);
    return tile;
  }

  LogicalResult store(id::StoreOp op, const Tile &tile) override {
    if (!op.getRing())
      return accesses.store(op, tile);
    enter(true);
    LogicalResult result = accesses.store(op, tile);
    enter(false);
    return result;
  }

private:
  Accesses &accesses;
  std::function<void(bool inRing)> enter;
};

/// Both passes, by parts of an emitter. A block waits where its barriers are anyway: for a free slot before the first
/// barrier of the first pass, and says that a tile has been read after the first barrier of the second.
LogicalResult emitPasses(const Sections &cut, TileEmitter &emitter, Accesses &accesses, Barriers &barriers,
                         RingPasses &passes, std::function<void(bool inRing)> enter) {
  RingAccesses ofRing(accesses, enter);
  emitter.setAccesses(ofRing);
  LogicalResult result = success();
  passes.pass(0, [&] {
    enter(false);
    barriers.atNextOfBlock([&] { passes.wait(); }, {});
    result = emitter.emit(ArrayRef(cut.sections).take_front(cut.secondPass));
    barriers.block();
    passes.signal();
  });
  if (failed(result))
    return failure();
  passes.pass(1, [&] {
    enter(false);
    passes.wait();
    barriers.block();
    barriers.atNextOfBlock({}, [&] { passes.signal(); });
    result = emitter.emit(ArrayRef(cut.sections).drop_front(cut.secondPass));
  });
  return result;
}

} // namespace

LogicalResult conversion::emitRing(TileCode &code, KernelFrame &frame) {
  OpBuilder &b = code.b;
  RingPasses::Shape shape;
  for (id::StoreOp store : frame.kernel.getBody().getOps<id::StoreOp>())
    shape.slots = store.getRing().value_or(shape.slots);
  for (id::LoadOp load : frame.kernel.getBody().getOps<id::LoadOp>())
    shape.delay = load.getDelay().value_or(shape.delay);
  shape.tiles = frame.lowered.blocksPerGroup;
  shape.offset = frame.lowered.sharedBytes;
  RingPasses passes(b, code.loc, shape, sharedMemory(b, code.loc), frame.counter, blockNumbers(code, frame));
  frame.lowered.sharedBytes = passes.sharedEnd();
  passes.drawTicket();
  if (frame.cut.straight) {
    BitParts parts(code, frame);
    return emitPasses(frame.cut, parts.emitter, parts.accesses, parts.barriers, passes,
                      [&](bool inRing) { parts.place.block = inRing ? passes.tileInRing() : passes.tile(); });
  }
  FormParts parts(code, frame);
  parts.place.thread = frame.thread;
  return emitPasses(frame.cut, parts.emitter, parts.accesses, parts.barriers, passes, [&](bool inRing) {
    parts.place.problem = inRing ? passes.slotOfProblem() : passes.problem();
    parts.place.count({frame.cut.threads, 1, shape.tiles}, passes.tileOfProblem());
  });
}
