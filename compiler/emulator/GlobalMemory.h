// Global memory as grids that run at the same time see it.
#pragma once

#include "compiler/emulator/Flags.h"
#include "compiler/emulator/Memory.h"
#include "compiler/emulator/Program.h"

#include <functional>
#include <memory>
#include <vector>

namespace idc::emulator {

/// Global memory as grids that run at the same time see it, and the clock that they read.
class GlobalMemory {
public:
  struct Region {
    Buffer *buffer = nullptr;
    std::unique_ptr<RaceDetector> watch; // null where nothing can be written
  };

  /// Of grids that run these kernels, each on a device, those of one in launch order.
  GlobalMemory(std::vector<const Kernel *> kernels, std::vector<uint32_t> devices);

  /// The number of a buffer's region; it gets one when it is asked for first.
  uint32_t number(Buffer *buffer);
  /// The region of a number, or null.
  Region *find(uint32_t number);
  const Kernel &kernelOf(uint32_t grid) const { return *kernels[grid]; }
  uint32_t deviceOf(uint32_t grid) const { return devices[grid]; }
  /// The first grid of its device.
  bool isFirst(uint32_t grid) const { return grid == 0 || devices[grid - 1] != devices[grid]; }

  std::map<const char *, Flag> flags; // places of atomic writes
  uint64_t nanoseconds = 0;           // by the clock
  /// Called where a flag changes: of every grid, for its threads that wait.
  std::vector<std::function<void(const char *place)>> waiters;
  void changed(const char *place) const {
    for (const auto &waiter : waiters)
      waiter(place);
  }

private:
  std::vector<const Kernel *> kernels;
  std::vector<uint32_t> devices;
  int64_t granule = 16;
  std::vector<Region> regions; // by number; 0 is none, sharedRegion has no buffer
};

} // namespace idc::emulator
