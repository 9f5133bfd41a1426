#include "compiler/conversion/TileBlocks.h"

#include "compiler/conversion/Meetings.h"
#include "compiler/conversion/Sections.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;

/// The most that a number of a kernel's tiles is.
static int64_t mostOf(id::KernelOp kernel, llvm::function_ref<int64_t(id::TileType)> number) {
  int64_t most = 1;
  kernel.getBody().walk([&](Operation *op) {
    for (Value value : op->getResults())
      if (auto tile = dyn_cast<id::TileType>(value.getType()))
        most = std::max(most, number(tile));
  });
  return most;
}

int64_t conversion::mostThreads(id::KernelOp kernel) {
  return mostOf(kernel, [](id::TileType tile) { return tile.getMapping().numThreads(); });
}

bool conversion::exchanges(id::KernelOp kernel) {
  return llvm::any_of(kernel.getBody().getOps<id::ExchangeOp>(), [](id::ExchangeOp op) { return isThroughMemory(op); });
}

bool conversion::meets(id::KernelOp kernel) { return exchanges(kernel) || stages(kernel); }

bool conversion::hasRing(id::KernelOp kernel) { return !kernel.getBody().getOps<id::RingOp>().empty(); }

PassTiles conversion::passTilesOf(id::KernelOp kernel) {
  PassTiles tiles = {1, 1};
  size_t pass = 0;
  for (Operation &op : kernel.getBody().front()) {
    pass = isa<id::RingOp>(op) ? 1 : pass;
    tiles[pass] = std::max(tiles[pass], id::extentOf(&op, Field::Block));
  }
  return tiles;
}

TileBlocks conversion::tileBlocksOf(id::KernelOp kernel, const passes::Target &target) {
  TileBlocks result;
  result.blocks = id::extentOf(kernel, Field::Block);
  result.tileThreads = mostThreads(kernel);
  const digits::Launch launch = kernel.getLaunch().getLaunch();
  if (launch.team > 1 || hasRing(kernel))
    return result;
  result.batchProblems = mostOf(kernel, [](id::TileType tile) { return int64_t(1) << id::batchDigits(tile); });
  const bool few = 2 * result.tileThreads <= target.flatThreads && launch.cluster == 1 && result.batchProblems == 1;
  // Where a block's digits cannot be divided, numbers of the same problem share one; its last one may have fewer.
  result.inNumbers = few && result.blocks > 1 && !meets(kernel);
  result.oneTile = !few || (result.blocks > 1 && !result.inNumbers);
  if (result.oneTile)
    return result;
  result.tiles = target.flatThreads / result.tileThreads;
  if (int64_t bytes = numberOf(kernel, sharedBytesAttr))
    result.tiles = std::clamp<int64_t>(target.tileBytes / bytes, 1, result.tiles);
  return result;
}
