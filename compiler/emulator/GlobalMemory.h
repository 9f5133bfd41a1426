// Global memory as grids that run at the same time see it.
#pragma once

#include "compiler/emulator/Memory.h"
#include "compiler/emulator/Program.h"

#include <memory>
#include <vector>

namespace idc::emulator {

/// Global memory as grids that run at the same time see it.
class GlobalMemory {
public:
  struct Region {
    Buffer *buffer = nullptr;
    std::unique_ptr<RaceDetector> watch; // null where nothing can be written
  };

  /// Of grids that run these kernels, in launch order.
  explicit GlobalMemory(std::vector<const Kernel *> kernels);

  /// The number of a buffer's region; it gets one when it is asked for first.
  uint32_t number(Buffer *buffer);
  /// The region of a number, or null.
  Region *find(uint32_t number);
  const Kernel &kernelOf(uint32_t grid) const { return *kernels[grid]; }

private:
  std::vector<const Kernel *> kernels;
  int64_t granule = 16;
  std::vector<Region> regions; // by number; 0 is none, sharedRegion has no buffer
};

} // namespace idc::emulator
