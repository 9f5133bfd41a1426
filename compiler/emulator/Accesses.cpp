// Loads and stores: where they go, and what is wrong with that.
#include "compiler/emulator/KernelRun.h"

#include <cstring>

using namespace idc;
using namespace idc::emulator;
using Kind = Instruction::Kind;

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
    if (!at.block || (at.block != &block && !block.threads[t].started))
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
  const int64_t alignment = std::min<int64_t>(i.alignment, bytes); // a counter has its own
  if (at.offset % alignment)
    return fails(Fault::Kind::Misaligned, [&] { return where() + ", no multiple of " + std::to_string(alignment); });
  if (writes && at.buffer && !at.buffer->writable)
    return fails(Fault::Kind::ReadOnly, where);
  at.data = (at.block ? at.block->shared.data() : at.buffer->data) + at.offset;
  return true;
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
  visit(block, at, now);
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
