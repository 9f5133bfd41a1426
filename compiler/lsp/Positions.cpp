#include "compiler/lsp/Positions.h"

#include "llvm/Support/ConvertUTF.h"

using namespace idc;

/// UTF-16 units of the character whose first byte this is; 0 for its other bytes.
static int unitsOf(char byte) {
  const auto first = static_cast<llvm::UTF8>(byte);
  return (first & 0xC0) == 0x80 ? 0 : llvm::getNumBytesForUTF8(first) == 4 ? 2 : 1;
}

/// Whether a line ends behind the byte.
static bool endsLine(llvm::StringRef text, size_t at) {
  return text[at] == '\n' || (text[at] == '\r' && !text.substr(at + 1).starts_with("\n"));
}

llvm::lsp::Position lsp::positionOf(llvm::StringRef text, size_t offset) {
  llvm::lsp::Position position;
  for (size_t at = 0; at < std::min(offset, text.size()); ++at) {
    const bool isNext = endsLine(text, at);
    position.line += isNext;
    position.character = isNext ? 0 : position.character + unitsOf(text[at]);
  }
  return position;
}

size_t lsp::offsetOf(llvm::StringRef text, llvm::lsp::Position position) {
  size_t at = 0;
  for (int line = 0; line < position.line && at < text.size(); ++at)
    line += endsLine(text, at);
  for (int unit = 0; at < text.size() && text[at] != '\n' && text[at] != '\r'; ++at) {
    unit += unitsOf(text[at]);
    if (unit > position.character)
      break;
  }
  return at;
}

llvm::lsp::Range lsp::wholeRange(llvm::StringRef text) { return {{}, positionOf(text, text.size())}; }
