//===- Module.h - a loaded module -------------------------------*- C++ -*-===//

#ifndef IDC_RUNTIME_LIB_MODULE_H
#define IDC_RUNTIME_LIB_MODULE_H

#include "Manifest.h"
#include "idc/runtime.h"

/// What the C interface hands out: a manifest and a way to run it. Immutable after construction.
struct idc_module {
  explicit idc_module(idc::runtime::Manifest manifest) : manifest(std::move(manifest)) {}
  virtual ~idc_module() = default;
  idc_module(const idc_module &) = delete;
  idc_module &operator=(const idc_module &) = delete;

  /// Runs the kernels in order. idc_launch() has checked the arguments; batch is at least 1.
  virtual idc_status launch(int64_t batch, const void *const *inputs, void *const *outputs, void *workspace,
                            void *stream) const = 0;

  const idc::runtime::Manifest manifest;
};

namespace idc::runtime {

/// The pointer that a kernel receives for an argument that is not the batch.
inline void *pointerFor(const Argument &argument, int64_t batch, const void *const *inputs, void *const *outputs,
                        void *workspace) {
  switch (argument.kind) {
  case Argument::Kind::Input:
    return const_cast<void *>(inputs[argument.operand]);
  case Argument::Kind::Output:
    return outputs[argument.operand];
  case Argument::Kind::Workspace:
    return static_cast<char *>(workspace) + batch * argument.bytesPerProblem + argument.offset;
  case Argument::Kind::Batch:
    break;
  }
  return nullptr;
}

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_MODULE_H
