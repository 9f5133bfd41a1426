// Barriers in shared memory that count arrivals and bytes, and the asynchronous stores that they wait for.
#include "compiler/emulator/KernelRun.h"

#include <algorithm>
#include <cstring>

using namespace idc;
using namespace idc::emulator;

static constexpr int64_t countingBarrierBytes = 8;

void KernelRun::barrierInit(Block &block, uint32_t t, uint32_t pc) {
  const Instruction &i = kernel.instructions[pc];
  uint64_t *slots = block.slots(t);
  Place at;
  if (!place(block, t, pc, slots[i.a], i.scalarBytes, true, at))
    return;
  if (at.block != &block)
    return fault(Fault::Kind::OutOfBounds, block, t, pc, [] { return "a barrier outside the block's shared memory"; });
  watch(block, at, i.scalarBytes, true, accessNow(block, t, pc));
  CountingBarrier made;
  made.offset = at.offset;
  made.count = made.pending = 1;
  for (CountingBarrier &barrier : at.block->barriers)
    if (barrier.offset == at.offset) {
      made.phase = barrier.phase;
      barrier = made;
      return;
    }
  at.block->barriers.push_back(made);
  for (Thread &other : at.block->threads)
    other.phases.push_back(0);
}

void KernelRun::barrierFence(Block &block) {
  for (CountingBarrier &barrier : block.barriers) {
    barrier.published = true;
    block.sharedWatch.perform(barrier.offset, countingBarrierBytes);
  }
}

KernelRun::CountingBarrier *KernelRun::barrierAt(Block &block, uint32_t t, uint32_t pc, uint64_t address, Place &at) {
  if (!place(block, t, pc, address, countingBarrierBytes, true, at))
    return nullptr;
  if (at.block)
    for (CountingBarrier &barrier : at.block->barriers)
      if (barrier.offset == at.offset) {
        // Operations on a barrier need no order among them, but come after it was made: they read, the making writes.
        watch(block, at, countingBarrierBytes, false, accessNow(block, t, pc));
        if (at.block != &block && !barrier.published)
          fault(Fault::Kind::Race, block, t, pc,
                [] { return "a barrier of another block that no fence has published"; });
        return &barrier;
      }
  fault(Fault::Kind::Uninitialised, block, t, pc, [] { return "a barrier that nobody has made"; });
  return nullptr;
}

void KernelRun::barrierArrive(Block &block, uint32_t t, uint32_t pc) {
  const Instruction &i = kernel.instructions[pc];
  uint64_t *slots = block.slots(t);
  Place at;
  CountingBarrier *barrier = barrierAt(block, t, pc, slots[i.a], at);
  if (!barrier)
    return;
  if (barrier->pending == 0) {
    fault(Fault::Kind::DivergentBarrier, block, t, pc, [] { return "more arrivals than the barrier counts"; });
    stopped = true;
    return;
  }
  barrier->bytes += static_cast<int64_t>(slots[i.b]);
  --barrier->pending;
  endPhase(*at.block, static_cast<size_t>(barrier - at.block->barriers.data()));
}

void KernelRun::endPhase(Block &block, size_t number) {
  CountingBarrier &barrier = block.barriers[number];
  if (barrier.pending || barrier.bytes)
    return;
  ++barrier.phase;
  barrier.pending = barrier.count;
  for (uint32_t t = 0; t < block.threads.size(); ++t)
    if (block.threads[t].state == Thread::State::AtPhase && block.threads[t].waitsFor == number)
      block.setReady(t);
}

bool KernelRun::barrierTest(Block &block, uint32_t t, uint32_t pc) {
  const Instruction &i = kernel.instructions[pc];
  uint64_t *slots = block.slots(t);
  Thread &thread = block.threads[t];
  Place at;
  CountingBarrier *barrier = barrierAt(block, t, pc, slots[i.a], at);
  if (!barrier || at.block != &block) {
    slots[i.result] = 1;
    return true;
  }
  auto number = static_cast<size_t>(barrier - block.barriers.data());
  // The current phase has the parity of the number of those that are over; the one before it has the other.
  bool over = (slots[i.b] & 1) != (barrier->phase & 1);
  if (!over && thread.askedBefore) {
    thread.waitsFor = number;
    block.setWaiting(t, Thread::State::AtPhase);
    return false;
  }
  over &= thread.askedBefore; // the first answer may always be no
  thread.askedBefore = !over;
  if (over && !i.relaxed)
    thread.phases[number] = barrier->phase;
  slots[i.result] = over;
  return true;
}

void KernelRun::storeAsync(Block &block, uint32_t t, uint32_t pc) {
  const Instruction &i = kernel.instructions[pc];
  uint64_t *slots = block.slots(t);
  WarpAccesses::Request request;
  if (block.accesses.add(t, i.memoryOp, slots[i.a], request))
    account(i.memoryOp, request);
  int64_t bytes = int64_t(i.scalars) * i.scalarBytes;
  Place at, counted;
  if (!place(block, t, pc, slots[i.a], bytes, true, at))
    return;
  CountingBarrier *barrier = barrierAt(block, t, pc, slots[i.c], counted);
  if (!barrier)
    return;
  if (!at.block || at.block != counted.block)
    return fault(Fault::Kind::OutOfBounds, block, t, pc, [] { return "the barrier lies in another block"; });
  const Thread &thread = block.threads[t];
  Flight flight{block.cluster, at.offset, std::vector<char>(static_cast<size_t>(bytes)), accessNow(block, t, pc),
                thread};
  for (unsigned k = 0; k < i.scalars; ++k)
    std::memcpy(flight.bytes.data() + k * i.scalarBytes, &slots[i.b + k], i.scalarBytes);
  flight.access.target = static_cast<uint32_t>(at.block->index);
  flight.access.barrier = static_cast<uint32_t>(barrier - at.block->barriers.data());
  flights.push_back(std::move(flight));
  if (options.interleaving == Interleaving::Greedy)
    landOne(flights.size() - 1);
}

void KernelRun::land(bool nothingElse) {
  size_t count = 0;
  if (options.interleaving == Interleaving::RoundRobin)
    count = flights.size();
  else if (options.interleaving == Interleaving::Random)
    count = random() % 64;
  count = std::min(flights.size(), std::max<size_t>(count, nothingElse));
  for (; count > 0 && !stopped; --count)
    landOne(options.interleaving == Interleaving::Random    ? random() % flights.size()
            : options.interleaving == Interleaving::Reverse ? flights.size() - 1
                                                            : 0);
}

void KernelRun::landOne(size_t number) {
  std::swap(flights[number], flights.back());
  Flight flight = std::move(flights.back());
  flights.pop_back();
  Access &access = flight.access;
  auto bytes = static_cast<int64_t>(flight.bytes.size());
  Place at;
  at.block = flight.cluster->blocks[static_cast<size_t>(access.target % launch.cluster)];
  if (!at.block)
    return faultAt(Fault::Kind::OutOfBounds, access.block, access.thread, access.instruction,
                   [] { return "arrives in the shared memory of a block that has ended"; });
  at.watch = &at.block->sharedWatch;
  at.offset = flight.offset;
  CountingBarrier &barrier = at.block->barriers[access.barrier];
  access.phase = barrier.phase;
  watch(at, bytes, true, access, flight.seen);
  if (access.block != access.target)
    visit(*at.block, access);
  std::memcpy(at.block->shared.data() + flight.offset, flight.bytes.data(), flight.bytes.size());
  barrier.bytes -= bytes;
  endPhase(*at.block, access.barrier);
}
