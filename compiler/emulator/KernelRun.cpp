// The scheduler: blocks, threads, and who goes on.
#include "compiler/emulator/KernelRun.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <numeric>

using namespace idc;
using namespace idc::emulator;
using Kind = Instruction::Kind;

//===--- blocks -------------------------------------------------------------------------------------------------===//

KernelRun::Block::Block(const KernelRun &run, int64_t index, std::shared_ptr<Cluster> cluster)
    : index(index), cluster(std::move(cluster)), frameSlots(run.kernel.slots),
      threads(static_cast<size_t>(run.launch.threads)), warpEpochs((threads.size() + 31) / 32),
      shared(static_cast<size_t>(run.sharedBytes), '\xff'), sharedWatch(run.sharedBytes, run.kernel.granule),
      accesses(static_cast<uint32_t>(threads.size()), static_cast<uint32_t>(run.kernel.memoryOps.size())) {
  frames.reserve(threads.size() * frameSlots);
  for (uint32_t t = 0; t < threads.size(); ++t) {
    frames.insert(frames.end(), run.frame.begin(), run.frame.end());
    slots(t)[threadSlot] = t;
    slots(t)[blockSlot] = static_cast<uint64_t>(index);
    ready.push_back(t);
    threads[t].awaited = run.startsBehind;
    if (run.startsBehind)
      threads[t].known = run.ofPrevious;
  }
  readyAt = ready;
}

void KernelRun::Block::setReady(uint32_t thread) {
  threads[thread].state = Thread::State::Ready;
  readyAt[thread] = static_cast<uint32_t>(ready.size());
  ready.push_back(thread);
}

void KernelRun::Block::setWaiting(uint32_t thread, Thread::State state) {
  threads[thread].state = state;
  uint32_t last = ready.back();
  ready[readyAt[thread]] = last;
  readyAt[last] = readyAt[thread];
  ready.pop_back();
}

//===--- launch -------------------------------------------------------------------------------------------------===//

KernelRun::KernelRun(const Kernel &kernel, const EmulatorOptions &options, const Launch &launch,
                     const std::vector<GlobalPlace> &globals, int64_t sharedBytes, GlobalMemory &memory, uint32_t grid,
                     host::Progress &progress)
    : kernel(kernel), options(options), launch(launch), sharedBytes(sharedBytes), memory(memory), progress(progress),
      grid(grid), device(memory.deviceOf(grid)), frame(kernel.slots, poisonBits), executed(kernel.instructions.size()),
      random(options.seed), order(static_cast<size_t>(launch.blocks / launch.cluster)),
      previousEnded(memory.isFirst(grid)), previousFrom(grid) {
  memory.waiters[grid] = [this](const char *place) { wake(place); };
  report.name = kernel.name;
  report.blocks = launch.blocks;
  report.threads = launch.threads;
  frame[gridSizeSlot] = static_cast<uint64_t>(launch.blocks);
  for (auto [slot, value] : kernel.constants)
    frame[slot] = value;
  for (const auto &[slot, name] : kernel.addresses)
    for (const GlobalPlace &place : globals)
      if (place.global->name == name)
        frame[slot] =
            place.buffer ? addressOf(memory.number(place.buffer), 0) : addressOf(sharedRegion, place.sharedOffset);
  for (size_t i = 0; i < kernel.arguments.size(); ++i) {
    const Argument &argument = launch.arguments[i];
    frame[kernel.arguments[i]] = argument.buffer ? addressOf(memory.number(argument.buffer), argument.value)
                                                 : static_cast<uint64_t>(argument.value);
  }
  std::iota(order.begin(), order.end(), 0);
  if (options.interleaving == Interleaving::Reverse)
    std::reverse(order.begin(), order.end());
  if (options.interleaving == Interleaving::Random)
    std::shuffle(order.begin(), order.end(), random);
}

bool KernelRun::mayStart() const {
  return next < order.size() &&
         (launch.allResident || resident.size() < static_cast<size_t>(std::max<int64_t>(1, options.residentBlocks)));
}

bool KernelRun::runnable() const { return !stopped && (mayStart() || !flights.empty() || !allWait()); }

bool KernelRun::allWait() const {
  return llvm::all_of(resident, [](const auto &block) { return block->ready.empty(); });
}

