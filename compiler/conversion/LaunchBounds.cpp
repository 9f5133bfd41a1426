// Input: kernels with placed barriers. Output: the same, each with the threads of its blocks and how many of these a
// multiprocessor shall have registers for.
//
// As many blocks as the launch says, otherwise as fit with the registers that a thread's data need, 40, 64, 128 or 168
// (Target::registersBeside), or where few factors are held, or tiles differ, a few more than the data. Roots of unity
// that a thread of few data looks up at its start count as data. Rejected: more blocks than a multiprocessor has
// threads for.
#include "compiler/conversion/LaunchBounds.h"

#include "compiler/conversion/Meetings.h"
#include "compiler/conversion/Passes.h"
#include "compiler/conversion/RootFactors.h"
#include "compiler/conversion/Sections.h"
#include "compiler/conversion/TileBlocks.h"

using namespace mlir;
using namespace idc;
using digits::Field;

namespace idc::conversion {
#define GEN_PASS_DEF_SETLAUNCHBOUNDS
#include "compiler/conversion/Passes.h.inc"

int64_t dataRegisters(id::KernelOp kernel) {
  int64_t most = 0;
  kernel.getBody().walk([&](Operation *op) {
    for (Value value : op->getResults())
      if (auto tile = dyn_cast<id::TileType>(value.getType()))
        most = std::max(most, registersOf(tile));
  });
  return most;
}

int64_t registersForFactors(id::KernelOp kernel) {
  constexpr int64_t few = 16, factors = 24;
  return dataRegisters(kernel) <= few ? factors : 0;
}

namespace {

/// True for a kernel that multiplies by roots of unity.
bool hasFactors(id::KernelOp kernel) { return llvm::any_of(kernel.getBody().front(), llvm::IsaPred<id::TwiddleOp>); }

/// True for a kernel that reads a tile beside that of the step before.
bool readsBeside(id::KernelOp kernel) { return kernel.getInputs().size() > 1; }

/// True where all tiles of a kernel have the same digits.
bool hasTilesAlike(id::KernelOp kernel) {
  std::optional<int64_t> digits;
  WalkResult alike = kernel.getBody().walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (auto tile = dyn_cast<id::TileType>(result.getType())) {
        const auto own = static_cast<int64_t>(tile.getRadices().size());
        if (digits.value_or(own) != own)
          return WalkResult::interrupt();
        digits = own;
      }
    return WalkResult::advance();
  });
  return !alike.wasInterrupted();
}

/// The registers of tiles that wait while another value is exchanged, in a kernel all of whose tiles have the same
/// digits. In others what waits is mostly in shared memory.
int64_t waitingRegisters(id::KernelOp kernel) {
  if (!hasTilesAlike(kernel))
    return 0;
  int64_t most = 0;
  SmallVector<Value> tiles; // so far
  for (Operation &op : kernel.getBody().front()) {
    auto isUsedLater = [&](Value tile) {
      return llvm::any_of(tile.getUsers(), [&](Operation *user) { return op.isBeforeInBlock(user); });
    };
    llvm::erase_if(tiles, [&](Value tile) { return !isUsedLater(tile); });
    int64_t waiting = 0;
    for (Value tile : tiles)
      waiting += isa<id::ExchangeOp>(op) ? registersOf(cast<id::TileType>(tile.getType())) : 0;
    most = std::max(most, waiting);
    for (Value result : op.getResults())
      if (isa<id::TileType>(result.getType()))
        tiles.push_back(result);
  }
  return most;
}

/// The registers that a straight kernel's data and factors take. Where a step reads a second tile, passes stand before
/// and after it, and their factors are not all there at once. Beside the least data they fit into what is asked for
/// without them.
int64_t registersOfStraight(id::KernelOp kernel) {
  constexpr int64_t least = 8;
  const int64_t data = dataRegisters(kernel) + waitingRegisters(kernel);
  const bool counts = registersForFactors(kernel) && !readsBeside(kernel) && data > least;
  return data + (counts ? RootFactors::registersOf(kernel) : 0);
}

