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

/// What is wrong with an algorithm when all its sizes are one number.
std::optional<Elaborator::Mistake> mistakeWith(int64_t size, const Source &source, const Function &algorithm,
                                               Diagnostics &diagnostics) {
  SizeMap sizes;
  for (const Expr *named : sizesOf(algorithm))
    sizes[named->name] = size;
  Elaborator elaborator(source, diagnostics);
  try {
    elaborator.run(algorithm, sizes, {});
  } catch (const ElaborationFailed &) {
    return elaborator.mistake;
  }
  return std::nullopt;
}

/// Reports what is wrong where no size tried is right: the mistake with the largest one, if the one before it has it at
/// the same place (what small sizes lack is another). Sizes that the program refuses itself, or that are too large for
/// any machine, say nothing.
bool probeAlgorithm(const Source &source, const Function &algorithm, Diagnostics &diagnostics) {
  Diagnostics unseen;
  std::optional<std::pair<int64_t, Elaborator::Mistake>> last;
  bool isCommon = false;
  for (int64_t size : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 32, 50, 64, 100, 128, 256, 512, 1000, 1024}) {
    std::optional<Elaborator::Mistake> found = mistakeWith(size, source, algorithm, unseen);
    if (!found)
      return true;
    if (found->isOutside)
      continue;
    isCommon = last && last->second.loc == found->loc;
    last = {size, std::move(*found)};
  }
  return !isCommon || !mistakeWith(last->first, source, algorithm, diagnostics);
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
