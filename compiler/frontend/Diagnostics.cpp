#include "compiler/frontend/Diagnostics.h"

#include "llvm/Support/raw_ostream.h"

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

std::vector<Diagnostics::Message> Diagnostics::messages() const {
  std::vector<Message> result;
  for (const Entry &entry : entries) {
    Message message;
    message.isNote = entry.isNote;
    message.text = entry.message;
    if (unsigned buffer = entry.location.isValid() ? sources.FindBufferContainingLoc(entry.location) : 0) {
      message.file = sources.getMemoryBuffer(buffer)->getBufferIdentifier().str();
      std::tie(message.line, message.column) = sources.getLineAndColumn(entry.location, buffer);
      std::tie(message.endLine, message.endColumn) = entry.range.isValid()
                                                         ? sources.getLineAndColumn(entry.range.End, buffer)
                                                         : std::pair(message.line, message.column);
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
