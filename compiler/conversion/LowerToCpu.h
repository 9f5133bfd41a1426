// Kernels as llvm functions for the host.
#pragma once

#include "compiler/conversion/Buffers.h"
#include "compiler/passes/Target.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace idc::conversion {

/// A module with one function `void NAME(ptr args, i64 batch, i64 first, i64 last)` per id.kernel of the functions:
/// args points to the kernel's buffer pointers in order, blocks first … last-1 are done. Lanes are elements of vectors,
/// warps turns of a loop. `registerBytes`: of the processor's vectors; threads that no mapping gives lanes take turns
/// of as many as fit. `launches` receives how each is launched, of each function. Errors are emitted and give null.
mlir::OwningOpRef<mlir::ModuleOp> lowerToCpu(llvm::ArrayRef<mlir::func::FuncOp> functions, const passes::Target &target,
                                             int64_t registerBytes, std::vector<std::vector<LoweredKernel>> &launches);

} // namespace idc::conversion
