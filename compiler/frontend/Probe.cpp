// What is wrong with functions whatever they are used for: found by running them, without an entry and without sizes.
#include "compiler/frontend/Elaborator.h"

#include <algorithm>

namespace idc::frontend {

void Elaborator::probe(const Function &function) {
  Context context = contextIn(*function.file, &function);
  std::vector<Value> arguments;
  std::vector<llvm::SMLoc> places;
  for (const Param &param : function.params) {
    std::set<std::string> open;
    for (const Dimension &dimension : param.type->dimensions)
      freeNames(*dimension.length, context, open);
    if (!open.empty())
      return;
    TypeRef type = resolveType(*param.type, context, true);
    std::vector<int> ids;
    for (const TypeRef &leaf : leaves(type))
      ids.push_back(context.builder->param(leaf));
    size_t next = 0;
    arguments.push_back(assemble(type, *context.builder, ids, next));
    places.push_back(param.name.range.Start);
  }
  callFunction(function, std::move(arguments), places, function.name.range.Start, *context.builder, {});
}

namespace {

/// The sizes of an algorithm: names in its parameters' shapes that are no constants and no parameters in <..>.
std::set<std::string> sizesOf(const Function &algorithm) {
  std::set<std::string> names;
  std::function<void(const Expr &)> collect = [&](const Expr &expr) {
    if (expr.kind == Expr::Kind::Variable && !findConst(*algorithm.file, expr.name) &&
        !findGeneric(algorithm, expr.name))
      names.insert(expr.name);
    for (const ExprPtr &argument : expr.arguments)
      collect(*argument);
  };
  for (const Param &param : algorithm.params)
    for (const Dimension &dimension : param.type->dimensions)
      collect(*dimension.length);
  return names;
}

/// Elaborates an algorithm with every size the same small number. What is the same mistake for all of them depends on
/// no size, unless the program itself refuses them, or a large one is right.
bool probeAlgorithm(const Source &source, const Function &algorithm, Diagnostics &diagnostics) {
  const std::set<std::string> names = sizesOf(algorithm);
  std::optional<std::pair<const char *, std::string>> common;
  auto isRight = [&](int64_t size, Diagnostics &found) {
    SizeMap sizes;
    for (const std::string &name : names)
      sizes[name] = size;
    Elaborator elaborator(source, found);
    try {
      elaborator.run(algorithm, sizes, {});
      return true;
    } catch (const ElaborationFailed &) {
    }
    const bool isOther = elaborator.refused || (common && *common != elaborator.mistake);
    common = elaborator.mistake;
    return isOther;
  };
  Diagnostics unseen;
  for (int64_t size : {1, 2, 3, 4, 5, 6, 8})
    if (isRight(size, unseen))
      return true;
  common.reset();
  constexpr int64_t large = 1000;
  return isRight(large, unseen) || (common.reset(), isRight(8, diagnostics));
}

} // namespace

bool checkBodies(const Source &source, Diagnostics &diagnostics) {
  if (!check(source, diagnostics))
    return false;
  bool good = true;
  for (const auto &function : source.main().functions) {
    const bool isAlgorithm = function->kind == Function::Kind::Algorithm;
    const bool isOpen = std::any_of(function->generics.begin(), function->generics.end(),
                                    [&](const Generic &generic) { return !isAlgorithm || !generic.hasDefault(); });
    if (isOpen)
      continue;
    if (isAlgorithm) {
      good &= probeAlgorithm(source, *function, diagnostics);
      continue;
    }
    try {
      Elaborator(source, diagnostics).probe(*function);
    } catch (const ElaborationFailed &) {
      good = false;
    }
  }
  return good;
}

} // namespace idc::frontend
