// Whether messages are coloured.
#pragma once

#include "llvm/Support/raw_ostream.h"

namespace idc::frontend {

/// Whether what is written to the stream is shown in colours: it goes to a terminal that has them, NO_COLOR is not set,
/// and LLVM's --color, where a tool has it, is not false.
bool showsColours(const llvm::raw_ostream &stream);

} // namespace idc::frontend
