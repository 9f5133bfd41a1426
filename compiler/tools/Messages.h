// What the tools that link LLVM say beside their output, alike in all of them, in colours on a terminal.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace idc::tools {

/// Prints "error: MESSAGE", and nothing where there is none because it was printed with its place. Returns the exit
/// status 1.
int fail(const llvm::Twine &message, llvm::raw_ostream &errors = llvm::errs());
int fail(llvm::Error error, llvm::raw_ostream &errors = llvm::errs());

/// Prints "note: MESSAGE".
void note(const llvm::Twine &message);

} // namespace idc::tools
