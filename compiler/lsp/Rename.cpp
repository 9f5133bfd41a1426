// Definitions, uses and other names.
#include "compiler/frontend/Elaborate.h"
#include "compiler/lsp/Features.h"
#include "compiler/lsp/Positions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace idc;
using namespace idc::lsp;
using frontend::NameUse;
using llvm::lsp::LSPError;

namespace {

/// A declared name by where it is declared, the same in all programs.
struct Symbol {
  std::string path;
  size_t offset = 0;
  std::string name;
  frontend::NameKind kind = frontend::NameKind::Variable;
};

/// A place by its file and first byte.
using Use = std::pair<std::string, size_t>;

llvm::Error failed(const llvm::Twine &message) {
  return llvm::make_error<LSPError>(message.str(), llvm::lsp::ErrorCode::RequestFailed);
}

} // namespace

static std::optional<Symbol> symbolAt(Analysis &analysis, llvm::lsp::Position position) {
  const NameUse *use = analysis.nameAt(offsetOf(analysis.text(), position));
  if (!use)
    return std::nullopt;
  const char *begin = use->place.Start.getPointer();
  return Symbol{analysis.pathOf(use->declared.Start), analysis.offsetOf(use->declared.Start),
                std::string(begin, use->place.End.getPointer()), use->kind};
}

/// Every place in all programs where the symbol is named, with the text that the place is in.
static std::map<Use, llvm::lsp::Location> usesOf(const Symbol &symbol, Workspace &workspace) {
  std::map<Use, llvm::lsp::Location> uses;
  for (const std::string &program : workspace.programsWith(symbol.name, symbol.path)) {
    Analysis &analysis = workspace.analysis(program);
    for (const NameUse &use : analysis.names())
      if (analysis.offsetOf(use.declared.Start) == symbol.offset && analysis.pathOf(use.declared.Start) == symbol.path)
        if (std::optional<llvm::lsp::Location> place = analysis.location(use.place))
          uses.insert({{analysis.pathOf(use.place.Start), analysis.offsetOf(use.place.Start)}, *place});
  }
  return uses;
}

std::vector<llvm::lsp::Location> lsp::definition(Analysis &analysis, llvm::lsp::Position position) {
  const size_t offset = offsetOf(analysis.text(), position);
  if (!analysis.source())
    return {};
  for (const frontend::Import &import : analysis.source()->main().imports)
    if (import.file && import.range.Start.getPointer() <= analysis.address(offset) &&
        analysis.address(offset) < import.range.End.getPointer()) {
      if (llvm::Expected<llvm::lsp::URIForFile> uri = llvm::lsp::URIForFile::fromFile(canonicalPath(import.file->path)))
        return {llvm::lsp::Location(*uri, llvm::lsp::Range())};
      else
        llvm::consumeError(uri.takeError());
    }
  if (const NameUse *use = analysis.nameAt(offset))
    if (std::optional<llvm::lsp::Location> place = analysis.location(use->declared))
      return {*place};
  return {};
}

std::vector<llvm::lsp::Location> lsp::references(Workspace &workspace, const std::string &path,
                                                 llvm::lsp::Position position, bool withDeclaration) {
  std::vector<llvm::lsp::Location> found;
  if (std::optional<Symbol> symbol = symbolAt(workspace.analysis(path), position))
    for (const auto &[use, place] : usesOf(*symbol, workspace))
      if (withDeclaration || use != Use(symbol->path, symbol->offset))
        found.push_back(place);
  return found;
}

static llvm::Expected<Symbol> renamable(Workspace &workspace, const std::string &path, llvm::lsp::Position position) {
  std::optional<Symbol> symbol = symbolAt(workspace.analysis(path), position);
  if (!symbol)
    return failed("there is no name here that a program declares");
  if (workspace.isInStandardLibrary(symbol->path))
    return failed("'" + symbol->name + "' belongs to the standard library");
  if (symbol->kind == frontend::NameKind::Dimension)
    return failed("sequences carry the names of their dimensions into other functions; rename '" + symbol->name +
                  "' by hand");
  return *symbol;
}

llvm::Expected<llvm::lsp::Range> lsp::renamed(Workspace &workspace, const std::string &path,
                                              llvm::lsp::Position position) {
  llvm::Expected<Symbol> symbol = renamable(workspace, path, position);
  if (!symbol)
    return symbol.takeError();
  Analysis &analysis = workspace.analysis(path);
  return analysis.range(analysis.nameAt(offsetOf(analysis.text(), position))->place);
}

/// What is wrong with the names of a program.
static std::vector<std::string> mistakes(const Analysis &analysis) {
  frontend::Diagnostics diagnostics;
  if (analysis.source())
    frontend::check(*analysis.source(), diagnostics);
  std::vector<std::string> texts;
  for (const frontend::Diagnostics::Message &message : diagnostics.messages())
    texts.push_back(message.text);
  return texts;
}

/// What every name of a program's main file means, without the spelling of names.
static std::vector<std::string> meanings(Analysis &analysis) {
  std::map<const char *, size_t> own;
  std::vector<std::string> result;
  for (const NameUse &use : analysis.names())
    if (analysis.pathOf(use.place.Start) == analysis.path)
      own.insert({use.place.Start.getPointer(), own.size()});
  for (const NameUse &use : analysis.names()) {
    if (!own.count(use.place.Start.getPointer()))
      continue;
    auto declared = own.find(use.declared.Start.getPointer());
    const llvm::lsp::Position elsewhere = analysis.range(use.declared).start;
    result.push_back(declared != own.end() ? std::to_string(declared->second)
                                           : analysis.pathOf(use.declared.Start) + std::to_string(elsewhere.line));
  }
  return result;
}

llvm::Expected<llvm::lsp::WorkspaceEdit> lsp::rename(Workspace &workspace, const std::string &path,
                                                     llvm::lsp::Position position, const std::string &name) {
  llvm::Expected<Symbol> symbol = renamable(workspace, path, position);
  if (!symbol)
    return symbol.takeError();
  if (!llvm::Regex("^[A-Za-z_][A-Za-z_0-9]*$").match(name) || llvm::is_contained(frontend::keywords(), name))
    return failed("'" + name + "' is no name");
  const std::map<Use, llvm::lsp::Location> uses = usesOf(*symbol, workspace);
  llvm::lsp::WorkspaceEdit edit;
  frontend::UnsavedTexts edited = workspace.unsaved();
  for (const auto &[use, place] : llvm::reverse(uses)) { // from the end, so that places stay
    const auto &[file, offset] = use;
    if (workspace.isInStandardLibrary(file))
      return failed("the standard library uses '" + symbol->name + "'");
    std::string &text = edited.try_emplace(file, workspace.analysis(file).text().str()).first->second;
    text.replace(offset, symbol->name.size(), name);
    edit.changes[place.uri.uri().str()].push_back({place.range, name});
  }
  for (const std::string &program : workspace.programsWith(symbol->name, symbol->path)) {
    Analysis &before = workspace.analysis(program);
    if (!before.isWhole())
      return failed("'" + program + "' has syntax errors: not every use of '" + symbol->name + "' can be found");
    Analysis after(program, workspace.libraryFolders(), edited);
    const std::vector<std::string> known = mistakes(before);
    for (const std::string &mistake : mistakes(after))
      if (!llvm::is_contained(known, mistake))
        return failed("'" + symbol->name + "' cannot be '" + name + "': " + mistake);
    if (meanings(before) != meanings(after))
      return failed("'" + symbol->name + "' cannot be '" + name + "': that name means something else here");
  }
  return edit;
}
