// Object files for computers of this one's kind.
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <string>

namespace llvm {
class Module;
}

namespace idc::codegen {

/// Position-independent code of a module, for every processor of this computer's architecture.
llvm::Expected<std::string> hostObject(llvm::Module &module);

/// The same of CPU kernels in the LLVM dialect, each called `prefix` and its own name, invisible outside the program
/// or shared library that it is linked into. Uses the vector instructions that most processors have: AVX2 and FMA on
/// x86 (x86-64-v3).
llvm::Expected<std::string> hostKernels(mlir::ModuleOp module, const std::string &prefix);

} // namespace idc::codegen
