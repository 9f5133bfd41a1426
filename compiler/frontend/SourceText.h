// The texts that programs are read from: regular files of bounded size, whatever a path names.
#pragma once

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace idc::frontend {

/// Bytes of one file; larger ones are no programs that anybody wrote.
constexpr uint64_t maxSourceBytes = uint64_t(16) << 20;

/// The text of a file; an error that names no path when it is no regular file, too large, or cannot be read. Nothing of
/// another file is read, so that neither a pipe nor a device is waited for.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readSource(const llvm::Twine &path);

/// The same for the standard input, which may be anything.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readStandardInput();

} // namespace idc::frontend
