//===- HostModule.h - modules whose data lie in the host's memory -*- C++ -*-===//

#ifndef IDC_RUNTIME_LIB_HOSTMODULE_H
#define IDC_RUNTIME_LIB_HOSTMODULE_H

#include "Module.h"

#include <memory>
#include <string>

namespace idc::runtime {

struct Driver;

/// Loads an image into the current context, for one pass or for a manifest without passes.
idc_status loadGpuModule(const std::string &image, Manifest manifest, const Driver &driver,
                         std::unique_ptr<idc_module> &module);
/// The same for a manifest with passes; `lookup` finds the functions of the CPU where it takes a share (else null).
idc_status loadHostModule(const std::string &image, Manifest manifest, const Driver &driver, idc_cpu_lookup lookup,
                          void *user, std::unique_ptr<idc_module> &module);

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_HOSTMODULE_H
