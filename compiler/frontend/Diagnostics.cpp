#include "compiler/frontend/Diagnostics.h"

#include "compiler/frontend/Colours.h"
#include "compiler/frontend/VisibleText.h"

#include "host/Messages.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <tuple>

namespace idc::frontend {

static constexpr size_t maxText = 1000, maxLine = 240, maxFile = 300; // bytes

void Diagnostics::error(llvm::SMLoc location, const std::string &message, llvm::SMRange range) {
  std::string text = visibleText(message, maxText);
  dropNotes = full() || !seen.insert({location.getPointer(), text}).second;
  if (dropNotes && !full())
    return;
  if (++errorCount <= maxErrors)
    entries.push_back({location, range, false, std::move(text)});
  else if (errorCount == maxErrors + 1)
    dropNotes = true;
}

void Diagnostics::note(llvm::SMLoc location, const std::string &message) {
  if (!dropNotes)
    entries.push_back({location, {}, true, visibleText(message, maxText)});
}

static bool before(llvm::SMLoc a, llvm::SMLoc b) { return a.getPointer() < b.getPointer(); }

/// The name or number that begins at `location`, else the one character there; nothing at the end of the buffer.
static llvm::SMRange wordAt(llvm::SMLoc location, const char *bufferEnd) {
  const char *end = location.getPointer();
  while (end < bufferEnd && (llvm::isAlnum(*end) || *end == '_'))
    ++end;
  if (end == location.getPointer() && end < bufferEnd)
    ++end;
  return {location, llvm::SMLoc::getFromPointer(end)};
}

std::vector<Diagnostics::Message> Diagnostics::messages() const {
  std::vector<Message> result;
  for (const Entry &entry : entries) {
    Message message;
    message.isNote = entry.isNote;
    message.text = entry.message;
    if (unsigned buffer = entry.location.isValid() ? sources.FindBufferContainingLoc(entry.location) : 0) {
      message.file = visibleText(sources.getMemoryBuffer(buffer)->getBufferIdentifier(), maxFile);
      // All that print() marks: the range, and the place within it or beside it.
      llvm::SMRange marked = wordAt(entry.location, sources.getMemoryBuffer(buffer)->getBufferEnd());
      if (entry.range.isValid()) {
        marked.Start = std::min(marked.Start, entry.range.Start, before);
        marked.End = std::max(entry.range.End, llvm::SMLoc::getFromPointer(entry.location.getPointer() + 1), before);
      }
      message.marked = marked;
      std::tie(message.line, message.column) = sources.getLineAndColumn(marked.Start, buffer);
      std::tie(message.endLine, message.endColumn) = sources.getLineAndColumn(marked.End, buffer);
    }
    llvm::raw_string_ostream rendered(message.rendered);
    print(entry, rendered);
    result.push_back(std::move(message));
  }
  if (full()) {
    result.emplace_back();
    result.back().text = moreErrors();
    result.back().rendered = host::message(host::Severity::Error, moreErrors());
  }
  return result;
}

std::string Diagnostics::moreErrors() const {
  return "there are " + std::to_string(errorCount - maxErrors) + " more errors";
}

void Diagnostics::print(const Entry &entry, llvm::raw_ostream &os) const {
  unsigned buffer = entry.location.isValid() ? sources.FindBufferContainingLoc(entry.location) : 0;
  if (!buffer) {
    os << host::message(entry.isNote ? host::Severity::Note : host::Severity::Error, entry.message, showsColours(os));
    return;
  }
  const llvm::MemoryBuffer &text = *sources.getMemoryBuffer(buffer);
  llvm::StringRef whole = text.getBuffer();
  auto offsetOf = [&](llvm::SMLoc loc) { return static_cast<size_t>(loc.getPointer() - whole.data()); };
  size_t at = offsetOf(entry.location), begin = whole.find_last_of("\r\n", at) + 1; // npos + 1 is 0
  size_t end = std::min(whole.find_first_of("\r\n", at), whole.size());
  VisibleLine shown = visibleLine(whole.slice(begin, end), at - begin, maxLine);
  std::vector<std::pair<unsigned, unsigned>> ranges;
  if (entry.range.isValid()) {
    size_t first = offsetOf(entry.range.Start), last = offsetOf(entry.range.End);
    if (first <= end && last >= begin)
      ranges.emplace_back(shown.column(std::max(first, begin) - begin), shown.column(std::min(last, end) - begin));
  }
  // The message has the column in the file, the caret that in the part of the line.
  auto [number, column] = sources.getLineAndColumn(entry.location, buffer);
  os << visibleText(text.getBufferIdentifier(), maxFile) << ":" << number << ":" << column << ": ";
  llvm::SMDiagnostic(sources, entry.location, "", static_cast<int>(number), static_cast<int>(shown.column(at - begin)),
                     entry.isNote ? llvm::SourceMgr::DK_Note : llvm::SourceMgr::DK_Error, entry.message, shown.text,
                     ranges)
      .print(nullptr, os, /*ShowColors=*/showsColours(os));
}

void Diagnostics::print(llvm::raw_ostream &os) const {
  for (const Entry &entry : entries)
    print(entry, os);
  if (full())
    os << host::message(host::Severity::Error, moreErrors(), showsColours(os));
}

std::string Diagnostics::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

} // namespace idc::frontend
