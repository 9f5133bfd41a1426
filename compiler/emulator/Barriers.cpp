// Where threads meet: barriers of warps, blocks and clusters.
#include "compiler/emulator/KernelRun.h"

#include <algorithm>

using namespace idc;
using namespace idc::emulator;

void KernelRun::shareSeen(Block &block, uint32_t first, uint32_t end) {
  std::shared_ptr<const Known> known;
  bool started = false;
  for (uint32_t t = first; t < end; ++t) {
    learn(known, block.threads[t].known);
    started |= block.threads[t].started;
  }
  for (uint32_t t = first; t < end; ++t) {
    block.threads[t].known = known;
    block.threads[t].started = started;
  }
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
    block.threads[other].asked.clear(); // what it asks from here on is another question
    block.threads[other].askedAgain = 0;
    block.setReady(other);
  }
}

void KernelRun::passClusterBarrier(const Cluster &cluster, Thread &thread) {
  ++thread.pc;
  if (!cluster.relaxed[thread.waits])
    thread.acquired = thread.waits + 1;
  ++thread.waits;
  thread.started = true;
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

uint32_t KernelRun::lanesOf(const Block &block, uint32_t t) {
  return std::min<uint32_t>(32, static_cast<uint32_t>(block.threads.size()) - t / 32 * 32);
}

bool KernelRun::gathered(const Block &block, uint32_t t) {
  const Thread *first = &block.threads[t / 32 * 32], &thread = block.threads[t];
  return std::all_of(first, first + lanesOf(block, t),
                     [&](const Thread &other) { return other.state == thread.state && other.pc == thread.pc; });
}

void KernelRun::warpBarrier(Block &block, uint32_t t) {
  block.setWaiting(t, Thread::State::AtWarpBarrier);
  if (!gathered(block, t))
    return;
  const uint32_t first = t / 32 * 32, end = first + lanesOf(block, t);
  for (uint32_t lane = first; lane < end; ++lane) {
    ++block.threads[lane].pc;
    block.setReady(lane);
  }
  ++block.warpEpochs[t / 32];
  shareSeen(block, first, end);
}
