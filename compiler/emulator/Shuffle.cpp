// Values from other lanes of a warp.
#include "compiler/emulator/KernelRun.h"

#include <algorithm>

using namespace idc;
using namespace idc::emulator;

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
