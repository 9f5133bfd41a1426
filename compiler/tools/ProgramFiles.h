// The programs that paths on a command line mean.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace idc::tools {

/// Files as they are, and of folders all .id files in them and below, by name, but not behind links to folders. An
/// error for a folder that has none.
llvm::Expected<std::vector<std::string>> programFiles(llvm::ArrayRef<std::string> paths);

} // namespace idc::tools
