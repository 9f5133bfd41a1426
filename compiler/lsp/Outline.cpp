#include "compiler/lsp/Features.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace idc;
using llvm::lsp::DocumentSymbol;
using llvm::lsp::SymbolKind;

std::string lsp::signatureOf(llvm::SMRange declaration) {
  const char *begin = declaration.Start.getPointer();
  llvm::StringRef text(begin, static_cast<size_t>(declaration.End.getPointer() - begin));
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text.take_until([](char c) { return c == '{'; }), words, " \t\r\n");
  return llvm::join(words, " ");
}

template <typename Decl>
static const Decl *declaredAt(const frontend::Source &source, llvm::SMLoc name,
                              const std::vector<std::unique_ptr<Decl>> frontend::SourceFile::*list) {
  for (const auto &file : source.files)
    for (const auto &decl : (*file).*list)
      if (decl->name.range.Start == name)
        return decl.get();
  return nullptr;
}

const frontend::Function *lsp::functionDeclaredAt(const frontend::Source &source, llvm::SMLoc name) {
  return declaredAt(source, name, &frontend::SourceFile::functions);
}
const frontend::TypeDecl *lsp::recordDeclaredAt(const frontend::Source &source, llvm::SMLoc name) {
  return declaredAt(source, name, &frontend::SourceFile::types);
}
const frontend::Const *lsp::constantDeclaredAt(const frontend::Source &source, llvm::SMLoc name) {
  return declaredAt(source, name, &frontend::SourceFile::consts);
}

std::vector<DocumentSymbol> lsp::outline(Analysis &analysis) {
  std::vector<DocumentSymbol> symbols;
  if (!analysis.source())
    return symbols;
  const frontend::SourceFile &file = analysis.source()->main();
  auto add = [&](const frontend::Name &name, llvm::SMRange whole, SymbolKind kind, std::string detail) {
    symbols.emplace_back(name.text, kind, analysis.range(whole), analysis.range(name.range));
    symbols.back().detail = std::move(detail);
  };
  for (const auto &constant : file.consts)
    add(constant->name, {constant->name.range.Start, constant->value->range.End}, SymbolKind::Constant, "const");
  for (const auto &record : file.types) {
    const llvm::SMLoc end = record->fields.empty() ? record->name.range.End : record->fields.back().type->range.End;
    add(record->name, {record->name.range.Start, end}, SymbolKind::Struct, "type");
    for (const frontend::Param &field : record->fields)
      symbols.back().children.emplace_back(field.name.text, SymbolKind::Field,
                                           analysis.range({field.name.range.Start, field.type->range.End}),
                                           analysis.range(field.name.range));
  }
  for (const auto &function : file.functions)
    add(function->name, function->range, SymbolKind::Function, kindName(function->kind));
  return symbols;
}
