//===- Module.h - a loaded module -------------------------------*- C++ -*-===//

#ifndef IDC_RUNTIME_LIB_MODULE_H
#define IDC_RUNTIME_LIB_MODULE_H

#include "Manifest.h"
#include "QuickCheck.h"
#include "idc/host_memory.h"
#include "idc/runtime.h"

namespace idc::runtime {

struct Operands;

/// The devices that work on a launch's problems together.
class Peers {
public:
  virtual ~Peers() = default;
  /// Refuses a launch whose arguments have been checked, before anything of it is done.
  virtual idc_status admit(const Manifest &, int64_t, const Operands &) const { return IDC_SUCCESS; }
  /// What lies at the same place of another device's memory as this pointer in the own one; null when it is not known.
  virtual void *at(const void *own, int32_t device) const = 0;
  /// A device's words for meetings.
  virtual void *meeting(int32_t device) const = 0;
  /// The host's word in which a meeting of the own device reports that others did not come; null where none is held.
  virtual void *report() const { return nullptr; }
  /// The number of the own device.
  virtual int32_t device() const = 0;
};

/// What a caller says of the launch of a host program: modules with the same passes, one for each GPU, and for each of
/// them its call, of which all but the memory is that of the first, and its stream.
struct HostLaunch {
  int32_t count;
  const idc_module *const *modules;
  const idc_host_call *calls;
  void *const *streams;
};

/// What a launch works on: one pointer per input, scalar (host memory) and output of the manifest.
struct Operands {
  const void *const *inputs;
  const void *const *scalars;
  void *const *outputs;
  void *workspace;
  const Peers *peers = nullptr;     ///< null for modules of one device
  const HostLaunch *host = nullptr; ///< of a host program; null: on its own GPU, with memory that is allocated
};

} // namespace idc::runtime

/// What the C interface hands out: a manifest and a way to run it. Immutable after construction.
struct idc_module {
  explicit idc_module(idc::runtime::Manifest read) : manifest(std::move(read)), quickCheck(manifest) {}
  virtual ~idc_module() = default;
  idc_module(const idc_module &) = delete;
  idc_module &operator=(const idc_module &) = delete;

  /// Runs the kernels in order. idc_launch() has checked the arguments; batch is at least 1.
  virtual idc_status launch(int64_t batch, const idc::runtime::Operands &operands, void *stream) const = 0;

  const idc::runtime::Manifest manifest;
  const idc::runtime::QuickCheck quickCheck;
};

namespace idc::runtime {

/// The pointer that a kernel receives for an input, an output or the workspace of the own device; for a scalar, the
/// pointer to its value; null for others.
inline void *pointerFor(const Argument &argument, int64_t batch, const Operands &operands) {
  switch (argument.kind) {
  case Argument::Kind::Input:
    return const_cast<void *>(operands.inputs[argument.operand]);
  case Argument::Kind::Output:
    return operands.outputs[argument.operand];
  case Argument::Kind::Scalar:
    return static_cast<char *>(const_cast<void *>(operands.scalars[argument.operand])) + argument.offset;
  case Argument::Kind::Workspace:
    return static_cast<char *>(operands.workspace) + batch * argument.bytesPerProblem + argument.offset;
  case Argument::Kind::Batch:
  case Argument::Kind::Device:
  case Argument::Kind::Meeting:
  case Argument::Kind::Report:
  case Argument::Kind::Launched:
    break;
  }
  return nullptr;
}

/// idc_launch() with peers. Everything is checked before anything is launched; a batch of 0 does nothing.
idc_status launchChecked(const idc_module *module, int64_t batch, const Operands &operands, void *stream);

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_MODULE_H