int64_t residentBlocks(id::KernelOp kernel, const TileBlocks &shape, int64_t threads, const passes::Target &target) {
  const digits::Launch launch = kernel.getLaunch().getLaunch();
  const int64_t processors = target.latency.multiprocessors;
  // Two, unless the team needs more: what is loaded ahead has registers beside what is worked on.
  if (launch.team > 1)
    return std::max<int64_t>(2, (launch.team + processors - 1) / processors);
  const bool straight = cutSections(kernel, target.lanes).straight;
  const int64_t registers = straight ? registersOfStraight(kernel) : dataRegisters(kernel) + waitingRegisters(kernel);
  // One problem after the other: what blocks wait for is hidden by as many as there can be.
  constexpr int64_t besideData = 28, unit = 8;
  if (!straight && launch.persistent)
    return target.residentBlocks(threads, (registers + besideData) / unit * unit, 0);
  const int64_t wanted = target.registersBeside(registers);
  // Between those four a block more is worth more than registers for factors: where passes stand before and behind what
  // reads a second tile, not all factors are there at once; where a node takes a thread's values they are constants.
  // Where tiles differ, the largest of them rarely waits for another.
  constexpr int64_t above = 36, upTo = 48, ofOneNode = 64, besideOne = 38, few = 32, besideLargest = 32;
  if (!straight && launch.cluster == 1 && hasFactors(kernel) && exchanges(kernel)) {
    if (!hasTilesAlike(kernel)) {
      if (registers > few && registers + besideLargest < wanted)
        return target.residentBlocksOfWarps(threads, registers + besideLargest, 0);
    } else if (readsBeside(kernel) && registers > above && registers <= upTo) {
      return target.residentBlocks(threads, llvm::alignTo(registers + besideData, unit), 0);
    } else if (registers >= ofOneNode && registers + besideOne < wanted) {
      return target.residentBlocks(threads, llvm::alignTo(registers + besideOne, unit), 0);
    }
  }
  const int64_t blocks = target.residentBlocks(threads, wanted, 0);
  // Of several blocks that talk to none, a quarter fewer: registers for what a contraction keeps for its expansion;
  // but not where a large problem's blocks then would no longer run all at once.
  if (!straight && launch.cluster == 1) {
    // Two at least, where half as many registers again as the data take are left: one loads while the other computes.
    if (blocks == 1 && 2 * threads * (registers + registers / 2) <= target.registersPerMultiprocessor)
      return 2;
    int64_t fewer = std::max(std::min<int64_t>(blocks, 3), blocks * 3 / 4), all = shape.blocksPerGroup();
    auto atOnce = [&](int64_t count) { return all <= count * processors; };
    return all > 1 && atOnce(blocks) && !atOnce(fewer) ? blocks : fewer;
  }
  // Of several ones that read a second tile, one less.
  return straight && readsBeside(kernel) ? std::max(std::min<int64_t>(blocks, 2), blocks - 1) : blocks;
}

struct SetLaunchBounds : impl::SetLaunchBoundsBase<SetLaunchBounds> {
  using SetLaunchBoundsBase::SetLaunchBoundsBase;

  void runOnOperation() override {
    const std::optional<passes::Target> machine = passes::findTarget(target, getOperation());
    if (!machine)
      return signalPassFailure();
    for (id::KernelOp kernel : getOperation().getOps<id::KernelOp>()) {
      const TileBlocks shape = tileBlocksOf(kernel, *machine);
      const int64_t threads =
          cutSections(kernel, machine->lanes).straight ? shape.tileThreads : shape.tiles * shape.tileThreads;
      setNumber(kernel, blockThreadsAttr, threads);
      const int64_t wanted = kernel.getLaunch().getResident(), most = machine->residentBlocks(threads, 1, 0);
      if (wanted > most) {
        kernel.emitError() << "a multiprocessor of " << machine->name << " holds at most " << most << " blocks of "
                           << threads << " threads, not " << wanted;
        return signalPassFailure();
      }
      setNumber(kernel, residentAttr, wanted ? wanted : residentBlocks(kernel, shape, threads, *machine));
    }
  }
};

} // namespace
} // namespace idc::conversion
