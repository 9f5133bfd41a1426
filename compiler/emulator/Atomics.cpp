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
  Access now = atomicNow(block, t, pc);
  watch(block, at, i.scalarBytes, true, now);
  visit(block, at, now);
  uint64_t value = 0;
  std::memcpy(&value, at.data, i.scalarBytes);
  post(block, t, at, i, now, value + slots[i.b], true);
  slots[i.result] = value;
}

Access KernelRun::atomicNow(const Block &block, uint32_t t, uint32_t pc) const {
  Access now = accessNow(block, t, pc);
  now.atomic = true;
  now.scope = kernel.instructions[pc].scope;
  return now;
}

/// The flag at a place, whose newest value is what stands there.
Flag &KernelRun::flagAt(const Place &at, const Instruction &i) {
  Flag &flag = memory.flags[at.data];
  Flag::Value now;
  std::memcpy(&now.bits, at.data, i.scalarBytes);
  now.written = !at.buffer || !std::memchr(at.buffer->written.data() + at.offset, 0, i.scalarBytes);
  if (flag.values.empty() || flag.values.back().bits != now.bits) {
    flag.dropped += static_cast<uint32_t>(flag.values.size());
    flag.values.assign(1, now);
  }
  return flag;
}

void KernelRun::post(Block &block, uint32_t t, const Place &at, const Instruction &i, const Access &now, uint64_t bits,
                     bool keeps) {
  const Thread &thread = block.threads[t];
  Flag &flag = flagAt(at, i);
  Flag::Value value = keeps ? flag.values.back() : Flag::Value();
  if (value.writer.grid != grid) { // its blocks are not ours
    value.forDevice.reset();
    value.narrower.clear();
  }
  std::memcpy(at.data, &bits, i.scalarBytes);
  value.bits = 0;
  std::memcpy(&value.bits, at.data, i.scalarBytes);
  value.written = true;
  value.writer = now;
  const Scope scope = std::min(thread.offeredTo, i.scope);
  if (scope == Scope::System)
    learn(value.forSystem, ofDevices(thread.offered));
  if (scope >= Scope::Device)
    learn(value.forDevice, thread.offered);
  else if (thread.offered)
    value.narrower.push_back({scope, now.block, thread.offered});
  flag.add(std::move(value));
  block.flagsSeen.newest[at.data] = flag.newest();
  if (at.buffer)
    std::fill_n(at.buffer->written.begin() + at.offset, i.scalarBytes, 1);
  memory.changed(at.data);
}

template <typename Condition> bool KernelRun::wakeThose(Condition isWoken) {
  bool some = false;
  for (size_t k = flagWaiters.size(); k-- > 0;) {
    auto [waiting, number] = flagWaiters[k];
    Thread &thread = waiting->threads[number];
    if (!isWoken(thread))
      continue;
    thread.asked.clear();
    thread.askedAgain = 0;
    waiting->setReady(number);
    flagWaiters.erase(flagWaiters.begin() + static_cast<long>(k));
    some = true;
  }
  return some;
}

void KernelRun::wake(const char *place) {
  wakeThose([&](const Thread &thread) {
    return llvm::any_of(thread.asked, [&](const auto &asked) { return asked.place == place; });
  });
}

bool KernelRun::wakeByTime() {
  return wakeThose([](const Thread &thread) { return thread.hasReadClock; });
}

void KernelRun::storeRelaxed(Block &block, uint32_t t, uint32_t pc) {
  const Instruction &i = kernel.instructions[pc];
  uint64_t *slots = block.slots(t);
  Place at;
  if (!place(block, t, pc, slots[i.a], i.scalarBytes, true, at))
    return;
  Access now = atomicNow(block, t, pc);
  watch(block, at, i.scalarBytes, true, now);
  visit(block, at, now);
  post(block, t, at, i, now, slots[i.b], false);
  // What the thread asks from here on is another question.
  block.threads[t].asked.clear();
  block.threads[t].askedAgain = 0;
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
  Access now = atomicNow(block, t, pc);
  const Flag &flag = flagAt(at, i);
  uint32_t number = valueRead(block, t, at, flag, now);
  const Flag::Value &value = flag.at(number);
  if (number == flag.newest() && asksInVain(thread, at.data, value.bits, i.scalarBytes)) {
    flagWaiters.emplace_back(&block, t);
    block.setWaiting(t, Thread::State::AtFlag);
    return false;
  }
  if (number != flag.newest())
    isRefused(thread, at.data, value.bits, i.scalarBytes);
  if (!value.written)
    fault(Fault::Kind::Uninitialised, block, t, pc, [] { return "a flag without a value"; });
  watch(block, at, i.scalarBytes, false, now);
  visit(block, at, now);
  if (!i.relaxed) {
    if (i.scope == Scope::System)
      learn(thread.known, value.forSystem);
    const bool isOurs = value.writer.grid == grid;
    if (isOurs && i.scope >= Scope::Device)
      learn(thread.known, value.forDevice);
    for (const Flag::Value::Offer &offer : value.narrower)
      if (isOurs && reaches(offer.scope, offer.block, now.block) && reaches(i.scope, now.block, offer.block))
        learn(thread.known, offer.known);
  }
  slots[i.result] = value.bits;
  return true;
}

/// The first answer to a thread that asks after a change is the oldest one that may be: a value that the block has read
/// already or whose writing comes before. So a thread that does not wait for what it needs never has it by chance.
uint32_t KernelRun::valueRead(Block &block, uint32_t t, const Place &at, const Flag &flag, const Access &now) {
  uint32_t newest = flag.newest(), oldest = newest;
  auto [refused, isNew] = block.flagsSeen.refused.try_emplace({t, at.data}, newest);
  if (isNew || refused->second != newest) {
    refused->second = newest;
    auto seen = block.flagsSeen.newest.find(at.data);
    uint32_t least = std::max(flag.dropped, seen == block.flagsSeen.newest.end() ? 0 : seen->second);
    while (oldest > least && !isKnown(flag.at(oldest).writer, now, block.threads[t]))
      --oldest;
  }
  uint32_t &read = block.flagsSeen.newest[at.data];
  return read = std::max(read, oldest);
}

/// Whether a thread cannot read a value older than what this access wrote.
bool KernelRun::isKnown(const Access &writer, const Access &now, const Seen &seen) const {
  if (!writer.exists() || happensBefore(writer, now, seen))
    return true;
  if (!seen.known || writer.grid != now.grid)
    return false;
  auto known = seen.known->find(writer.block);
  return known != seen.known->end() && known->second >= writer.blockEpoch; // not exactly: perhaps before the fence
}

/// Notes that a thread has got an older value than there is: it has a reason to ask again.
void KernelRun::isRefused(Thread &thread, const char *place, uint64_t value, uint8_t bytes) {
  auto known = llvm::find_if(thread.asked, [&](const auto &asked) { return asked.place == place; });
  if (known == thread.asked.end())
    thread.asked.push_back({place, value, bytes});
  else
    known->value = value;
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
