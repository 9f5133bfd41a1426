#include "compiler/frontend/VisibleText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

#include <algorithm>

namespace idc::frontend {

/// The bytes of the character that `text` begins with, and how it is shown.
static std::pair<size_t, std::string> nextCharacter(llvm::StringRef text) {
  const auto *bytes = reinterpret_cast<const llvm::UTF8 *>(text.begin());
  const auto *end = reinterpret_cast<const llvm::UTF8 *>(text.end());
  auto byte = static_cast<unsigned char>(text.front());
  if (byte == '\n')
    return {1, "\\n"};
  if (byte < 0x20 ? byte != '\t' : byte == 0x7F)
    return {1, "\\x" + llvm::utohexstr(byte, /*LowerCase=*/true, /*Width=*/2)};
  if (byte < 0x80)
    return {1, std::string(1, text.front())};
  if (!llvm::isLegalUTF8Sequence(bytes, end))
    return {1, "\\x" + llvm::utohexstr(byte, /*LowerCase=*/true, /*Width=*/2)};
  size_t size = llvm::getNumBytesForUTF8(byte);
  llvm::UTF32 point = 0;
  llvm::UTF32 *to = &point;
  llvm::ConvertUTF8toUTF32(&bytes, bytes + size, &to, to + 1, llvm::strictConversion);
  bool control = point < 0xA0 || point == 0x61C || (point >= 0x200B && point <= 0x200F) ||
                 (point >= 0x2028 && point <= 0x202E) || (point >= 0x2060 && point <= 0x206F) || point == 0xFEFF ||
                 point >= 0xE0000;
  return {size, control ? "\\u{" + llvm::utohexstr(point, /*LowerCase=*/true) + "}" : text.take_front(size).str()};
}

std::string visibleText(llvm::StringRef text, size_t limit) {
  std::string result;
  while (!text.empty()) {
    auto [size, shown] = nextCharacter(text);
    if (result.size() + shown.size() > limit)
      return result + "...";
    result += shown;
    text = text.drop_front(size);
  }
  return result;
}

size_t VisibleLine::column(size_t offset) const {
  size_t index = offset < begin ? 0 : std::min(offset - begin, columns.size() - 1);
  return columns[index];
}

VisibleLine visibleLine(llvm::StringRef line, size_t offset, size_t width) {
  VisibleLine result;
  size_t end = line.size();
  auto inside = [&](size_t at) { return at < line.size() && (line[at] & 0xC0) == 0x80; }; // a character
  if (line.size() > width) {
    result.begin = std::min(offset - std::min(offset, width / 2), line.size() - width);
    end = result.begin + width;
    while (inside(result.begin))
      ++result.begin;
    while (inside(end))
      ++end;
  }
  if (result.begin > 0)
    result.text = "...";
  for (size_t at = result.begin; at < end;) {
    auto [size, shown] = nextCharacter(line.substr(at));
    result.columns.insert(result.columns.end(), size, result.text.size());
    result.text += shown;
    at += size;
  }
  result.columns.push_back(result.text.size());
  if (end < line.size())
    result.text += "...";
  return result;
}

} // namespace idc::frontend
