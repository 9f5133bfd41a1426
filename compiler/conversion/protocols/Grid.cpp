#include "compiler/conversion/KernelParts.h"
#include "compiler/conversion/Meetings.h"
#include "compiler/conversion/TileBlocks.h"
#include "compiler/conversion/protocols/Protocols.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;

Value conversion::blockNumbers(TileCode &code, const KernelFrame &frame) {
  OpBuilder &b = code.b;
  const LoweredKernel &lowered = frame.lowered;
  const int64_t problems = lowered.problemsPerBlockGroup, inGroup = lowered.blocksPerGroup / lowered.launch.cluster;
  Value last = arith::AddIOp::create(b, code.loc, frame.batch, code.constant64(problems - 1)), groups;
  if (llvm::isPowerOf2_64(static_cast<uint64_t>(problems)))
    groups = arith::ShRUIOp::create(b, code.loc, last, code.constant64(llvm::Log2_64(problems)));
  else
    groups = arith::DivUIOp::create(b, code.loc, last, code.constant64(problems));
  Value numbers = arith::MulIOp::create(b, code.loc, groups, code.constant64(inGroup));
  return arith::TruncIOp::create(b, code.loc, b.getI32Type(), numbers);
}

LogicalResult conversion::emitGrid(TileCode &code, KernelFrame &frame) {
  BitParts parts(code, frame);
  if (frame.rank)
    parts.barriers.arriveAtStart();
  if (failed(parts.emitter.emit()))
    return failure();
  parts.barriers.awaitStart(); // where nothing was sent to other blocks
  return success();
}

/// True where words are sent between the blocks of a cluster before these have met, so that all are known to run.
static bool sendsFirst(id::KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<id::ExchangeOp>(), [](id::ExchangeOp exchange) {
    return sendsToBlocks(exchange) && meetingOf(exchange, beforeAttr) != id::Meeting::Cluster;
  });
}

LogicalResult conversion::emitTiles(TileCode &code, const KernelFrame &frame, FormParts &parts, Value number) {
  OpBuilder &b = code.b;
  const Location loc = code.loc;
  const TileBlocks shape = tileBlocksOf(frame.kernel, frame.target);
  const auto [oneTile, inNumbers, tiles, tileThreads, batchProblems, blocks] = shape;
  FormPlace &place = parts.place;
  place.device = frame.device;
  place.devices = frame.lowered.devices;
  place.batch = frame.batch;
  if (stages(frame.kernel)) {
    place.sideBySide = tiles;
    parts.staged.thread = frame.thread;
    parts.staged.threads = tiles * tileThreads;
    parts.staged.problems = frame.lowered.problemsPerBlockGroup;
    parts.staged.sectorBytes = frame.target.sectorBytes;
  }
  Value wideBlock = arith::ExtUIOp::create(b, loc, b.getI64Type(), number),
        inGroup = code.constant64(shape.blocksPerGroup());
  Value block = arith::RemUIOp::create(b, loc, wideBlock, inGroup);
  place.first = arith::MulIOp::create(b, loc, arith::DivUIOp::create(b, loc, wideBlock, inGroup),
                                      code.constant64(frame.lowered.problemsPerBlockGroup));
  place.problem = place.first;
  if (tiles > 1) {
    Value perTile = code.constant32(tileThreads), thread = place.thread;
    place.slot = arith::ExtUIOp::create(b, loc, b.getI64Type(), arith::DivUIOp::create(b, loc, thread, perTile));
    place.thread = arith::RemUIOp::create(b, loc, thread, perTile);
    if (!inNumbers)
      place.problem = arith::AddIOp::create(b, loc, place.problem, place.slot);
  }
  if (inNumbers)
    block = arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, block, code.constant64(tiles)), place.slot);
  OpBuilder::InsertionGuard guard(b);
  if (tiles > 1 && !meets(frame.kernel)) { // threads beyond the batch have nothing to wait for
    parts.barriers.awaitPrevious();
    Value active = inNumbers ? arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, block, code.constant64(blocks))
                             : arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, place.problem, frame.batch);
    b.setInsertionPointToStart(scf::IfOp::create(b, loc, TypeRange{}, active, false).thenBlock());
  }
  if (frame.rank && !frame.lowered.launch.persistent && sendsFirst(frame.kernel))
    parts.barriers.arriveAtStart();
  place.count({frame.cut.threads, id::extentOf(frame.kernel, Field::Rank), blocks}, block);
  if (failed(parts.emitter.emit()))
    return failure();
  parts.barriers.awaitEnd();
  return success();
}

void conversion::describeTiles(KernelFrame &frame) {
  const TileBlocks shape = tileBlocksOf(frame.kernel, frame.target);
  LoweredKernel &lowered = frame.lowered;
  lowered.problemsPerBlockGroup = shape.inNumbers ? 1 : shape.tiles * shape.batchProblems;
  lowered.blocksPerGroup = shape.blocksPerGroup() * lowered.launch.cluster;
  lowered.sharedBytes *= shape.tiles;
}

LogicalResult conversion::emitTileBlocks(TileCode &code, KernelFrame &frame) {
  describeTiles(frame);
  FormParts parts(code, frame);
  parts.place.thread = frame.thread;
  parts.place.rank = frame.rank;
  parts.accesses.inOrder = true;
  return emitTiles(code, frame, parts, frame.block);
}
