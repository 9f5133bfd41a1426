#include "compiler/lsp/Analysis.h"

#include "compiler/frontend/Elaborate.h"
#include "compiler/lsp/Positions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace idc;
using namespace idc::lsp;
using llvm::SMLoc;
using llvm::SMRange;

std::string lsp::canonicalPath(llvm::StringRef path) {
  llvm::SmallString<256> real;
  return llvm::sys::fs::real_path(path, real) ? path.str() : real.str().str();
}

Analysis::Analysis(std::string file, const std::vector<std::string> &libraries, const frontend::UnsavedTexts &unsaved)
    : path(std::move(file)), folders(libraries), parsed(frontend::parseUnfinished(path, folders, unsaved, diagnostics)),
      whole(diagnostics.errors() == 0) {}

llvm::StringRef Analysis::text() const {
  return diagnostics.sources.getNumBuffers() ? diagnostics.sources.getMemoryBuffer(1)->getBuffer() : "";
}

llvm::StringRef Analysis::bufferOf(SMLoc place) const {
  const unsigned buffer = place.isValid() ? diagnostics.sources.FindBufferContainingLoc(place) : 0;
  return buffer ? diagnostics.sources.getMemoryBuffer(buffer)->getBuffer() : "";
}

std::string Analysis::pathOf(SMLoc place) const {
  const unsigned buffer = place.isValid() ? diagnostics.sources.FindBufferContainingLoc(place) : 0;
  return buffer ? canonicalPath(diagnostics.sources.getMemoryBuffer(buffer)->getBufferIdentifier()) : path;
}

size_t Analysis::offsetOf(SMLoc place) const {
  const llvm::StringRef buffer = bufferOf(place);
  return buffer.data() ? static_cast<size_t>(place.getPointer() - buffer.data()) : 0;
}

llvm::lsp::Range Analysis::range(SMRange place) const {
  const llvm::StringRef buffer = bufferOf(place.Start);
  return {positionOf(buffer, offsetOf(place.Start)), positionOf(buffer, offsetOf(place.End))};
}

std::optional<llvm::lsp::Location> Analysis::location(SMRange place) const {
  llvm::Expected<llvm::lsp::URIForFile> uri = llvm::lsp::URIForFile::fromFile(pathOf(place.Start));
  if (!uri) {
    llvm::consumeError(uri.takeError());
    return std::nullopt;
  }
  return llvm::lsp::Location(*uri, range(place));
}

const Messages &Analysis::messages() {
  if (said)
    return *said;
  if (parsed && whole)
    frontend::checkBodies(*parsed, diagnostics); // checks first
  said.emplace()[path];
  llvm::lsp::Diagnostic *latest = nullptr;
  for (const frontend::Diagnostics::Message &message : diagnostics.messages()) {
    if (message.isNote && latest) {
      if (std::optional<llvm::lsp::Location> place = location(message.marked)) {
        if (!latest->relatedInformation)
          latest->relatedInformation.emplace();
        latest->relatedInformation->push_back({*place, message.text});
      }
      continue;
    }
    // What has no place is about the program as a whole.
    std::vector<llvm::lsp::Diagnostic> &list = (*said)[message.line ? pathOf(message.marked.Start) : path];
    latest = &list.emplace_back();
    latest->severity = llvm::lsp::DiagnosticSeverity::Error;
    latest->source = "idc";
    latest->message = message.text;
    if (message.line)
      latest->range = range(message.marked);
  }
  return *said;
}

const std::vector<frontend::NameUse> &Analysis::names() {
  if (!resolved)
    resolved = parsed ? frontend::resolveNames(*parsed) : std::vector<frontend::NameUse>();
  return *resolved;
}

const frontend::NameUse *Analysis::nameAt(size_t offset) {
  const char *at = address(offset);
  const frontend::NameUse *before = nullptr; // ends here: the cursor stands behind it
  for (const frontend::NameUse &use : names()) {
    if (use.place.Start.getPointer() <= at && at < use.place.End.getPointer())
      return &use;
    if (use.place.End.getPointer() == at)
      before = &use;
  }
  return before;
}

const frontend::Function *Analysis::functionAt(size_t offset) const {
  const frontend::Function *last = nullptr;
  if (parsed)
    for (const auto &function : parsed->main().functions)
      if (function->range.Start.getPointer() <= address(offset))
        last = function.get();
  // Where the file is not whole, a function may end later than what could be parsed of it.
  return last && whole && last->range.End.getPointer() < address(offset) ? nullptr : last;
}

const frontend::Observations &Analysis::observations(const frontend::Function &algorithm) {
  auto known = observed.find(&algorithm);
  if (known == observed.end())
    known = observed.emplace(&algorithm, frontend::observe(*parsed, algorithm)).first;
  return known->second;
}