void KernelRun::startCluster(int64_t number) {
  auto cluster = std::make_shared<Cluster>();
  for (int64_t rank = 0; rank < launch.cluster; ++rank) {
    resident.push_back(std::make_unique<Block>(*this, number * launch.cluster + rank, cluster));
    cluster->blocks.push_back(resident.back().get());
  }
  if (options.interleaving == Interleaving::Reverse)
    std::reverse(resident.end() - launch.cluster, resident.end());
}

void KernelRun::turn() {
  while (mayStart())
    startCluster(order[next++]);
  land(allWait());
  if (stopped || allWait())
    return;
  size_t which = 0;
  if (options.interleaving == Interleaving::Random)
    which = random() % resident.size();
  else if (options.interleaving == Interleaving::RoundRobin)
    which = turns++ % resident.size();
  while (resident[which]->ready.empty()) // it waits for others of its cluster, or for the grid before
    which = (which + 1) % resident.size();
  Block &block = *resident[which];
  advance(block);
  if (block.finished()) {
    block.accesses.drain([&](uint32_t op, const WarpAccesses::Request &request) { account(op, request); });
    endVisits(block);
    auto &flags = memory.flags;
    flags.erase(flags.lower_bound(block.shared.data()), flags.lower_bound(block.shared.data() + block.shared.size()));
    block.cluster->blocks[static_cast<size_t>(block.index % launch.cluster)] = nullptr;
    release(block);
    resident.erase(resident.begin() + static_cast<long>(which));
    progress.finished("blocks of " + kernel.name);
  }
}

void KernelRun::release(Block &block) {
  released += !block.released;
  block.released = true;
}

void KernelRun::passGrids(Thread &thread) {
  awaiting += !thread.awaited;
  thread.awaited = true;
  learn(thread.known, ofPrevious);
  ++thread.pc;
}

void KernelRun::startBehind(uint32_t from, const std::shared_ptr<const Known> &known) {
  startsBehind = true;
  previousHasEnded(from, known);
}

void KernelRun::previousHasEnded(uint32_t from, const std::shared_ptr<const Known> &known) {
  previousEnded = true;
  previousFrom = from;
  ofPrevious = known;
  for (const std::unique_ptr<Block> &block : resident)
    for (uint32_t t = 0; t < block->threads.size(); ++t)
      if (block->threads[t].state == Thread::State::AtGrids) {
        passGrids(block->threads[t]);
        block->setReady(t);
      }
}

void KernelRun::advance(Block &block) {
  auto threads = static_cast<uint32_t>(block.threads.size());
  auto stepIfReady = [&](uint32_t thread, bool far) {
    if (!stopped && block.threads[thread].state == Thread::State::Ready)
      step(block, thread, far);
  };
  switch (options.interleaving) {
  case Interleaving::Random:
    // A turn is as many accesses as a warp has lanes; the next turn may be another block's.
    for (int i = 0; i < 32 && !block.ready.empty() && !stopped; ++i)
      step(block, block.ready[random() % block.ready.size()], false);
    break;
  case Interleaving::RoundRobin:
    for (uint32_t thread = 0; thread < threads; ++thread)
      stepIfReady(thread, false);
    break;
  case Interleaving::Greedy:
    for (uint32_t thread = 0; thread < threads; ++thread)
      stepIfReady(thread, true);
    break;
  case Interleaving::Reverse:
    for (uint32_t thread = threads; thread-- > 0;)
      stepIfReady(thread, true);
    break;
  }
}

//===--- threads ------------------------------------------------------------------------------------------------===//

