#include "compiler/lsp/Features.h"
#include "compiler/lsp/Positions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace idc;
using namespace idc::lsp;
using frontend::Function;
using llvm::lsp::CompletionItem;
using llvm::lsp::CompletionItemKind;

namespace {

/// The names that may stand at one place. What is nearer comes first.
class Completer {
public:
  Completer(Workspace &workspace, Analysis &analysis, size_t offset)
      : workspace(workspace), analysis(analysis), offset(offset) {}

  llvm::lsp::CompletionList list() {
    const llvm::StringRef line = analysis.text().take_front(offset).rsplit('\n').second;
    const llvm::StringRef before = offset && line.empty() && !analysis.text().take_front(offset).contains('\n')
                                       ? analysis.text().take_front(offset)
                                       : line;
    if (before.contains("//"))
      return {};
    if (before.ltrim().starts_with("import")) {
      importable();
      return std::move(found);
    }
    const llvm::StringRef behind =
        before
            .take_front(before.find_last_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") + 1)
            .rtrim();
    if (behind.ends_with(".") && !behind.ends_with("..")) {
      fields();
      return std::move(found);
    }
    const bool isStage = behind.ends_with("|>");
    if (!isStage)
      inScope();
    std::set<const frontend::SourceFile *> seen;
    if (analysis.source())
      declared(analysis.source()->main(), seen, isStage);
    for (const std::string &name : frontend::builtinFunctions())
      add(name, CompletionItemKind::Function, "of the language", "3");
    library();
    for (const std::string &name : isStage ? std::vector<std::string>() : frontend::builtinTypes())
      add(name, CompletionItemKind::TypeParameter, "type", "3");
    for (const std::string &word : isStage ? std::vector<std::string>() : frontend::keywords())
      add(word, CompletionItemKind::Keyword, "", "5");
    return std::move(found);
  }

private:
  CompletionItem &add(const std::string &name, CompletionItemKind kind, const std::string &detail,
                      const std::string &order) {
    if (!names.insert(name).second)
      return unused = CompletionItem();
    CompletionItem &item = found.items.emplace_back(name, kind, order + name);
    item.detail = detail;
    return item;
  }

  void importable() {
    std::vector<std::string> folders = {llvm::sys::path::parent_path(analysis.path).str()};
    folders.insert(folders.end(), analysis.folders.begin(), analysis.folders.end());
    for (const std::string &folder : folders) {
      std::error_code error;
      for (llvm::sys::fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
        if (llvm::StringRef name = llvm::sys::path::filename(entry->path());
            name.ends_with(".id") && entry->path() != analysis.path)
          add(name.str(), CompletionItemKind::File, folder, "0");
    }
  }

  void fields() {
    for (const auto &file : analysis.source() ? analysis.source()->files : noFiles)
      for (const auto &record : file->types)
        for (const frontend::Param &field : record->fields)
          add(field.name.text, CompletionItemKind::Field, record->name.text + ": " + printType(*field.type), "0");
  }

  void inScope() {
    const Function *function = analysis.functionAt(offset);
    if (!function)
      return;
    block(function->body);
    for (const frontend::Param &param : function->params)
      add(param.name.text, CompletionItemKind::Variable, printType(*param.type), "0");
    for (const frontend::Generic &generic : function->generics)
      add(generic.name.text, CompletionItemKind::TypeParameter, kindName(generic), "1");
    for (const frontend::NameUse &use : analysis.names())
      if ((use.kind == frontend::NameKind::Size || use.kind == frontend::NameKind::Dimension) &&
          use.place.Start == use.declared.Start && analysis.pathOf(use.place.Start) == analysis.path &&
          analysis.functionAt(analysis.offsetOf(use.place.Start)) == function)
        add({use.place.Start.getPointer(), use.place.End.getPointer()}, CompletionItemKind::Variable,
            use.kind == frontend::NameKind::Size ? "size" : "dimension", "1");
  }

  /// What is bound before the place, in the blocks around it.
  void block(const frontend::Block &statements) {
    for (const auto &statement : statements) {
      if (statement->range.Start.getPointer() >= analysis.address(offset))
        return;
      const bool isAround = analysis.address(offset) <= statement->range.End.getPointer();
      const bool binds = statement->kind == frontend::Statement::Kind::Let
                             ? !isAround
                             : statement->kind == frontend::Statement::Kind::For && isAround;
      for (const frontend::Name &name : binds ? statement->names : std::vector<frontend::Name>())
        add(name.text, CompletionItemKind::Variable, "variable", "0");
      if (isAround)
        for (const frontend::Block &inner : statement->blocks)
          block(inner);
    }
  }

  void declared(const frontend::SourceFile &file, std::set<const frontend::SourceFile *> &seen, bool onlyFunctions) {
    if (!seen.insert(&file).second)
      return;
    for (const auto &function : file.functions) {
      CompletionItem &item = add(function->name.text, CompletionItemKind::Function, signatureOf(function->range), "2");
      if (!function->doc.empty())
        item.documentation = llvm::lsp::MarkupContent{llvm::lsp::MarkupKind::Markdown, function->doc};
    }
    for (const auto &record : file.types)
      if (!onlyFunctions)
        add(record->name.text, CompletionItemKind::Struct, "type", "2");
    for (const auto &constant : file.consts)
      if (!onlyFunctions)
        add(constant->name.text, CompletionItemKind::Constant, printExpr(*constant->value), "2");
    for (const frontend::Import &import : file.imports)
      if (import.file)
        declared(*import.file, seen, onlyFunctions);
  }

  /// What an import would bring, together with the import.
  void library() {
    if (workspace.isInStandardLibrary(analysis.path))
      return;
    for (const frontend::LibraryFunction &function : frontend::libraryFunctions(analysis.folders)) {
      if (names.count(function.name))
        continue;
      CompletionItem &item =
          add(function.name, CompletionItemKind::Function, function.declaration + "  (" + function.import + ")", "4");
      const llvm::lsp::Position top = importPlace();
      item.additionalTextEdits = {{{top, top}, "import \"" + function.import + "\";\n"}};
    }
  }

  /// The line behind the imports; without any, the first one that is no comment.
  llvm::lsp::Position importPlace() const {
    if (analysis.source() && !analysis.source()->main().imports.empty())
      return {analysis.range(analysis.source()->main().imports.back().range).end.line + 1, 0};
    int line = 0;
    for (llvm::StringRef rest = analysis.text(); !rest.empty(); ++line) {
      auto [first, others] = rest.split('\n');
      if (!first.ltrim().starts_with("//") || first.ltrim().starts_with("///"))
        break;
      rest = others;
    }
    return {line, 0};
  }

  Workspace &workspace;
  Analysis &analysis;
  size_t offset;
  llvm::lsp::CompletionList found;
  std::set<std::string> names;
  CompletionItem unused;
  const std::vector<std::unique_ptr<frontend::SourceFile>> noFiles;
};

} // namespace

llvm::lsp::CompletionList lsp::complete(Workspace &workspace, const std::string &path, llvm::lsp::Position position) {
  Analysis &analysis = workspace.analysis(path);
  return Completer(workspace, analysis, offsetOf(analysis.text(), position)).list();
}
