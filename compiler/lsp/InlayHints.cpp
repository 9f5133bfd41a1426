#include "compiler/lsp/Features.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace idc;
using frontend::Block;
using frontend::Expr;
using frontend::Observation;

/// Calls `found` with the stages of an expression's pipes, which stand neither in arguments nor in digit lists.
static void stages(const Expr &expr, llvm::function_ref<void(const Expr &)> found) {
  for (const frontend::ExprPtr &argument : expr.arguments)
    stages(*argument, found);
  if (expr.kind == Expr::Kind::Pipe)
    found(expr);
}

static void stages(const Block &block, llvm::function_ref<void(const Expr &)> found) {
  for (const auto &statement : block) {
    for (const frontend::ExprPtr &value : statement->values)
      stages(*value, found);
    for (const Block &inner : statement->blocks)
      stages(inner, found);
  }
}

static std::string label(const Observation &seen) { return "⟨" + llvm::join(seen.digits, " ") + "⟩"; }

std::vector<llvm::json::Value> lsp::inlayHints(Analysis &analysis, llvm::lsp::Range range) {
  std::vector<llvm::json::Value> hints;
  if (!analysis.source())
    return hints;
  for (const auto &function : analysis.source()->main().functions) {
    const llvm::lsp::Range whole = analysis.range(function->range);
    if (function->kind != frontend::Function::Kind::Algorithm || whole.end < range.start || range.end < whole.start)
      continue;
    const frontend::Observations &run = analysis.observations(*function);
    stages(function->body, [&](const Expr &stage) {
      auto seen = run.inEntry.find({stage.range.Start.getPointer(), stage.range.End.getPointer()});
      const llvm::lsp::Position end = analysis.range(stage.range).end;
      if (seen == run.inEntry.end() || seen->second[0].digits.empty() || end < range.start || range.end < end)
        return;
      llvm::lsp::InlayHint hint(llvm::lsp::InlayHintKind::Type, end);
      hint.paddingLeft = true;
      hint.label = label(seen->second[0]);
      std::string passes;
      bool changes = false;
      for (const Observation &pass : seen->second) {
        passes += "\n" + pass.value + " " + label(pass);
        changes |= pass.digits != seen->second[0].digits;
      }
      if (changes)
        hint.label += " …";
      llvm::json::Value json = toJSON(hint);
      (*json.getAsObject())["tooltip"] = "digits, the most significant first, with " + run.settings + ":" + passes;
      hints.push_back(std::move(json));
    });
  }
  return hints;
}
