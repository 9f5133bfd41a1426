// What comes before what: accesses, the barriers and signals between them, and those that nothing orders.
#include "compiler/emulator/KernelRun.h"

#include "llvm/ADT/STLExtras.h"

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
  now.device = device;
  now.instruction = pc;
  return now;
}

bool KernelRun::ordered(const Access &earlier, const Access &later, const Seen &seen) const {
  if (happensBefore(earlier, later, seen))
    return true;
  if (earlier.device != later.device)
    return earlier.atomic && later.atomic && earlier.scope == Scope::System && later.scope == Scope::System;
  return (earlier.atomic && later.atomic && earlier.grid == later.grid &&
          reaches(earlier.scope, earlier.block, later.block) && reaches(later.scope, later.block, earlier.block));
}

bool KernelRun::reaches(Scope scope, uint32_t from, uint32_t to) const {
  return scope >= Scope::Device || (scope == Scope::Block && from == to) ||
         (scope == Scope::Cluster && from / launch.cluster == to / launch.cluster);
}

bool KernelRun::happensBefore(const Access &earlier, const Access &later, const Seen &seen) const {
  if (earlier.device != later.device) {
    if (!seen.known)
      return false;
    auto known = seen.known->find(knownDevice + earlier.device);
    return known != seen.known->end() && earlier.grid < known->second;
  }
  if (earlier.grid != later.grid)
    return earlier.grid < later.grid && earlier.grid >= (seen.awaited ? previousFrom : grid);
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

void KernelRun::visit(const Block &block, const Place &at, const Access &now) {
  if (at.block && at.block != &block)
    visit(*at.block, now);
}

void KernelRun::visit(Block &visited, const Access &now) {
  // Of a thread's accesses the last one is the last to be over, and of those that a relaxed barrier orders; of those
  // that a barrier counts the one in its last phase.
  size_t perBlock = 2 * visited.threads.size(), index = perBlock * static_cast<size_t>(launch.cluster) + now.barrier;
  if (!now.isAsync())
    index = perBlock * (now.block % static_cast<size_t>(launch.cluster)) + 2 * now.thread + now.performed;
  if (index >= visited.visits.size())
    visited.visits.resize(index + 1);
  visited.visits[index] = now;
}

void KernelRun::endVisits(const Block &block) {
  if (block.visits.empty())
    return;
  // What any of its threads knows.
  Seen seen;
  seen.phases.resize(block.barriers.size());
  for (const Thread &thread : block.threads) {
    seen.waits = std::max(seen.waits, thread.waits);
    seen.acquired = std::max(seen.acquired, thread.acquired);
    learn(seen.known, thread.known);
    for (size_t i = 0; i < seen.phases.size(); ++i)
      seen.phases[i] = std::max(seen.phases[i], thread.phases[i]);
  }
  Access end;
  end.block = static_cast<uint32_t>(block.index);
  end.cluster = static_cast<uint32_t>(block.index / launch.cluster);
  end.grid = grid;
  end.device = device;
  for (const Access &visit : block.visits)
    if (visit.exists() && !happensBefore(visit, end, seen))
      faultAt(Fault::Kind::OutOfBounds, visit.block, visit.thread, visit.instruction, [&] {
        return "shared memory of rank " + std::to_string(block.index % launch.cluster) + ", which may have ended";
      });
}

void KernelRun::fence(Block &block, uint32_t t, const Instruction &i) {
  Thread &thread = block.threads[t];
  if (i.relaxed)
    return;
  thread.offeredTo = i.scope;
  auto offered = thread.known ? std::make_shared<Known>(*thread.known) : std::make_shared<Known>();
  (*offered)[static_cast<uint32_t>(block.index)] = block.epoch;
  if (thread.awaited && startsBehind) // so have all grids before this one ended
    (*offered)[knownDevice + device] = grid;
  thread.offered = std::move(offered);
}
