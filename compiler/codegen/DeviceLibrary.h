// Functions that the NVPTX back end has no code for, from CUDA's device library (libdevice).
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class Module;
}

namespace idc::codegen {

/// Turns exp, log, sin, cos, tanh, erf, pow and atan2 in the module's kernels into calls of the device library's
/// functions in full precision (errors of at most two units in the last place). Other ops are left alone.
void callDeviceLibrary(mlir::ModuleOp module);

/// Links what `kernels`, translated from `source`, calls of the device library, as internal functions. Fails with an
/// error at the place of a call when the library is not installed; without calls it is not looked for. `called` says
/// whether there are any.
mlir::LogicalResult linkDeviceLibrary(mlir::ModuleOp source, llvm::Module &kernels, bool &called);

} // namespace idc::codegen
