#include "compiler/emulator/GlobalMemory.h"

#include <algorithm>

using namespace idc::emulator;

std::shared_ptr<const Known> idc::emulator::ofDevices(const std::shared_ptr<const Known> &known) {
  if (!known || known->lower_bound(knownDevice) == known->end())
    return {};
  return std::make_shared<Known>(known->lower_bound(knownDevice), known->end());
}

GlobalMemory::GlobalMemory(std::vector<const Kernel *> kernels, std::vector<uint32_t> devices)
    : kernels(std::move(kernels)), devices(std::move(devices)), regions(sharedRegion + 1) {
  waiters.resize(this->kernels.size());
  for (const Kernel *kernel : this->kernels)
    granule = std::min(granule, kernel->granule);
}

uint32_t GlobalMemory::number(Buffer *buffer) {
  for (uint32_t i = 0; i < regions.size(); ++i)
    if (regions[i].buffer == buffer)
      return i;
  Region &added = regions.emplace_back();
  added.buffer = buffer;
  if (buffer->writable)
    added.watch = std::make_unique<RaceDetector>(buffer->bytes, granule);
  return static_cast<uint32_t>(regions.size() - 1);
}

GlobalMemory::Region *GlobalMemory::find(uint32_t number) {
  return number < regions.size() && regions[number].buffer ? &regions[number] : nullptr;
}
