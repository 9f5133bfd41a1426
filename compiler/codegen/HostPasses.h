// Which of LLVM's passes CPU kernels go through.
#pragma once

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace idc::codegen {

/// Optimises kernels for the machine: LLVM's level 3, without the passes that find nothing in kernels and take time
/// that grows with the square of a kernel's loads and stores.
void optimizeForHost(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace idc::codegen
