// CUDA's assembler, fat binary writer and device library, where they are installed.
#pragma once

#include "llvm/Support/Error.h"

#include <map>
#include <string>
#include <vector>

namespace idc::codegen {

/// What ptxas reports of one kernel.
struct KernelResources {
  int64_t registers = 0;
  int64_t spillBytes = 0; // stores plus loads
  int64_t localBytes = 0; // stack frame
};

/// Path of a toolkit program ("ptxas", "fatbinary"): in $CUDA_HOME/bin, on PATH, or in /usr/local/cuda/bin. The error
/// says where it was looked for.
llvm::Expected<std::string> findTool(llvm::StringRef name);

/// Path of the device library, bitcode: in $CUDA_HOME/nvvm/libdevice, or when that is not set, where the toolkit and
/// Debian install it. The error says where it was looked for.
llvm::Expected<std::string> findDeviceLibrary();

/// Assembles PTX for `chip` ("sm_90") to a cubin; `resources` by kernel name. The error carries ptxas's own messages.
llvm::Expected<std::string> assemble(llvm::StringRef ptx, llvm::StringRef chip,
                                     std::map<std::string, KernelResources> &resources);

/// A fat binary of one cubin and its PTX.
llvm::Expected<std::string> makeFatbin(llvm::StringRef cubin, llvm::StringRef ptx, llvm::StringRef chip);

} // namespace idc::codegen
