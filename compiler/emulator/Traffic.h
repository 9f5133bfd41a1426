// What the accesses of a warp cost: shared-memory wavefronts and 32-byte sectors of global memory.
//
// Lanes run one by one; their accesses belong together when they are the same execution of the same instruction.
#pragma once

#include "compiler/emulator/Program.h"

#include <cstdint>
#include <vector>

namespace idc::emulator {

/// Accesses to shared memory, per warp.
struct SharedTraffic {
  int64_t requests = 0;
  /// A request is served in phases of 128 bytes' worth of lanes: 32 lanes of 4 bytes, 16 of 8, 8 of 16. A phase takes
  /// as many wavefronts as the busiest of the 32 banks has distinct words.
  int64_t phases = 0;
  int64_t wavefronts = 0;
  int64_t worstConflict = 0; // wavefronts of the worst phase; 1 is free of conflicts
};

/// Accesses to global memory, per warp.
struct GlobalTraffic {
  int64_t requests = 0;
  int64_t sectors = 0;
  int64_t bytes = 0;       // distinct bytes that the lanes ask for
  int64_t unusedBytes = 0; // of the touched sectors, within the buffer
};

/// Wavefronts of the lanes in `active` that access `width` bytes at offsets[lane], added to `traffic`.
void countShared(SharedTraffic &traffic, const uint64_t *offsets, uint32_t active, int64_t width);
/// Sectors of the same in a buffer of `bytes` bytes that starts at a sector.
void countGlobal(GlobalTraffic &traffic, const uint64_t *offsets, uint32_t active, int64_t width, int64_t bytes);

/// Collects the accesses of one block by warp instruction.
class WarpAccesses {
public:
  WarpAccesses(uint32_t threads, uint32_t memoryOps);

  struct Request {
    uint32_t execution = 0; // of the instruction, by each lane
    uint32_t active = 0;    // lanes
    uint64_t addresses[32];
  };
  /// Notes the address of a thread's next execution of access `memoryOp`. When all lanes have come, the request is
  /// moved to `complete` and true is returned.
  bool add(uint32_t thread, uint32_t memoryOp, uint64_t address, Request &complete);
  /// Calls `take(memoryOp, request)` for what some lanes never came to.
  template <class Take> void drain(Take take) {
    for (size_t i = 0; i < pending.size(); ++i)
      for (const Request &request : pending[i])
        take(static_cast<uint32_t>(i % memoryOps), request);
  }

private:
  uint32_t threads, memoryOps;
  std::vector<uint32_t> executions;          // [thread][memoryOp]
  std::vector<std::vector<Request>> pending; // [warp][memoryOp]
};

} // namespace idc::emulator
