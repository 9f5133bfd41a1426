// Atomic accesses, and threads that wait for values which others are to change.
#include "compiler/emulator/KernelRun.h"

#include <cstring>

using namespace idc;
using namespace idc::emulator;

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
