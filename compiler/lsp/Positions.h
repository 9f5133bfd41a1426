// Places of a text as the protocol counts them: lines from 0, and UTF-16 units from the beginning of a line.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LSP/Protocol.h"

namespace idc::lsp {

/// Of a byte of a text in UTF-8. Lines end with "\n", "\r\n" or "\r".
llvm::lsp::Position positionOf(llvm::StringRef text, size_t offset);

/// The byte at a position: the end of the line, or of the text, when there is less.
size_t offsetOf(llvm::StringRef text, llvm::lsp::Position position);

/// Of all of a text.
llvm::lsp::Range wholeRange(llvm::StringRef text);

} // namespace idc::lsp
