// The files that a command makes.
#pragma once

#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace idc::tools {

/// Writes files of these paths and contents; none appears under its name before all are on the disk.
llvm::Error writeFiles(const std::vector<std::pair<std::string, std::string>> &files);

} // namespace idc::tools
