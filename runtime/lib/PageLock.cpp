//===- PageLock.cpp - host memory that kernels reach ----------------------===//

#include "PageLock.h"

#include <algorithm>
#include <unistd.h>

using namespace idc::runtime;

PageLock::~PageLock() {
  for (const Pages &pages : locked)
    driver.hostUnregister(reinterpret_cast<void *>(pages.begin));
}

void PageLock::add(const void *memory, int64_t bytes) {
  const auto page = uintptr_t(sysconf(_SC_PAGESIZE)), begin = reinterpret_cast<uintptr_t>(memory);
  auto isKnown = [&](uintptr_t place) {
    int kind = 0;
    return driver.pointerAttribute(&kind, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CUdeviceptr(place)) == CUDA_SUCCESS &&
           (kind == CU_MEMORYTYPE_HOST || kind == CU_MEMORYTYPE_DEVICE);
  };
  // Another array's pages may have its ends.
  if (bytes == 0 || (isKnown(begin) && isKnown(begin + uintptr_t(bytes) - 1)))
    return;
  noted.push_back({begin / page * page, (begin + uintptr_t(bytes) + page - 1) / page * page});
}

idc_status PageLock::lock() {
  std::sort(noted.begin(), noted.end(), [](const Pages &a, const Pages &b) { return a.begin < b.begin; });
  std::vector<Pages> whole;
  for (const Pages &pages : noted)
    if (!whole.empty() && pages.begin < whole.back().end)
      whole.back().end = std::max(whole.back().end, pages.end);
    else
      whole.push_back(pages);
  noted.clear();
  for (const Pages &pages : whole) {
    if (idc_status status = driver.check(driver.hostRegister(reinterpret_cast<void *>(pages.begin),
                                                             size_t(pages.end - pages.begin), CU_MEMHOSTREGISTER_ALL),
                                         "page-locking memory of the host that kernels reach (no mapped file)"))
      return status;
    locked.push_back(pages);
  }
  return IDC_SUCCESS;
}
