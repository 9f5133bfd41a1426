#include "compiler/emulator/KernelRun.h"

#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstring>
#include <numeric>

using namespace idc;
using namespace idc::emulator;
using Kind = Instruction::Kind;

static constexpr int64_t countingBarrierBytes = 8;

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
    slots(t)[laneSlot] = t % 32;
    slots(t)[blockSlot] = static_cast<uint64_t>(index);
    ready.push_back(t);
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

GlobalMemory::GlobalMemory(std::vector<const Kernel *> kernels)
    : kernels(std::move(kernels)), regions(sharedRegion + 1) {
  for (const Kernel *kernel : this->kernels)
    granule = std::min(granule, kernel->granule);
}

uint32_t GlobalMemory::number(Buffer *buffer) {
  for (uint32_t i = 0; i < regions.size(); ++i)
    if (regions[i].buffer == buffer)
      return i;
  Region &added = regions.emplace_back();
  added.buffer = buffer;
  if (buffer->writable)
    added.watch = std::make_unique<RaceDetector>(buffer->bytes, granule);
  return static_cast<uint32_t>(regions.size() - 1);
}

GlobalMemory::Region *GlobalMemory::find(uint32_t number) {
  return number < regions.size() && regions[number].buffer ? &regions[number] : nullptr;
}

KernelRun::KernelRun(const Kernel &kernel, const EmulatorOptions &options, const Launch &launch,
                     const std::vector<GlobalPlace> &globals, int64_t sharedBytes, GlobalMemory &memory, uint32_t grid)
    : kernel(kernel), options(options), launch(launch), sharedBytes(sharedBytes), memory(memory), grid(grid),
      frame(kernel.slots, poisonBits), executed(kernel.instructions.size()), random(options.seed),
      order(static_cast<size_t>(launch.blocks / launch.cluster)), previousEnded(grid == 0), previousFrom(grid) {
  report.name = kernel.name;
  report.blocks = launch.blocks;
  report.threads = launch.threads;
  frame[blockSizeSlot] = static_cast<uint64_t>(launch.threads);
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
  block.started = true;
  advance(block);
  if (block.finished()) {
    block.accesses.drain([&](uint32_t op, const WarpAccesses::Request &request) { account(op, request); });
    block.cluster->blocks[static_cast<size_t>(block.index % launch.cluster)] = nullptr;
    release(block);
    resident.erase(resident.begin() + static_cast<long>(which));
  }
}

void KernelRun::release(Block &block) {
  released += !block.released;
  block.released = true;
}

void KernelRun::passGrids(Thread &thread) {
  awaiting += !thread.awaited;
  thread.awaited = true;
  ++thread.pc;
}

void KernelRun::previousHasEnded(uint32_t from) {
  previousEnded = true;
  previousFrom = from;
  for (const std::unique_ptr<Block> &block : resident)
    for (uint32_t t = 0; t < block->threads.size(); ++t)
      if (block->threads[t].state == Thread::State::AtGrids) {
        passGrids(block->threads[t]);
        block->setReady(t);
      }
}

KernelReport KernelRun::takeReport() {
  report.finished = ended();
  count();
  return std::move(report);
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
    case Kind::MBarrierInit:
    case Kind::MBarrierArrive:
      (i.kind == Kind::Atomic         ? atomic(block, t, pc)
       : i.kind == Kind::StoreRelaxed ? storeRelaxed(block, t, pc)
       : i.kind == Kind::StoreAsync   ? storeAsync(block, t, pc)
       : i.kind == Kind::MBarrierInit ? barrierInit(block, t, pc)
                                      : barrierArrive(block, t, pc));
      thread.pc = ++pc;
      if (far)
        continue;
      return;
    case Kind::MBarrierFence:
      barrierFence(block);
      ++pc;
      continue;
    case Kind::Fence:
      fence(block, t);
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
    case Kind::MBarrierTest:
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
      ++block.done;
      return;
    }
  }
}

