// Kernels as gpu.module of functions for GPUs.
#pragma once

#include "compiler/conversion/Buffers.h"
#include "compiler/passes/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace idc::conversion {

/// A module with one gpu.module named "kernels": one function per id.kernel of `functions`, which are at least one, in
/// the machine, llvm, arith, math and scf dialects, and the twiddle tables. `kernels` receives how those of each
/// function are launched. Errors are emitted and give null.
mlir::OwningOpRef<mlir::ModuleOp> lowerToGpu(llvm::ArrayRef<mlir::func::FuncOp> functions, const passes::Target &target,
                                             std::vector<std::vector<LoweredKernel>> &kernels);
/// The same of one function.
mlir::OwningOpRef<mlir::ModuleOp> lowerToGpu(mlir::func::FuncOp function, const passes::Target &target,
                                             std::vector<LoweredKernel> &kernels);

} // namespace idc::conversion
