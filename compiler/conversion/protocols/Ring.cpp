#include "compiler/conversion/KernelParts.h"
#include "compiler/conversion/Machine.h"
#include "compiler/conversion/addresses/ViewLayout.h"
#include "compiler/conversion/protocols/Protocols.h"
#include "compiler/conversion/protocols/RingPasses.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

namespace {

/// The rings of a kernel: memory of the problems that are on their way.
class Rings {
public:
  Rings(id::KernelOp kernel, const DenseMap<Value, BufferMemory> &buffers) : buffers(buffers) {
    for (id::RingOp ring : kernel.getBody().getOps<id::RingOp>())
      for (Value buffer : {ring.getInput(), ring.getResult()})
        all.insert(buffer);
  }
  bool isLoaded(id::LoadOp op) const { return all.contains(layoutOf(op, buffers).buffer); }
  bool isStored(id::StoreOp op) const { return all.contains(layoutOf(op, buffers).buffer); }

private:
  const DenseMap<Value, BufferMemory> &buffers;
  DenseSet<Value> all;
};

/// Accesses of a pass of a ring: those to the ring are of the slot that the problem has there.
class RingAccesses : public Accesses {
public:
  /// `enter`: what is accessed next is the tile in the ring, or that of the batch.
  RingAccesses(const Rings &rings, Accesses &accesses, std::function<void(bool inRing)> enter)
      : rings(rings), accesses(accesses), enter(std::move(enter)) {}

  FailureOr<Tile> load(id::LoadOp op, llvm::function_ref<void()> ready) override {
    if (!rings.isLoaded(op))
      return accesses.load(op, ready);
    enter(true);
    FailureOr<Tile> tile = accesses.load(op, ready);
    enter(false);
    return tile;
  }

  LogicalResult store(id::StoreOp op, const Tile &tile) override {
    if (!rings.isStored(op))
      return accesses.store(op, tile);
    enter(true);
    LogicalResult result = accesses.store(op, tile);
    enter(false);
    return result;
  }

private:
  const Rings &rings;
  Accesses &accesses;
  std::function<void(bool inRing)> enter;
};

/// True where the second pass loads all that it takes of rings before an exchange through memory: by then it has been
/// read. Without one what is due ahead of a store may come before the branch that loads.
bool loadsFirst(id::KernelOp kernel, const Rings &rings) {
  bool exchanged = false;
  for (Operation &op : kernel.getBody().front()) {
    if (isa<id::RingOp>(op))
      exchanged = false;
    exchanged |= isThroughMemory(&op);
    if (auto load = dyn_cast<id::LoadOp>(op); load && exchanged && rings.isLoaded(load))
      return false;
  }
  return exchanged;
}

/// Both passes, by parts of an emitter. A block waits where its barriers are anyway: for a free slot before the first
/// barrier of the first pass, and says that a tile has been read after the first barrier of the second, if it has
/// loaded all of it, else at its end.
LogicalResult emitPasses(const KernelFrame &frame, TileEmitter &emitter, Accesses &accesses, Barriers &barriers,
                         RingPasses &passes, std::function<void(bool inRing)> enter) {
  const Sections &cut = frame.cut;
  const Rings rings(frame.kernel, frame.buffers);
  RingAccesses ofRing(rings, accesses, enter);
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
    const bool early = cut.straight || loadsFirst(frame.kernel, rings);
    if (early)
      barriers.atNextOfBlock({}, [&] { passes.signal(); });
    result = emitter.emit(ArrayRef(cut.sections).drop_front(cut.secondPass));
    if (!early) {
      barriers.block();
      passes.signal();
    }
  });
  return result;
}

} // namespace

LogicalResult conversion::emitRing(TileCode &code, KernelFrame &frame) {
  OpBuilder &b = code.b;
  RingPasses::Shape shape = *ringOf(frame.kernel);
  shape.offset = frame.lowered.sharedBytes;
  RingPasses passes(b, code.loc, shape, sharedMemory(b, code.loc), frame.counter, frame.batch);
  frame.lowered.sharedBytes = passes.sharedEnd();
  passes.drawTicket();
  if (frame.cut.straight) {
    BitParts parts(code, frame);
    return emitPasses(frame, parts.emitter, parts.accesses, parts.barriers, passes,
                      [&](bool inRing) { parts.place.block = inRing ? passes.tileInRing() : passes.tile(); });
  }
  FormParts parts(code, frame);
  parts.place.thread = frame.thread;
  parts.accesses.inOrder = true;
  return emitPasses(frame, parts.emitter, parts.accesses, parts.barriers, passes, [&](bool inRing) {
    parts.place.problem = inRing ? passes.slotOfProblem() : passes.problem();
    parts.place.count({frame.cut.threads, 1, passes.tiles()}, passes.tileOfProblem());
  });
}
