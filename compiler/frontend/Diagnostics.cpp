#include "compiler/frontend/Diagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <tuple>

namespace idc::frontend {

void Diagnostics::error(llvm::SMLoc location, const std::string &message, llvm::SMRange range) {
  dropNotes = !seen.insert({location.getPointer(), message}).second;
  if (dropNotes)
    return;
  entries.push_back({location, range, false, message});
  ++errorCount;
}

void Diagnostics::note(llvm::SMLoc location, const std::string &message) {
  if (!dropNotes)
    entries.push_back({location, {}, true, message});
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
      message.file = sources.getMemoryBuffer(buffer)->getBufferIdentifier().str();
      // All that print() marks: the range, and the place within it or beside it.
      llvm::SMRange marked = wordAt(entry.location, sources.getMemoryBuffer(buffer)->getBufferEnd());
      if (entry.range.isValid()) {
        marked.Start = std::min(marked.Start, entry.range.Start, before);
        marked.End = std::max(entry.range.End, llvm::SMLoc::getFromPointer(entry.location.getPointer() + 1), before);
      }
      std::tie(message.line, message.column) = sources.getLineAndColumn(marked.Start, buffer);
      std::tie(message.endLine, message.endColumn) = sources.getLineAndColumn(marked.End, buffer);
    }
    result.push_back(std::move(message));
  }
  return result;
}

void Diagnostics::print(llvm::raw_ostream &os) const {
  for (const Entry &entry : entries) {
    if (!entry.location.isValid()) {
      os << (entry.isNote ? "note: " : "error: ") << entry.message << "\n";
      continue;
    }
    llvm::SourceMgr::DiagKind kind = entry.isNote ? llvm::SourceMgr::DK_Note : llvm::SourceMgr::DK_Error;
    llvm::ArrayRef<llvm::SMRange> ranges;
    if (entry.range.isValid())
      ranges = entry.range;
    sources.GetMessage(entry.location, kind, entry.message, ranges).print(nullptr, os, /*ShowColors=*/false);
  }
}

std::string Diagnostics::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  return text;
}

} // namespace idc::frontend
