// Flags that several commands have, and what they say.
#pragma once

#include "compiler/codegen/Compiler.h"

#include <optional>
#include <string>
#include <vector>

namespace idc::tools::commands {

/// Fills the request from the common flags, and --set, or these settings instead; false with a message printed on a
/// malformed one.
bool makeRequestWithoutSettings(codegen::CompileRequest &request);
bool makeRequest(codegen::CompileRequest &request);
bool makeRequest(codegen::CompileRequest &request, const std::vector<std::string> &settings);

/// Folders that imports are looked up in behind a file's own, the standard library last.
std::vector<std::string> libraryFolders();

/// The programs that `check` and `test` are given.
llvm::Expected<std::vector<std::string>> givenFiles();

/// The values of --set, --tolerance and --arch.
std::vector<std::string> givenSettings();
std::optional<double> givenTolerance(); // nothing with a message printed when it is below 0 or no number
std::vector<int64_t> givenDevices();
std::string givenArchitectures();

/// Sets the target of a request by the name of a GPU; false with a message printed when there is none.
bool chooseArchitecture(llvm::StringRef named, codegen::CompileRequest &request);

/// The same for a run on a GPU, which is this machine's unless another one is named.
bool chooseGpu(codegen::CompileRequest &request);

/// The device that a --target of `run` and `test` names, and the architecture of an emulated one; nothing with a
/// message printed when there is no such device.
std::optional<std::string> deviceOf(llvm::StringRef target, codegen::CompileRequest &request);

} // namespace idc::tools::commands
