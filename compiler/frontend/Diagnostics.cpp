#include "compiler/frontend/Diagnostics.h"

#include "llvm/Support/raw_ostream.h"

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
