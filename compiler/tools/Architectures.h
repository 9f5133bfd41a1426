// The GPUs that a command line names.
#pragma once

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace idc::tools {

/// The targets of a list, "sm_80,native", in its order: `native` is the GPU of this machine, and names with `a` or `f`
/// (sm_90a) are those without, as no code uses what only these have. The error says what there is. A note to standard
/// error tells which of them are planned by measurements of others; it comes once.
llvm::Expected<std::vector<std::string>> architecturesOf(llvm::StringRef list);

} // namespace idc::tools
