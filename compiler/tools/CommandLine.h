// How the tools that link LLVM read their command line: LLVM's options, the project's messages.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace idc::tools {

/// Parses the arguments, the tool's name first, by LLVM's options. --help and --version end the process with status 0;
/// the latter prints "NAME VERSION". False, with messages printed, when an option is wrong or one that takes a single
/// value is given twice. From here on NO_COLOR keeps colours away.
bool parseCommandLine(llvm::ArrayRef<const char *> arguments, llvm::StringRef overview);

} // namespace idc::tools
