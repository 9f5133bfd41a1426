// What comes before what: accesses, the barriers and signals between them, and those that nothing orders.
#include "compiler/emulator/KernelRun.h"

using namespace idc;
using namespace idc::emulator;

Access KernelRun::accessNow(const Block &block, uint32_t t, uint32_t pc) const {
  Access now;
  now.block = static_cast<uint32_t>(block.index);
  now.thread = t;
  now.blockEpoch = block.epoch;
  now.warpEpoch = block.warpEpochs[t / 32];
  now.cluster = static_cast<uint32_t>(block.index / launch.cluster);
  now.arrivals = block.threads[t].arrivals;
  now.grid = grid;
  now.instruction = pc;
  return now;
}

bool KernelRun::ordered(const Access &earlier, const Access &later, const Seen &seen) const {
  if (earlier.grid != later.grid)
    return earlier.grid < later.grid && earlier.grid >= (seen.awaited ? previousFrom : grid);
  if (earlier.atomic && later.atomic)
    return true;
  if (earlier.isAsync())
    return later.block == earlier.target && seen.phases[earlier.barrier] > earlier.phase;
  // A relaxed barrier orders what was over when its thread arrived.
  if (earlier.cluster == later.cluster &&
      (seen.acquired > earlier.arrivals || (earlier.performed && seen.waits > earlier.arrivals)))
    return true;
  if (seen.known)
    if (auto known = seen.known->find(earlier.block); known != seen.known->end() && known->second > earlier.blockEpoch)
      return true;
  if (earlier.block != later.block)
    return false;
  return earlier.thread == later.thread || earlier.blockEpoch != later.blockEpoch ||
         (earlier.thread / 32 == later.thread / 32 && earlier.warpEpoch != later.warpEpoch);
}

void KernelRun::watch(const Place &at, int64_t bytes, bool writes, const Access &now, const Seen &seen) {
  if (!at.watch)
    return;
  auto isOrdered = [&](const Access &earlier) { return ordered(earlier, now, seen); };
  if (const Access *earlier =
          writes ? at.watch->write(at.offset, bytes, now, isOrdered) : at.watch->read(at.offset, bytes, now, isOrdered))
    faultAt(Fault::Kind::Race, now.block, now.thread, now.instruction, [&] {
      const Kernel &other = memory.kernelOf(earlier->grid);
      return std::to_string(bytes) + " bytes at byte " + std::to_string(at.offset) + " of " +
             (at.buffer ? at.buffer->name : "shared memory") + ", also accessed by " +
             (earlier->grid == grid ? "" : "kernel '" + other.name + "', ") + "block " +
             std::to_string(earlier->block) + ", thread " + std::to_string(earlier->thread) + ": " +
             describe(other, earlier->instruction);
    });
}

void KernelRun::learn(std::shared_ptr<const Known> &known, const std::shared_ptr<const Known> &more) {
  if (!more || known == more)
    return;
  if (!known) {
    known = more;
    return;
  }
  auto joined = std::make_shared<Known>(*known);
  for (auto [block, epoch] : *more)
    (*joined)[block] = std::max((*joined)[block], epoch);
  known = std::move(joined);
}

void KernelRun::fence(Block &block, uint32_t t) {
  Thread &thread = block.threads[t];
  auto offered = thread.known ? std::make_shared<Known>(*thread.known) : std::make_shared<Known>();
  (*offered)[static_cast<uint32_t>(block.index)] = block.epoch;
  thread.offered = std::move(offered);
}
