// Compiled programs in memory as modules of the runtime: for this computer, for its GPU, and in the emulator.
#pragma once

#include "compiler/codegen/Compiler.h"
#include "compiler/emulator/EmulatedModule.h"
#include "host/GroupModule.h"

#include <memory>

namespace idc::tools {

using Module = std::unique_ptr<idc_module, idc_status (*)(idc_module *)>;

/// Takes over a module of the runtime, or none.
Module adopt(idc_module *module);

// All throw host::Error; mistakes in the source are printed to `errors`, with their places, and give an error without a
// message.

/// The kernels for a CPU. The compiler's target must be one, and it must outlive the module.
Module cpuModule(codegen::Compiler &compiler, llvm::raw_ostream &errors);

/// The same of a manifest and machine code, which must outlive the module.
Module cpuModule(const std::string &manifest, const codegen::CpuJit &code);

/// The kernels for the GPU: a fat binary where the toolkit is, else PTX for the driver to assemble.
Module gpuModule(codegen::Compiler &compiler, llvm::raw_ostream &errors);
/// The same for several GPUs.
std::unique_ptr<host::GroupModule> groupModule(codegen::Compiler &compiler, llvm::raw_ostream &errors);

/// The kernels for the GPU, in the emulator.
std::unique_ptr<emulator::EmulatedModule>
emulatedModule(codegen::Compiler &compiler, const emulator::EmulatorOptions &options, llvm::raw_ostream &errors);

} // namespace idc::tools
