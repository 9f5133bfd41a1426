#include "compiler/library/Description.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace idc;
using llvm::json::Array;
using llvm::json::Object;
using llvm::json::Value;

/// A constant of the program stands as its value.
static Value toJson(const frontend::Expr &expression, const frontend::SourceFile &file) {
  using Kind = frontend::Expr::Kind;
  auto applied = [&](const std::string &name) {
    Array array{name};
    for (const frontend::ExprPtr &argument : expression.arguments)
      array.push_back(toJson(*argument, file));
    return array;
  };
  int64_t number = 0;
  switch (expression.kind) {
  case Kind::Integer:
    if (!llvm::StringRef(expression.text).getAsInteger(0, number))
      return number;
    break;
  case Kind::Variable:
    if (const frontend::Const *constant = frontend::findConst(file, expression.name))
      return toJson(*constant->value, constant->file ? *constant->file : file);
    return expression.name;
  case Kind::Unary:
  case Kind::Binary:
  case Kind::Call:
    return applied(expression.name);
  default:
    break;
  }
  return Array{"other", frontend::printExpr(expression)};
}

static Object toJson(const std::string &name, const frontend::TypeExpr &type, const frontend::SourceFile &file) {
  Array dimensions;
  for (const frontend::Dimension &dimension : type.dimensions)
    dimensions.push_back(toJson(*dimension.length, file));
  const std::string text = frontend::printType(type);
  // The dimensions follow the element, whose own brackets are <> and {}.
  return Object{{"name", name},
                {"text", text},
                {"element", llvm::StringRef(text).split('[').first.str()},
                {"dimensions", std::move(dimensions)}};
}

static Value defaultOf(const frontend::Generic &generic) {
  if (generic.fallback)
    return frontend::printType(*generic.fallback);
  if (generic.value)
    return frontend::printExpr(*generic.value);
  if (generic.low)
    return frontend::printExpr(*generic.low);
  return nullptr;
}

std::string library::describe(const frontend::Source &source) {
  const frontend::SourceFile &file = source.main();
  Array algorithms;
  for (const auto &function : file.functions) {
    if (function->kind != frontend::Function::Kind::Algorithm)
      continue;
    Array generics, parameters, results;
    for (const frontend::Generic &generic : function->generics)
      generics.push_back(
          Object{{"name", generic.name.text}, {"kind", frontend::kindName(generic)}, {"default", defaultOf(generic)}});
    for (const frontend::Param &parameter : function->params)
      parameters.push_back(toJson(parameter.name.text, *parameter.type, file));
    for (size_t i = 0; i < function->results.size(); ++i)
      results.push_back(toJson("y" + std::to_string(i), *function->results[i], file));
    algorithms.push_back(Object{{"name", function->name.text},
                                {"doc", llvm::StringRef(function->doc).rtrim()},
                                {"generics", std::move(generics)},
                                {"parameters", std::move(parameters)},
                                {"results", std::move(results)}});
  }
  return llvm::formatv("{0}", Value(std::move(algorithms))).str();
}
