//===- PageLock.h - host memory that kernels reach --------------*- C++ -*-===//

#ifndef IDC_RUNTIME_LIB_PAGELOCK_H
#define IDC_RUNTIME_LIB_PAGELOCK_H

#include "Driver.h"

#include <vector>

namespace idc::runtime {

/// Keeps memory of the host page-locked and mapped for all devices, so that kernels reach it by the host's pointers,
/// from lock() until it is destroyed in the same context. What the driver knows already stays as it is.
class PageLock {
public:
  explicit PageLock(const Driver &driver) : driver(driver) {}
  ~PageLock();
  PageLock(const PageLock &) = delete;
  PageLock &operator=(const PageLock &) = delete;

  /// Notes memory that lock() is to lock; parts may have been noted before.
  void add(const void *memory, int64_t bytes);
  /// Locks what was noted, or fails as the driver does.
  idc_status lock();

private:
  /// Whole pages: what shares one is locked once.
  struct Pages {
    uintptr_t begin, end;
  };

  const Driver &driver;
  std::vector<Pages> noted, locked;
};

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_PAGELOCK_H
