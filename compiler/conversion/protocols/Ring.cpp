#include "compiler/conversion/KernelParts.h"
#include "compiler/conversion/Machine.h"
#include "compiler/conversion/protocols/Protocols.h"
#include "compiler/conversion/protocols/RingPasses.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

namespace {

/// Accesses of a pass of a ring. A block waits where its barriers are anyway: for a free slot before the first barrier
/// of the first pass, and says that a tile has been read after the first barrier of the second.
class RingAccesses : public Accesses {
public:
  RingAccesses(Accesses &accesses, BitPlace &place, Barriers &barriers, RingPasses &passes)
      : accesses(accesses), place(place), barriers(barriers), passes(passes) {}

  FailureOr<Tile> load(id::LoadOp op, llvm::function_ref<void()> ready) override {
    if (!op.getDelay()) {
      if (!waits)
        barriers.atNextOfBlock([this] { passes.wait(); }, {});
      waits = true;
      return accesses.load(op, ready);
    }
    passes.wait();
    barriers.block();
    barriers.atNextOfBlock({}, [this] { passes.signal(); });
    place.block = passes.tileInRing();
    FailureOr<Tile> tile = accesses.load(op, ready);
    place.block = passes.tile();
    return tile;
  }

  LogicalResult store(id::StoreOp op, const Tile &tile) override {
    if (!op.getRing())
      return accesses.store(op, tile);
    place.block = passes.tileInRing();
    LogicalResult result = accesses.store(op, tile);
    place.block = passes.tile();
    barriers.block();
    passes.signal();
    return result;
  }

private:
  Accesses &accesses;
  BitPlace &place;
  Barriers &barriers;
  RingPasses &passes;
  bool waits = false; // for its slot, or has waited
};

} // namespace

LogicalResult conversion::emitRing(TileCode &code, KernelFrame &frame) {
  RingPasses::Shape shape;
  for (id::StoreOp store : frame.kernel.getBody().getOps<id::StoreOp>())
    shape.slots = store.getRing().value_or(shape.slots);
  for (id::LoadOp load : frame.kernel.getBody().getOps<id::LoadOp>())
    shape.delay = load.getDelay().value_or(shape.delay);
  shape.tiles = frame.lowered.blocksPerGroup;
  shape.offset = frame.lowered.sharedBytes;
  RingPasses passes(code.b, code.loc, shape, sharedMemory(code.b, code.loc), frame.counter, blockNumbers(code, frame));
  frame.lowered.sharedBytes = passes.sharedEnd();
  passes.drawTicket();
  BitParts parts(code, frame);
  parts.accesses.streams = true;
  RingAccesses accesses(parts.accesses, parts.place, parts.barriers, passes);
  parts.emitter.setAccesses(accesses);
  LogicalResult result = success();
  for (auto [number, section] : llvm::enumerate(frame.cut.sections))
    passes.pass(static_cast<int>(number), [&] {
      parts.place.block = passes.tile();
      result = failed(result) ? result : parts.emitter.emit(section);
    });
  return result;
}