void KernelRun::step(Block &block, uint32_t t, bool far) {
  Thread &thread = block.threads[t];
  uint64_t *slots = block.slots(t);
  const Instruction *code = kernel.instructions.data();
  uint32_t pc = thread.pc;
  while (!stopped) {
    const Instruction &i = code[pc];
    ++executed[pc];
    switch (i.kind) {
    case Kind::Compute:
      i.handler(slots, i);
      ++pc;
      continue;
    case Kind::Load:
    case Kind::Store:
      access(block, t, pc++);
      if (far)
        continue;
      thread.pc = pc;
      return;
    case Kind::Jump:
    case Kind::JumpIfNot: {
      bool taken = i.kind == Kind::Jump || !slots[i.a];
      if (taken && i.target <= pc && ++thread.iterations > options.maxIterations) {
        fault(Fault::Kind::NoProgress, block, t, pc,
              [&] { return std::to_string(options.maxIterations) + " iterations of loops"; });
        stopped = true;
      }
      pc = taken ? i.target : pc + 1;
      continue;
    }
    case Kind::Barrier:
      thread.pc = pc;
      return barrier(block, t);
    case Kind::WarpSync:
      thread.pc = pc;
      return warpBarrier(block, t);
    case Kind::Shuffle:
      thread.pc = pc;
      return shuffle(block, t);
    case Kind::Atomic:
    case Kind::StoreRelaxed:
    case Kind::StoreAsync:
    case Kind::PhaseInit:
    case Kind::PhaseExpect:
      (i.kind == Kind::Atomic         ? atomic(block, t, pc)
       : i.kind == Kind::StoreRelaxed ? storeRelaxed(block, t, pc)
       : i.kind == Kind::StoreAsync   ? storeAsync(block, t, pc)
       : i.kind == Kind::PhaseInit    ? barrierInit(block, t, pc)
                                      : barrierArrive(block, t, pc));
      thread.pc = ++pc;
      if (far)
        continue;
      return;
    case Kind::PhasePublish:
      barrierFence(block);
      ++pc;
      continue;
    case Kind::Fence:
      fence(block, t, i);
      ++pc;
      continue;
    case Kind::LoadAcquire:
      thread.pc = pc;
      if (!loadAcquire(block, t, pc))
        return;
      thread.pc = ++pc;
      if (far)
        continue;
      return;
    case Kind::PhaseOver:
      thread.pc = pc;
      if (!barrierTest(block, t, pc))
        return;
      thread.pc = ++pc;
      continue;
    case Kind::ClusterArrive:
      thread.pc = ++pc;
      clusterArrive(block, t, i.relaxed);
      if (far)
        continue;
      return;
    case Kind::ClusterWait:
      thread.pc = pc;
      if (!clusterWait(block, t))
        return;
      pc = thread.pc;
      continue;
    case Kind::Time:
      slots[i.result] = memory.nanoseconds;
      thread.hasReadClock = true;
      ++pc;
      continue;
    case Kind::LaunchDependents:
      release(block);
      ++pc;
      continue;
    case Kind::AwaitGrids:
      thread.pc = pc;
      if (!previousEnded)
        return block.setWaiting(t, Thread::State::AtGrids);
      passGrids(thread);
      pc = thread.pc;
      continue;
    case Kind::Return:
      thread.pc = pc;
      block.setWaiting(t, Thread::State::Done);
      learn(ofThreads, ofDevices(thread.known));
      ++block.done;
      return;
    }
  }
}

void KernelRun::deadlock() {
  Block &block = *resident.front();
  uint32_t waiting = 0, other = 0;
  while (block.threads[waiting].state == Thread::State::Done)
    ++waiting;
  const Thread &thread = block.threads[waiting];
  if (thread.state == Thread::State::AtClusterBarrier) {
    fault(Fault::Kind::DivergentBarrier, block, waiting, thread.pc,
          [] { return "waits for ever: not all threads of the cluster arrive"; });
    stopped = true;
    return;
  }
  if (thread.state == Thread::State::AtFlag) {
    fault(Fault::Kind::NoProgress, block, waiting, thread.pc,
          [&] { return "waits for ever: nobody changes the value " + std::to_string(thread.asked.back().value); });
    stopped = true;
    return;
  }
  if (thread.state == Thread::State::AtPhase) {
    const CountingBarrier &barrier = block.barriers[thread.waitsFor];
    fault(Fault::Kind::DivergentBarrier, block, waiting, thread.pc, [&] {
      return "waits for ever: " + std::to_string(barrier.pending) + " arrivals and " + std::to_string(barrier.bytes) +
             " bytes are missing";
    });
    stopped = true;
    return;
  }
  bool inWarp = thread.state != Thread::State::AtBarrier;
  uint32_t begin = inWarp ? waiting / 32 * 32 : 0;
  auto end = static_cast<uint32_t>(block.threads.size());
  if (inWarp)
    end = std::min(end, begin + 32);
  std::string detail = "waits for ever";
  for (other = begin; other < end; ++other) {
    const Thread &missing = block.threads[other];
    if (missing.state == thread.state && missing.pc == thread.pc)
      continue;
    detail = "thread " + std::to_string(other) +
             (missing.state == Thread::State::Done ? " has returned" : " waits elsewhere: " + describe(missing.pc));
    break;
  }
  fault(thread.state == Thread::State::AtShuffle ? Fault::Kind::DivergentShuffle : Fault::Kind::DivergentBarrier, block,
        waiting, thread.pc, [&] { return detail; });
  stopped = true;
}
