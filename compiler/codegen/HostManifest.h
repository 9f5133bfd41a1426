// What a manifest says of parts of arrays: of those that several devices have, and of those that a host program's
// passes take in chunks (id/Chunks.h).
#pragma once

#include "compiler/codegen/ManifestWriter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace idc::codegen {

/// Makes an array that has all elements of a sequence of the function that one device has, divided by these digits. A
/// caller's elements may be several in one of the function's.
void divide(ManifestArray &array, mlir::Type sequence, llvm::ArrayRef<int> deviceDigits);

/// Adds the passes of a host program, whose values have been placed (conversion::placeBuffers), the memory that they
/// were made for and the host's workspace. `kernels`, of each pass, and those of each pass that has some for the CPU
/// have to live as long as `info`.
void addPasses(mlir::func::FuncOp host, const std::vector<std::vector<conversion::LoweredKernel>> &kernels,
               const std::vector<std::vector<conversion::LoweredKernel>> &cpuKernels, ManifestInfo &info);

} // namespace idc::codegen
