#include "compiler/conversion/KernelFrame.h"

#include "compiler/conversion/LaunchBounds.h"
#include "compiler/conversion/Meetings.h"
#include "compiler/conversion/protocols/Protocols.h"

#include "machine/MachineDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

/// A number modulo and divided by how many blocks are together.
static std::pair<Value, Value> splitNumber(TileCode &code, Value number, int64_t together) {
  OpBuilder &b = code.b;
  if (!llvm::isPowerOf2_64(static_cast<uint64_t>(together))) {
    Value low = arith::RemUIOp::create(b, code.loc, number, code.constant32(together));
    return {low, arith::DivUIOp::create(b, code.loc, number, code.constant32(together))};
  }
  Value low = arith::AndIOp::create(b, code.loc, number, code.constant32(together - 1));
  return {low, arith::ShRUIOp::create(b, code.loc, number, code.constant32(llvm::Log2_64(together)))};
}

KernelFrame conversion::openKernel(TileCode &code, id::KernelOp kernel, LLVM::LLVMFuncOp function,
                                   LoweredKernel &lowered, const passes::Target &target, bool inPlace,
                                   bool startsNext) {
  OpBuilder &b = code.b;
  Block *entry = function.addEntryBlock(b);
  b.setInsertionPointToStart(entry);
  KernelFrame frame(kernel, target, lowered, inPlace);
  lowered.threads = numberOf(kernel, blockThreadsAttr);
  lowered.sharedBytes = numberOf(kernel, sharedBytesAttr);
  size_t next = 0;
  auto bind = [&](Value buffer, const Buffer &place) {
    BufferMemory &memory = frame.buffers[buffer];
    memory.layout = place.layout;
    memory.deviceDigits = place.deviceDigits;
    memory.isOwnPart = place.isOwnPart;
    memory.streams = lowered.hasRing() || (kernel->hasAttr(streamsAttr) && !place.deviceDigits.empty());
    if (place.kind == Buffer::Kind::Constant) {
      memory.planes.push_back(code.constantMemory(kernel, place.index));
      return;
    }
    for (int64_t device = 0; device < std::max<int64_t>(1, place.peers); ++device) {
      SmallVector<Value, 1> planes;
      for (int plane = 0; plane < place.planes; ++plane)
        planes.push_back(entry->getArgument(next++));
      memory.planes = planes;
      if (place.peers)
        memory.peers.push_back(std::move(planes));
    }
  };
  const size_t numInputs = kernel.getInputs().size();
  for (size_t i = 0; i < numInputs; ++i)
    bind(kernel.getBody().front().getArgument(i), lowered.buffers[i]);
  for (auto [i, value] : llvm::enumerate(kernel.getBody().front().getTerminator()->getOperands()))
    bind(value, lowered.buffers[numInputs + i]);
  frame.batch = entry->getArguments().back();
  if (lowered.hasCounter())
    frame.counter = *(entry->args_rbegin() + 1);
  int64_t ofRings = 0; // bytes
  for (id::RingOp ring : kernel.getBody().getOps<id::RingOp>()) {
    Value memory = *(entry->args_rbegin() + 2);
    for (Value buffer : {ring.getInput(), ring.getResult()})
      frame.buffers[buffer] = {{ofRings ? code.at(memory, ofRings) : memory},
                               digits::ArrayLayout::dense(cast<id::SeqType>(buffer.getType()).getNumElements())};
    ofRings += ringBytes(ring);
  }
  frame.parameters = parametersOf(b, code.loc, kernel, entry->getArguments().slice(next, lowered.scalars.size()),
                                  [](Value value) { return value; });
  if (lowered.devices > 1)
    frame.device = entry->getArgument(next + lowered.scalars.size());
  if (startsNext)
    machine::StartNextOp::create(b, code.loc);
  frame.thread = machine::ThreadOp::create(b, code.loc, b.getI32Type());
  frame.block = machine::BlockOp::create(b, code.loc, b.getI32Type());
  if (int64_t size = lowered.launch.cluster; size > 1)
    std::tie(frame.rank, frame.block) = splitNumber(code, frame.block, size);
  return frame;
}

LogicalResult conversion::emitKernel(TileCode &code, KernelFrame &frame) {
  const bool straight = frame.cut.straight;
  auto emit = frame.lowered.launch.team > 1     ? emitTeams
              : frame.lowered.hasRing()         ? emitRing
              : frame.lowered.launch.persistent ? (straight ? emitPersistent : emitPersistentTiles)
              : straight                        ? emitGrid
                                                : emitTileBlocks;
  if (failed(emit(code, frame)))
    return failure();
  LLVM::ReturnOp::create(code.b, code.loc, ValueRange{});
  return success();
}