void KernelRun::shareSeen(Block &block, uint32_t first, uint32_t end) {
  std::shared_ptr<const Known> known;
  for (uint32_t t = first; t < end; ++t)
    learn(known, block.threads[t].known);
  for (uint32_t t = first; t < end; ++t)
    block.threads[t].known = known;
  for (size_t b = 0; b < block.barriers.size(); ++b) {
    uint32_t seen = 0;
    for (uint32_t t = first; t < end; ++t)
      seen = std::max(seen, block.threads[t].phases[b]);
    for (uint32_t t = first; t < end; ++t)
      block.threads[t].phases[b] = seen;
  }
}

void KernelRun::barrier(Block &block, uint32_t t) {
  block.setWaiting(t, Thread::State::AtBarrier);
  if (++block.atBarrier < block.threads.size())
    return;
  for (uint32_t other = 0; other < block.threads.size(); ++other)
    if (block.threads[other].pc != block.threads[t].pc) {
      fault(Fault::Kind::DivergentBarrier, block, t, block.threads[t].pc, [&] {
        return "thread " + std::to_string(other) + " waits at another one: " + describe(block.threads[other].pc);
      });
      stopped = true;
      return;
    }
  block.atBarrier = 0;
  ++block.epoch;
  shareSeen(block, 0, static_cast<uint32_t>(block.threads.size()));
  for (uint32_t other = 0; other < block.threads.size(); ++other) {
    ++block.threads[other].pc;
    block.setReady(other);
  }
}

void KernelRun::passClusterBarrier(const Cluster &cluster, Thread &thread) {
  ++thread.pc;
  if (!cluster.relaxed[thread.waits])
    thread.acquired = thread.waits + 1;
  ++thread.waits;
}

void KernelRun::clusterArrive(Block &block, uint32_t t, bool relaxed) {
  Thread &thread = block.threads[t];
  Cluster &cluster = *block.cluster;
  if (thread.arrivals != thread.waits) {
    fault(Fault::Kind::DivergentBarrier, block, t, thread.pc - 1, [] { return "arrives twice without waiting"; });
    stopped = true;
    return;
  }
  ++thread.arrivals;
  cluster.relaxedNow |= relaxed;
  if (++cluster.arrived < launch.threads * launch.cluster)
    return;
  cluster.relaxed.push_back(cluster.relaxedNow);
  cluster.relaxedNow = false;
  cluster.arrived = 0;
  for (Block *other : cluster.blocks)
    for (uint32_t k = 0; other && k < other->threads.size(); ++k)
      if (other->threads[k].state == Thread::State::AtClusterBarrier) {
        passClusterBarrier(cluster, other->threads[k]);
        other->setReady(k);
      }
}

bool KernelRun::clusterWait(Block &block, uint32_t t) {
  Thread &thread = block.threads[t];
  if (thread.arrivals == thread.waits) {
    fault(Fault::Kind::DivergentBarrier, block, t, thread.pc, [] { return "waits without having arrived"; });
    stopped = true;
    return false;
  }
  if (block.cluster->relaxed.size() > thread.waits) {
    passClusterBarrier(*block.cluster, thread);
    return true;
  }
  block.setWaiting(t, Thread::State::AtClusterBarrier);
  return false;
}

bool KernelRun::gathered(const Block &block, uint32_t t, uint32_t &mask, Fault::Kind kind) {
  uint32_t first = t / 32 * 32;
  auto lanes = std::min<uint32_t>(32, static_cast<uint32_t>(block.threads.size()) - first);
  if (lanes < 32)
    mask &= (uint32_t(1) << lanes) - 1;
  const Thread &thread = block.threads[t];
  if (!(mask >> (t - first) & 1)) {
    fault(kind, block, t, thread.pc, [] { return "the thread is not in its mask"; });
    stopped = true;
    return false;
  }
  for (uint32_t lane = 0; lane < lanes; ++lane)
    if (mask >> lane & 1) {
      const Thread &other = block.threads[first + lane];
      if (other.state != thread.state || other.pc != thread.pc)
        return false;
    }
  return true;
}

