#include "compiler/lsp/Features.h"
#include "compiler/lsp/Positions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace idc;
using namespace idc::lsp;
using frontend::NameKind;
using frontend::NameUse;
using frontend::Observation;
using frontend::Observations;

/// Passes of a loop that are shown.
static constexpr size_t shownPasses = 6;

static std::string code(llvm::StringRef text) { return ("```id\n" + text + "\n```\n").str(); }

/// The name that stands at a byte of a text, or ends there.
static llvm::StringRef wordAt(llvm::StringRef text, size_t offset) {
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  size_t begin = offset, end = offset;
  while (begin > 0 && isPart(text[begin - 1]))
    --begin;
  while (end < text.size() && isPart(text[end]))
    ++end;
  return text.slice(begin, end);
}

/// What is declared, as it is written.
static std::string declaration(Analysis &analysis, const NameUse &use, llvm::StringRef name, size_t offset) {
  const frontend::Source &source = *analysis.source();
  const llvm::SMLoc at = use.declared.Start;
  if (const frontend::Function *function = functionDeclaredAt(source, at))
    return code(signatureOf(function->range)) + function->doc;
  if (const frontend::Const *constant = constantDeclaredAt(source, at))
    return code("const " + constant->name.text + " = " + printExpr(*constant->value)) + constant->doc;
  if (const frontend::TypeDecl *record = recordDeclaredAt(source, at)) {
    std::string text = "type " + record->name.text + " = {";
    for (auto [i, field] : llvm::enumerate(record->fields))
      text += (i ? ", " : " ") + field.name.text + ": " + printType(*field.type);
    return code(text + " }") + record->doc;
  }
  for (const auto &file : source.files) {
    for (const auto &function : file->functions)
      for (const frontend::Param &param : function->params)
        if (param.name.range.Start == at)
          return code(param.name.text + ": " + printType(*param.type));
    for (const auto &record : file->types)
      for (const frontend::Param &field : record->fields)
        if (field.name.range.Start == at)
          return code(record->name.text + "." + field.name.text + ": " + printType(*field.type)) + record->doc;
  }
  const char *kind = use.kind == NameKind::Size           ? "size"
                     : use.kind == NameKind::TypeVariable ? "type variable"
                     : use.kind == NameKind::Parameter    ? "parameter in <..>"
                     : use.kind == NameKind::Dimension    ? "dimension"
                                                          : "variable";
  const frontend::Function *owner = analysis.functionAt(offset);
  const bool ofOwner = use.kind != NameKind::Variable && owner;
  return llvm::formatv("{0} `{1}`{2}\n", kind, name, ofOwner ? " of" : "").str() +
         (ofOwner ? code(signatureOf(owner->range)) : "");
}

/// What was seen at the smallest part that begins at a place; null when it was not reached.
static const std::vector<Observation> *seenAt(const std::map<frontend::Place, std::vector<Observation>> &seen,
                                              const char *begin) {
  auto at = seen.lower_bound({begin, nullptr});
  return at != seen.end() && at->first.first == begin ? &at->second : nullptr;
}

/// Values, shapes and digits of the place in a run of its algorithm, or of one that calls its function.
static std::string observed(Analysis &analysis, const char *begin, size_t offset) {
  std::vector<const frontend::Function *> algorithms;
  const frontend::Function *owner = analysis.functionAt(offset);
  for (const auto &function : analysis.source()->main().functions)
    if (function->kind == frontend::Function::Kind::Algorithm)
      algorithms.insert(function.get() == owner ? algorithms.begin() : algorithms.end(), function.get());
  for (const frontend::Function *algorithm : algorithms) {
    const Observations &run = analysis.observations(*algorithm);
    const std::vector<Observation> *seen = seenAt(algorithm == owner ? run.inEntry : run.inCalls, begin);
    if (!seen)
      continue;
    std::vector<std::string> passes;
    for (const Observation &pass : *seen) {
      std::string text = "`" + pass.value + "`";
      if (!pass.digits.empty())
        text += " digits ⟨" + llvm::join(pass.digits, " ") + "⟩";
      if (passes.empty() || passes.back() != text)
        passes.push_back(text);
    }
    if (passes.size() > shownPasses) {
      passes.resize(shownPasses);
      passes.push_back("…");
    }
    return "\n---\n`" + algorithm->name.text + "` with " + run.settings + ": " + llvm::join(passes, ", ") + "\n";
  }
  return "";
}

std::optional<llvm::lsp::Hover> lsp::hover(Analysis &analysis, llvm::lsp::Position position) {
  if (!analysis.source())
    return std::nullopt;
  const size_t offset = offsetOf(analysis.text(), position);
  const llvm::StringRef word = wordAt(analysis.text(), offset);
  const NameUse *use = analysis.nameAt(offset);
  std::string text;
  llvm::SMRange place;
  if (use) {
    place = use->place;
    const char *begin = place.Start.getPointer();
    text = declaration(analysis, *use, {begin, static_cast<size_t>(place.End.getPointer() - begin)}, offset);
  } else if (!word.empty()) {
    place = {llvm::SMLoc::getFromPointer(word.begin()), llvm::SMLoc::getFromPointer(word.end())};
    if (llvm::is_contained(frontend::builtinFunctions(), word))
      text = ("`" + word + "` is defined by the language\n").str();
  } else {
    return std::nullopt;
  }
  text += observed(analysis, place.Start.getPointer(), offset);
  if (text.empty())
    return std::nullopt;
  llvm::lsp::Hover result(analysis.range(place));
  result.contents.value = text;
  return result;
}
