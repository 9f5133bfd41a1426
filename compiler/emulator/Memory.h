// Memory of the emulator: regions with bounds, knowledge of what was written, and a watch for races.
//
// An address is the number of a region and a signed offset in it: what leaves a region never meets another one.
#pragma once

#include "compiler/emulator/Scope.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace idc::emulator {

/// Memory of the host that kernels use, with a mark for every byte that was written.
class Buffer {
public:
  /// `bytes` bytes at `data`, which must outlive the object. `initialised`: they may be read before a kernel writes
  /// them. `table`: accesses are counted apart from those of other buffers.
  Buffer(std::string name, char *data, int64_t bytes, bool initialised, bool writable = true, bool table = false)
      : name(std::move(name)), data(data), bytes(bytes), writable(writable), table(table),
        written(static_cast<size_t>(bytes), initialised) {}

  const std::string name;
  char *const data;
  const int64_t bytes;
  const bool writable;
  const bool table;
  std::vector<char> written; // of each byte
};

/// An access of a thread, at a point of its way through the barriers.
struct Access {
  uint32_t block = 0, thread = 0;
  uint32_t blockEpoch = 0, warpEpoch = 0; // barriers passed
  uint32_t cluster = 0;
  uint32_t arrivals = 0;               // cluster barriers arrived at
  uint32_t instruction = ~uint32_t(0); // none: no access yet
  uint32_t grid = 0;                   // of kernels that run at the same time
  uint32_t device = 0;                 // that the grid runs on
  bool atomic = false;
  Scope scope = Scope::Device; // of an atomic access
  bool performed = false;      // over by the thread's next arrival at a cluster barrier
  // Of an asynchronous store: the barrier that counts it, in which block, and in which of its phases.
  static constexpr uint32_t noBarrier = ~uint32_t(0);
  uint32_t barrier = noBarrier, target = 0, phase = 0;

  bool exists() const { return instruction != ~uint32_t(0); }
  bool isAsync() const { return barrier != noBarrier; }
  bool sameThread(const Access &other) const {
    return grid == other.grid && block == other.block && thread == other.thread;
  }
};

/// Whether an earlier access is ordered before the one that is being made.
using Ordered = llvm::function_ref<bool(const Access &earlier)>;

/// The last write and the reads since, for each granule of a memory. Reads of the newest grid at one point of a block's
/// way through the barriers are a group, of which two are kept, so that a write that races with any of them races with
/// one of these; a group goes when a read comes after it. Of the reads of grids before one is kept, and of those of
/// each other device one of its last grid.
class RaceDetector {
public:
  RaceDetector(int64_t bytes, int64_t granule)
      : granule(granule), cells(static_cast<size_t>((bytes + granule - 1) / granule)) {}

  /// Notes an access of `bytes` bytes at `offset`, both multiples of the granule; returns an earlier access that it
  /// races with, or null. The result is valid until the next call.
  const Access *read(int64_t offset, int64_t bytes, const Access &access, Ordered ordered);
  const Access *write(int64_t offset, int64_t bytes, const Access &access, Ordered ordered);
  /// The last write of these bytes is over when its thread next arrives at a cluster barrier.
  void perform(int64_t offset, int64_t bytes);
  /// True when all these bytes were written.
  bool written(int64_t offset, int64_t bytes) const;

private:
  struct Readers {
    Access first, second;
    bool takes(const Access &reader) const;
    void add(const Access &reader);
  };
  struct Cell {
    Access writer, earlierReader;
    Readers readers;                                       // of one device
    std::unique_ptr<std::map<uint32_t, Access>> elsewhere; // by device; null: none
    std::unique_ptr<std::vector<Readers>> others;          // null: none
  };
  int64_t granule;
  std::vector<Cell> cells;
  Access found;

  static void keep(Cell &cell, const Access &reader, Ordered ordered);
  static void forgetReaders(Cell &cell);
};

/// Addresses: region number (from 1) and offset.
constexpr int regionShift = 48;
constexpr uint64_t regionMiddle = uint64_t(1) << (regionShift - 1);
constexpr uint32_t sharedRegion = 1;
/// Shared memory of the block of rank 0 in the cluster; higher ranks follow.
constexpr uint32_t clusterRegion = 0x8000;
inline uint64_t addressOf(uint32_t region, int64_t offset) {
  return (uint64_t(region) << regionShift) + regionMiddle + static_cast<uint64_t>(offset);
}
inline uint32_t regionOf(uint64_t address) { return static_cast<uint32_t>(address >> regionShift); }
inline int64_t offsetOf(uint64_t address) {
  return static_cast<int64_t>(address & ((uint64_t(1) << regionShift) - 1)) - static_cast<int64_t>(regionMiddle);
}

} // namespace idc::emulator
