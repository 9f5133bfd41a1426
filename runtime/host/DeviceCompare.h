//===- DeviceCompare.h - compares results on the device ---------*- C++ -*-===//

#ifndef IDC_HOST_DEVICECOMPARE_H
#define IDC_HOST_DEVICECOMPARE_H

#include "host/Memory.h"

namespace idc::host {

/// Counts what differs between two stretches of device memory, for results that are too many to be carried to the host
/// each time.
class DeviceCompare {
public:
  explicit DeviceCompare(Memory &memory);
  ~DeviceCompare();
  DeviceCompare(const DeviceCompare &) = delete;
  DeviceCompare &operator=(const DeviceCompare &) = delete;

  /// 16-byte words that differ; `bytes` is a multiple of 16.
  int64_t differences(const char *first, const char *second, int64_t bytes);

private:
  Memory &memory;
  Memory::Buffer count;
  int64_t largest = 0; // stretch so far
  idc_module *module = nullptr;
};

} // namespace idc::host

#endif // IDC_HOST_DEVICECOMPARE_H