void KernelRun::warpBarrier(Block &block, uint32_t t) {
  block.setWaiting(t, Thread::State::AtWarpBarrier);
  uint32_t pc = block.threads[t].pc, first = t / 32 * 32;
  auto mask = static_cast<uint32_t>(block.slots(t)[kernel.instructions[pc].a]);
  if (!gathered(block, t, mask, Fault::Kind::DivergentBarrier))
    return;
  uint32_t met = 0;
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1) {
      ++met;
      ++block.threads[first + lane].pc;
      block.setReady(first + lane);
    }
  // A barrier of some lanes orders nothing here, so that races are never missed.
  if (met == std::min<size_t>(32, block.threads.size() - first)) {
    ++block.warpEpochs[t / 32];
    shareSeen(block, first, first + met);
  }
}

void KernelRun::shuffle(Block &block, uint32_t t) {
  block.setWaiting(t, Thread::State::AtShuffle);
  uint32_t pc = block.threads[t].pc, first = t / 32 * 32;
  const Instruction &i = kernel.instructions[pc];
  auto mask = static_cast<uint32_t>(block.slots(t)[i.a]);
  if (!gathered(block, t, mask, Fault::Kind::DivergentShuffle))
    return;
  // The source lane as the PTX manual defines it for shfl.sync.
  uint64_t values[32] = {};
  for (uint32_t lane = 0; lane < 32; ++lane)
    if (mask >> lane & 1)
      values[lane] = block.slots(first + lane)[i.b];
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    uint64_t *slots = block.slots(first + lane);
    auto offset = static_cast<int32_t>(slots[i.c] & 31), clamp = static_cast<int32_t>(slots[i.d] & 31),
         segment = static_cast<int32_t>(slots[i.d] >> 8 & 31), self = static_cast<int32_t>(lane);
    int32_t highest = (self & segment) | (clamp & ~segment), lowest = self & segment, source = 0;
    bool valid = false;
    switch (i.shuffle) {
    case Instruction::Shuffle::Xor:
      source = self ^ offset;
      valid = source <= highest;
      break;
    case Instruction::Shuffle::Up:
      source = self - offset;
      valid = source >= highest;
      break;
    case Instruction::Shuffle::Down:
      source = self + offset;
      valid = source <= highest;
      break;
    case Instruction::Shuffle::Index:
      source = lowest | (offset & ~segment);
      valid = source <= highest;
      break;
    }
    if (!valid)
      source = self;
    if (mask >> source & 1) {
      slots[i.result] = values[source];
    } else {
      fault(Fault::Kind::DivergentShuffle, block, first + lane, pc,
            [&] { return "lane " + std::to_string(source) + " takes no part"; });
      slots[i.result] = poisonBits;
    }
    ++block.threads[first + lane].pc;
    block.setReady(first + lane);
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

//===--- memory -------------------------------------------------------------------------------------------------===//

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

bool KernelRun::place(Block &block, uint32_t t, uint32_t pc, uint64_t address, int64_t bytes, bool writes, Place &at) {
  const Instruction &i = kernel.instructions[pc];
  at.offset = offsetOf(address);
  int64_t size = sharedBytes;
  uint32_t number = regionOf(address);
  auto where = [&] {
    return std::to_string(bytes) + " bytes at byte " + std::to_string(at.offset) + " of " +
           (at.buffer ? at.buffer->name : "shared memory");
  };
  auto fails = [&](Fault::Kind kind, llvm::function_ref<std::string()> detail) {
    fault(kind, block, t, pc, detail);
    return false;
  };
  if (number >= clusterRegion) { // another block's shared memory
    at.block =
        number - clusterRegion < block.cluster->blocks.size() ? block.cluster->blocks[number - clusterRegion] : nullptr;
    if (!at.block || !at.block->started)
      return fails(Fault::Kind::OutOfBounds, [&] {
        return "shared memory of rank " + std::to_string(number - clusterRegion) + ", which " +
               (at.block ? "may not have started" : "has ended or is not in the cluster");
      });
  } else if (number == sharedRegion) {
    at.block = &block;
  } else {
    const GlobalMemory::Region *region = memory.find(number);
    if (!region)
      return fails(Fault::Kind::OutOfBounds, [] { return "the address belongs to no buffer"; });
    at.buffer = region->buffer;
    size = at.buffer->bytes;
    at.watch = region->watch.get();
  }
  if (at.block)
    at.watch = &at.block->sharedWatch;
  if (at.offset < 0 || at.offset + bytes > size)
    return fails(Fault::Kind::OutOfBounds, [&] { return where() + ", which has " + std::to_string(size); });
  if (at.offset % i.alignment)
    return fails(Fault::Kind::Misaligned, [&] { return where() + ", no multiple of " + std::to_string(i.alignment); });
  if (writes && at.buffer && !at.buffer->writable)
    return fails(Fault::Kind::ReadOnly, where);
  at.data = (at.block ? at.block->shared.data() : at.buffer->data) + at.offset;
  return true;
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

void KernelRun::access(Block &block, uint32_t t, uint32_t pc) {
  const Instruction &i = kernel.instructions[pc];
  uint64_t *slots = block.slots(t);
  uint64_t address = slots[i.a] + i.immediate;
  WarpAccesses::Request request;
  if (block.accesses.add(t, i.memoryOp, address, request))
    account(i.memoryOp, request);

  bool load = i.kind == Kind::Load;
  int64_t bytes = int64_t(i.scalars) * i.scalarBytes;
  Place at;
  if (!place(block, t, pc, address, bytes, !load, at)) { // a load gives poison, a store is left out
    if (load)
      std::fill_n(slots + i.result, i.scalars, poisonBits);
    return;
  }
  if (load) {
    bool written = at.block ? at.watch->written(at.offset, bytes)
                            : !std::memchr(at.buffer->written.data() + at.offset, 0, static_cast<size_t>(bytes));
    if (!written)
      fault(Fault::Kind::Uninitialised, block, t, pc, [&] {
        return std::to_string(bytes) + " bytes at byte " + std::to_string(at.offset) + " of " +
               (at.buffer ? at.buffer->name : "shared memory");
      });
  } else if (at.buffer) {
    std::fill_n(at.buffer->written.begin() + at.offset, bytes, 1);
  }
  Access now = accessNow(block, t, pc);
  now.performed = load && !i.late;
  watch(block, at, bytes, !load, now);
  char *data = at.data;
  for (unsigned k = 0; k < i.scalars; ++k, data += i.scalarBytes)
    if (load) {
      uint64_t value = 0;
      std::memcpy(&value, data, i.scalarBytes);
      slots[i.result + k] = i.bits < 8 ? value & ((uint64_t(1) << i.bits) - 1) : value;
    } else {
      std::memcpy(data, &slots[i.b + k], i.scalarBytes);
    }
}

void KernelRun::atomic(Block &block, uint32_t t, uint32_t pc) {
  const Instruction &i = kernel.instructions[pc];
  uint64_t *slots = block.slots(t);
  Place at;
  if (!place(block, t, pc, slots[i.a], i.scalarBytes, true, at)) {
    slots[i.result] = poisonBits;
    return;
  }
  bool written = at.block ? at.watch->written(at.offset, i.scalarBytes)
                          : !std::memchr(at.buffer->written.data() + at.offset, 0, i.scalarBytes);
  if (!written)
    fault(Fault::Kind::Uninitialised, block, t, pc, [] { return "a counter without a value"; });
  const Thread &thread = block.threads[t];
  Access now = accessNow(block, t, pc);
  now.atomic = true;
  watch(block, at, i.scalarBytes, true, now);
  uint64_t value = 0, added = slots[i.b];
  std::memcpy(&value, at.data, i.scalarBytes);
  added += value;
  std::memcpy(at.data, &added, i.scalarBytes);
  slots[i.result] = value;
  learn(offers[at.data], thread.offered);
  wake(at.data);
}

void KernelRun::wake(const char *place) {
  for (size_t k = flagWaiters.size(); k-- > 0;) {
    auto [waiting, number] = flagWaiters[k];
    Thread &thread = waiting->threads[number];
    if (llvm::none_of(thread.asked, [&](const auto &asked) { return asked.place == place; }))
      continue;
    thread.asked.clear();
    thread.askedAgain = 0;
    waiting->setReady(number);
    flagWaiters.erase(flagWaiters.begin() + static_cast<long>(k));
  }
}

void KernelRun::storeRelaxed(Block &block, uint32_t t, uint32_t pc) {
  const Instruction &i = kernel.instructions[pc];
  uint64_t *slots = block.slots(t);
  Place at;
  if (!place(block, t, pc, slots[i.a], i.scalarBytes, true, at))
    return;
  Access now = accessNow(block, t, pc);
  now.atomic = true;
  watch(block, at, i.scalarBytes, true, now);
  std::memcpy(at.data, &slots[i.b], i.scalarBytes);
  if (at.buffer)
    std::fill_n(at.buffer->written.begin() + at.offset, i.scalarBytes, 1);
  wake(at.data);
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

bool KernelRun::loadAcquire(Block &block, uint32_t t, uint32_t pc) {
  const Instruction &i = kernel.instructions[pc];
  uint64_t *slots = block.slots(t);
  Thread &thread = block.threads[t];
  Place at;
  if (!place(block, t, pc, slots[i.a], i.scalarBytes, false, at)) {
    slots[i.result] = poisonBits;
    return true;
  }
  uint64_t value = 0;
  std::memcpy(&value, at.data, i.scalarBytes);
  if (asksInVain(thread, at.data, value, i.scalarBytes)) {
    flagWaiters.emplace_back(&block, t);
    block.setWaiting(t, Thread::State::AtFlag);
    return false;
  }
  if (at.buffer && std::memchr(at.buffer->written.data() + at.offset, 0, i.scalarBytes))
    fault(Fault::Kind::Uninitialised, block, t, pc, [] { return "a flag without a value"; });
  Access now = accessNow(block, t, pc);
  now.atomic = true;
  watch(block, at, i.scalarBytes, false, now);
  if (auto offer = offers.find(at.data); offer != offers.end() && !i.relaxed)
    learn(thread.known, offer->second);
  slots[i.result] = value;
  return true;
}

/// True when a thread asks for a value, and has asked for all that it asks for, once more than they have changed:
/// nothing will change by itself.
bool KernelRun::asksInVain(Thread &thread, const char *place, uint64_t value, uint8_t bytes) {
  auto known = llvm::find_if(thread.asked, [&](const auto &asked) { return asked.place == place; });
  if (known == thread.asked.end()) {
    thread.asked.push_back({place, value, bytes});
    return false;
  }
  bool differs = known->value != value;
  if (!differs && ++thread.askedAgain < thread.asked.size())
    return false;
  for (const Thread::Asked &asked : thread.asked) {
    uint64_t now = 0;
    std::memcpy(&now, asked.place, asked.bytes);
    differs |= asked.value != now;
  }
  if (!differs)
    return true;
  thread.asked.assign(1, {place, value, bytes});
  thread.askedAgain = 0;
  return false;
}

//===--- counting barriers and asynchronous stores --------------------------------------------------------------===//

void KernelRun::barrierInit(Block &block, uint32_t t, uint32_t pc) {
  const Instruction &i = kernel.instructions[pc];
  uint64_t *slots = block.slots(t);
  Place at;
  if (!place(block, t, pc, slots[i.a], i.scalarBytes, true, at))
    return;
  watch(block, at, i.scalarBytes, true, accessNow(block, t, pc));
  CountingBarrier made;
  made.offset = at.offset;
  made.count = made.pending = static_cast<uint32_t>(slots[i.b]);
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
  for (const CountingBarrier &barrier : block.barriers)
    block.sharedWatch.perform(barrier.offset, countingBarrierBytes);
}

KernelRun::CountingBarrier *KernelRun::barrierAt(Block &block, uint32_t t, uint32_t pc, uint64_t address, Place &at) {
  if (!place(block, t, pc, address, countingBarrierBytes, true, at))
    return nullptr;
  if (at.block)
    for (CountingBarrier &barrier : at.block->barriers)
      if (barrier.offset == at.offset) {
        // Operations on a barrier need no order among them, but come after it was made: they read, the making writes.
        watch(block, at, countingBarrierBytes, false, accessNow(block, t, pc));
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
  thread.askedBefore = !over; // the first answer may always be no
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
  std::memcpy(at.block->shared.data() + flight.offset, flight.bytes.data(), flight.bytes.size());
  barrier.bytes -= bytes;
  endPhase(*at.block, access.barrier);
}

//===--- traffic ------------------------------------------------------------------------------------------------===//

void KernelRun::account(uint32_t memoryOp, const WarpAccesses::Request &request) {
  const Instruction &i = kernel.instructions[kernel.memoryOps[memoryOp]];
  bool load = i.kind == Kind::Load;
  int64_t bytes = int64_t(i.scalars) * i.scalarBytes;
  uint64_t offsets[32];
  // Lanes whose access failed are left out; lanes in different memories are different requests.
  for (uint32_t rest = request.active; rest;) {
    uint32_t region = regionOf(request.addresses[__builtin_ctz(rest)]), active = 0;
    const GlobalMemory::Region *known = memory.find(region);
    Buffer *buffer = known ? known->buffer : nullptr;
    bool shared = region == sharedRegion || region >= clusterRegion;
    int64_t size = shared ? sharedBytes : buffer ? buffer->bytes : 0;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if (!(rest >> lane & 1) || regionOf(request.addresses[lane]) != region)
        continue;
      rest &= ~(uint32_t(1) << lane);
      int64_t offset = offsetOf(request.addresses[lane]);
      offsets[lane] = static_cast<uint64_t>(offset);
      if (offset >= 0 && offset + bytes <= size && offset % i.alignment == 0)
        active |= uint32_t(1) << lane;
    }
    if (!active)
      continue;
    if (shared)
      countShared(load ? report.sharedLoads : report.sharedStores, offsets, active, bytes);
    else
      countGlobal(!load ? report.stores : buffer->table ? report.tables : report.loads, offsets, active, bytes, size);
  }
}

//===--- reports ------------------------------------------------------------------------------------------------===//

std::string KernelRun::describe(const Kernel &kernel, uint32_t pc) {
  constexpr size_t longest = 160;
  mlir::Operation *op = kernel.instructions[pc].op;
  std::string text;
  llvm::raw_string_ostream stream(text);
  op->print(stream, mlir::OpPrintingFlags().skipRegions().useLocalScope());
  if (text.size() > longest)
    text = text.substr(0, longest) + "…";
  if (auto place = llvm::dyn_cast<mlir::FileLineColLoc>(op->getLoc()))
    text += " (line " + std::to_string(place.getLine()) + ")";
  return text;
}

void KernelRun::faultAt(Fault::Kind kind, int64_t block, uint32_t thread, uint32_t pc,
                        llvm::function_ref<std::string()> detail) {
  auto [entry, inserted] = knownFaults.try_emplace({kind, pc}, report.faults.size());
  if (inserted)
    report.faults.push_back({kind, block, thread, describe(pc), detail(), 1});
  else
    ++report.faults[entry->second].count;
}

void KernelRun::count() {
  for (size_t pc = 0; pc < executed.size(); ++pc) {
    const Instruction &i = kernel.instructions[pc];
    int64_t times = executed[pc];
    switch (i.kind) {
    case Kind::Compute:
      if (i.counted == OpClass::Move)
        continue;
      (i.counted == OpClass::Integer ? report.integer
       : i.counted == OpClass::Fma   ? report.fma
       : i.counted == OpClass::Add   ? report.add
       : i.counted == OpClass::Mul   ? report.mul
                                     : report.otherFloat) += times;
      break;
    case Kind::Barrier:
      report.barriers += times;
      break;
    case Kind::ClusterArrive:
    case Kind::LaunchDependents:
    case Kind::AwaitGrids:
      break; // barriers are counted where they are waited for
    case Kind::ClusterWait:
      report.clusterBarriers += times;
      break;
    case Kind::WarpSync:
      report.warpBarriers += times;
      break;
    case Kind::Shuffle:
      report.shuffles += times;
      break;
    case Kind::Atomic:
    case Kind::LoadAcquire:
    case Kind::StoreRelaxed:
    case Kind::Fence:
    case Kind::StoreAsync:
    case Kind::MBarrierInit:
    case Kind::MBarrierFence:
    case Kind::MBarrierArrive:
    case Kind::MBarrierTest:
    case Kind::Load:
    case Kind::Store:
    case Kind::Jump:
    case Kind::JumpIfNot:
    case Kind::Return:
      break;
    }
    report.instructions += times;
  }
}
