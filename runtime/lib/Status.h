//===- Status.h - failures with details -------------------------*- C++ -*-===//

#ifndef IDC_RUNTIME_LIB_STATUS_H
#define IDC_RUNTIME_LIB_STATUS_H

#include "idc/runtime.h"

#include <exception>
#include <new>

namespace idc::runtime {

/// Keeps a message (printf format, cut to 1 KiB) for idc_last_error() on this thread and returns `status`.
/// Allocates nothing.
[[gnu::format(printf, 2, 3)]] idc_status fail(idc_status status, const char *format, ...);

/// Calls `body`, which returns an idc_status, and turns exceptions into a status: none may cross the C interface.
template <typename Body> idc_status guarded(Body body) noexcept {
  try {
    return body();
  } catch (const std::bad_alloc &) {
    return fail(IDC_ERROR_OUT_OF_MEMORY, "host memory is exhausted");
  } catch (const std::exception &error) {
    return fail(IDC_ERROR_INVALID_ARGUMENT, "%s", error.what());
  }
}

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_STATUS_H
