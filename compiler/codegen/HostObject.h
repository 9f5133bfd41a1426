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

/// Which processors code is for.
enum class Processor {
  Common, // those with the vector instructions that most have: AVX2 and FMA on x86 (x86-64-v3)
  This    // this computer's, with all that it has
};

/// Bytes of the vectors that such processors compute with at once.
int64_t registerBytes(Processor processor);

/// Who can find functions in the program or shared library that they are linked into.
enum class Visibility { Inside, Everywhere };

/// The same of CPU kernels in the LLVM dialect, each called `prefix` and its own name.
llvm::Expected<std::string> hostKernels(mlir::ModuleOp module, const std::string &prefix, Processor processor,
                                        Visibility visibility);

/// Optimised LLVM IR of such kernels for this computer's processor, as text.
llvm::Expected<std::string> hostLlvmIr(mlir::ModuleOp module);

/// This computer's processor and what it has, as LLVM names them: code for it runs where this is the same.
std::string thisProcessor();

} // namespace idc::codegen
