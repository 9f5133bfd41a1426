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
  stack.run(
      [&] { callFunction(function, std::move(arguments), places, function.name.range.Start, *context.builder, {}); });
}

void Elaborator::probe(const TypeDecl &type) {
  recordType(type, std::vector<TypeRef>(type.generics.size(), scalarType("f32")));
}

namespace {

/// What sizes are tried with; all of them are the same at a time.
constexpr int64_t triedSizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 32, 50, 64, 100, 128, 256, 512, 1000, 1024};
/// What an only type without a default is tried with.
const char *const triedTypes[] = {"f32", "i32", "u32", "complex<f32>", "mod<998244353>", "bool"};

/// What is wrong with an algorithm when all its sizes are one number. What finding out took is added to `taken`.
std::optional<Elaborator::Mistake> mistakeWith(int64_t size, const TypeMap &types, const Source &source,
                                               const Function &algorithm, Diagnostics &diagnostics, int64_t &taken) {
  SizeMap sizes;
  for (const Expr *named : sizesOf(algorithm))
    sizes[named->name] = size;
  Elaborator elaborator(source, diagnostics);
  elaborator.most = Elaborator::tried;
  try {
    elaborator.run(algorithm, sizes, types);
  } catch (const ElaborationFailed &) {
    taken += elaborator.taken();
    return elaborator.mistake;
  }
  return std::nullopt;
}

/// The mistake that most of the sizes tried have at one place, and the largest of these sizes: what small ones lack is
/// another, and so is what numbers of large ones do not fit. Nothing if a size is right, or no two have the same. Sizes
/// that the program refuses itself, or that are too large for any machine, say nothing. Larger sizes are not tried when
/// the others took long.
std::optional<std::pair<int64_t, Elaborator::Mistake>> commonMistake(const TypeMap &types, const Source &source,
                                                                     const Function &algorithm) {
  Diagnostics unseen;
  struct Common {
    int64_t count, size; // the largest
    Elaborator::Mistake mistake;
  };
  std::vector<Common> places; // in the order of their largest sizes
  int64_t taken = 0;
  for (int64_t size : triedSizes) {
    if (taken > Elaborator::tried.work)
      break;
    std::optional<Elaborator::Mistake> found = mistakeWith(size, types, source, algorithm, unseen, taken);
    if (!found)
      return std::nullopt;
    if (found->isTooLong)
      break; // larger sizes take no less
    if (found->isOutside)
      continue;
    auto known = std::find_if(places.begin(), places.end(),
                              [&](const Common &common) { return common.mistake.loc == found->loc; });
    int64_t count = 1;
    if (known != places.end()) {
      count += known->count;
      places.erase(known);
    }
    places.push_back({count, size, std::move(*found)});
  }
  const Common *most = nullptr;
  for (const Common &common : places)
    if (common.count > 1 && (!most || common.count >= most->count))
      most = &common;
  return most ? std::optional(std::pair(most->size, most->mistake)) : std::nullopt;
}

/// Reports what is wrong where no choice is right that is tried. A type without a default may be a record that the file
/// does not know, which has fields that the types tried have not.
bool probeAlgorithm(const Source &source, const Function &algorithm, Diagnostics &diagnostics) {
  std::vector<TypeMap> choices(1);
  for (const Generic &generic : algorithm.generics) {
    if (generic.hasDefault())
      continue;
    if (generic.kind != Generic::Kind::Type || choices.size() > 1)
      return true;
    choices.clear();
    for (const char *type : triedTypes)
      choices.push_back({{generic.name.text, type}});
  }
  std::optional<std::pair<int64_t, Elaborator::Mistake>> first;
  for (const TypeMap &types : choices) {
    auto found = commonMistake(types, source, algorithm);
    if (!found || (choices.size() > 1 && found->second.isField) || (first && first->second.loc != found->second.loc))
      return true;
    if (!first)
      first = std::move(found);
  }
  int64_t taken = 0;
  return !mistakeWith(first->first, choices.front(), source, algorithm, diagnostics, taken);
}

} // namespace

bool checkBodies(const Source &source, Diagnostics &diagnostics) {
  if (!check(source, diagnostics))
    return false;
  bool good = true;
  auto probe = [&](const auto &declared) {
    try {
      Elaborator(source, diagnostics).probe(declared);
    } catch (const ElaborationFailed &) {
      good = false;
    }
  };
  for (const auto &type : source.main().types)
    probe(*type);
  for (const auto &function : source.main().functions) {
    if (function->kind == Function::Kind::Algorithm) {
      good &= probeAlgorithm(source, *function, diagnostics);
      continue;
    }
    if (function->generics.empty())
      probe(*function);
  }
  return good;
}

} // namespace idc::frontend
