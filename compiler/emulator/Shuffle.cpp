// Values from other lanes of a warp.
#include "compiler/emulator/KernelRun.h"

using namespace idc;
using namespace idc::emulator;

void KernelRun::shuffle(Block &block, uint32_t t) {
  block.setWaiting(t, Thread::State::AtShuffle);
  if (!gathered(block, t))
    return;
  const uint32_t pc = block.threads[t].pc, first = t / 32 * 32, lanes = lanesOf(block, t);
  const Instruction &i = kernel.instructions[pc];
  uint64_t values[32] = {};
  for (uint32_t lane = 0; lane < lanes; ++lane)
    values[lane] = block.slots(first + lane)[i.a];
  for (uint32_t lane = 0; lane < lanes; ++lane) {
    uint64_t *slots = block.slots(first + lane);
    const auto number = static_cast<uint32_t>(slots[i.b] & 31), source = i.isXor ? lane ^ number : number;
    if (source < lanes) {
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
