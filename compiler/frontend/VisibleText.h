// Text of unknown origin as a terminal may be given it: what would steer the terminal or turn the text around is
// written out.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace idc::frontend {

/// The text with control characters, marks of direction and bytes that are no UTF-8 as \x1b or \u{202e}, a line break
/// as \n; tabs stay. At most `limit` bytes long: what goes beyond is three dots.
std::string visibleText(llvm::StringRef text, size_t limit);

/// A part of one line, with the columns (from 0) of its bytes.
struct VisibleLine {
  std::string text;
  /// The column of the byte at `offset` of the line, as near as the part has it.
  size_t column(size_t offset) const;

  size_t begin = 0;            // the first byte shown
  std::vector<size_t> columns; // of each byte shown, and of the end
};
/// About `width` bytes of `line` around the byte `offset`.
VisibleLine visibleLine(llvm::StringRef line, size_t offset, size_t width);

} // namespace idc::frontend
