// Named expressions of digits: `let parity = digit(1) + digit(2);` in an algorithm.
//
// The digits are those of the stage that uses the name, so what is bound is the expression itself with what names
// mean at this point; each stage evaluates it as if it stood there.
#include "compiler/frontend/Elaborator.h"

#include <algorithm>

namespace idc::frontend {

bool namesDigits(const Expr &expr, const SourceFile &file, const std::function<bool(const std::string &)> &isNamed) {
  if (expr.kind == Expr::Kind::Pipe)
    return false;
  if (expr.kind == Expr::Kind::Variable)
    return isNamed(expr.name);
  if (expr.kind == Expr::Kind::Call) {
    if (isDigitFunction(expr.name))
      return true;
    const Function *callee = findFunction(file, expr.name);
    if (callee ? callee->kind == Function::Kind::Algorithm : expr.name == "generate")
      return false;
  }
  return std::any_of(expr.arguments.begin(), expr.arguments.end(),
                     [&](const ExprPtr &argument) { return namesDigits(*argument, file, isNamed); });
}

bool Elaborator::bindsDigits(const Statement &statement, Context &context) const {
  return context.isAlgorithm() && statement.names.size() == 1 &&
         namesDigits(*statement.values[0], *context.file, [&](const std::string &name) {
           const Value *value = context.find(name);
           return value && value->kind == Value::Kind::Digits;
         });
}

Value Elaborator::namedDigits(const Statement &statement, const Context &context) {
  auto named = std::make_shared<NamedDigits>();
  named->statement = &statement;
  named->context = context;
  named->context.builder = nullptr;
  named->context.stage = nullptr;
  Value value;
  value.kind = Value::Kind::Digits;
  value.digits = std::move(named);
  return value;
}

Value Elaborator::evalNamed(const Expr &use, const NamedDigits &named, Context &context) {
  if (!context.stage)
    fail(use, "'" + use.name + "' is made of digits, which are those of a stage: it may stand only where 'digit' may");
  if (auto known = context.stage->named.find({&named, context.builder}); known != context.stage->named.end())
    return known->second;
  const Statement &statement = *named.statement;
  Context inner = named.context;
  inner.builder = context.builder;
  inner.stage = context.stage;
  frames.push_back({statement.names[0].text, statement.names[0].range.Start, nullptr, use.loc, ""});
  Value value = statement.type ? declared(statement, inner) : eval(*statement.values[0], inner);
  frames.pop_back();
  return context.stage->named[{&named, context.builder}] = std::move(value);
}

} // namespace idc::frontend
