//===- CpuFunctions.h - kernels for the CPU in a shared library -*- C++ -*-===//

#ifndef IDC_RUNTIME_HOST_CPUFUNCTIONS_H
#define IDC_RUNTIME_HOST_CPUFUNCTIONS_H

#include "idc/runtime.h"

#include <string>

namespace idc::host {

/// A shared library, made of what `idc compile --emit=object` writes.
class CpuFunctions {
public:
  /// Throws Error where it cannot be loaded.
  explicit CpuFunctions(const std::string &path);
  ~CpuFunctions();
  CpuFunctions(const CpuFunctions &) = delete;
  CpuFunctions &operator=(const CpuFunctions &) = delete;

  /// An idc_cpu_lookup; `functions` is a CpuFunctions.
  static idc_cpu_kernel find(const char *name, void *functions);

private:
  void *library;
};

} // namespace idc::host

#endif // IDC_RUNTIME_HOST_CPUFUNCTIONS_H
