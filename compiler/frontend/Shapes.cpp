// Types, type variables and shapes: resolving type expressions and binding sizes to what sequences have.
#include "compiler/frontend/Elaborator.h"

#include "dialect/digits/NumberTheory.h"

#include <algorithm>
#include <numeric>

namespace idc::frontend {

namespace {

constexpr int64_t maxElements = int64_t(1) << 62;

/// One factor of a length: `radix ^ exponent`, or a plain integer.
struct Factor {
  const Expr *radix = nullptr, *exponent = nullptr, *plain = nullptr;
  size_t dimension = 0;
};

void collectFactors(const Expr &expr, size_t dimension, std::vector<Factor> &out) {
  if (expr.kind == Expr::Kind::Binary && expr.name == "*") {
    collectFactors(*expr.arguments[0], dimension, out);
    collectFactors(*expr.arguments[1], dimension, out);
  } else if (expr.kind == Expr::Kind::Binary && expr.name == "^") {
    out.push_back({expr.arguments[0].get(), expr.arguments[1].get(), nullptr, dimension});
  } else {
    out.push_back({nullptr, nullptr, &expr, dimension});
  }
}

/// Prime factors with the smallest first (at the top).
std::vector<Int> primeFactors(Int value) {
  std::vector<Int> factors;
  for (Int p = 2; p * p <= value; ++p)
    while (value % p == 0) {
      factors.push_back(p);
      value /= p;
    }
  if (value > 1)
    factors.push_back(value);
  return factors;
}

constexpr int64_t maxPrimeFactor = (int64_t(1) << 31) - 1; // radices are 32 bits wide

std::string spellType(const TypeExpr &type) {
  std::string text;
  for (const Dimension &dimension : type.dimensions)
    text += "[" + (dimension.name.empty() ? "" : dimension.name + ": ") + printExpr(*dimension.length) + "]";
  return text;
}

bool isGeneric(const Function &function, const std::string &name) {
  const Generic *generic = findGeneric(function, name);
  return generic && generic->kind == Generic::Kind::Type;
}

} // namespace

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool isLaterScalar(const std::string &name) { return name == "i8" || name == "i16" || name == "u8" || name == "u16"; }

TypeRef scalarNamed(const std::string &name, const SourceFile &file) {
  return isLaterScalar(name) && findType(file, name) ? nullptr : scalarType(name);
}

TypeRef Elaborator::recordType(const TypeDecl &decl, const std::vector<TypeRef> &arguments) {
  std::string name = decl.name.text;
  for (size_t i = 0; i < arguments.size(); ++i)
    name += (i == 0 ? "<" : ", ") + spell(*arguments[i]);
  if (!arguments.empty())
    name += ">";
  std::string key = decl.file->path + "\n" + name;
  for (const auto &known : recordTypes)
    if (known.first == key) {
      if (!known.second)
        fail(decl.name.range.Start, "type '" + decl.name.text + "' contains itself", decl.name.range);
      return known.second;
    }
  if (recordTypes.size() > 1000 || name.size() > 2000)
    fail(decl.name.range.Start, "type '" + decl.name.text + "' contains itself, or others nested too deeply",
         decl.name.range);
  size_t slot = recordTypes.size();
  recordTypes.push_back({key, nullptr});
  auto type = std::make_shared<Type>();
  type->kind = Type::Kind::Record;
  type->name = name;
  type->arguments = arguments;
  Context context;
  context.file = decl.file;
  for (size_t i = 0; i < arguments.size(); ++i)
    context.types[decl.generics[i].name.text] = arguments[i];
  context.scopes.emplace_back();
  for (const Param &field : decl.fields)
    type->fields.push_back({field.name.text, resolveType(*field.type, context, true)});
  if (countLeaves(*type, maxElementNumbers) > maxElementNumbers)
    fail(decl.name.range.Start,
         "type '" + name + "' is made of more than " + std::to_string(maxElementNumbers) + " numbers", decl.name.range);
  recordTypes[slot].second = type;
  return type;
}

TypeRef Elaborator::resolveType(const TypeExpr &type, Context &context, bool withDimensions) {
  TypeRef result;
  switch (type.kind) {
  case TypeExpr::Kind::Mod: {
    Int modulus = evalInteger(*type.modulus, context, "a modulus");
    if (modulus < 2 || modulus > static_cast<Int>(UINT64_MAX))
      fail(*type.modulus, "the modulus " + spell(modulus) + " is out of range");
    uint64_t value = static_cast<uint64_t>(modulus);
    auto known = primes.find(value);
    if (known == primes.end())
      known = primes.insert({value, digits::isPrime(value)}).first;
    if (!known->second)
      fail(*type.modulus, "mod<P> needs a prime P, and " + spell(modulus) + " is not prime");
    result = modType(value);
    break;
  }
  case TypeExpr::Kind::Complex: {
    TypeRef real = resolveType(*type.arguments[0], context, true);
    if (!isReal(*real))
      fail(type.arguments[0]->range.Start, "complex needs a real type, not " + spell(*real), type.arguments[0]->range);
    result = complexType(real);
    break;
  }
  case TypeExpr::Kind::Name: {
    auto variable = context.types.find(type.name);
    if (variable != context.types.end()) {
      result = variable->second;
    } else if (TypeRef scalar = scalarNamed(type.name, *context.file)) {
      result = scalar;
    } else if (const TypeDecl *decl = findType(*context.file, type.name)) {
      std::vector<TypeRef> arguments;
      for (size_t i = 0; i < decl->generics.size(); ++i) {
        if (i < type.arguments.size()) {
          arguments.push_back(resolveType(*type.arguments[i], context, true));
        } else if (decl->generics[i].fallback) {
          Context scope;
          scope.file = decl->file;
          scope.scopes.emplace_back();
          arguments.push_back(resolveType(*decl->generics[i].fallback, scope, true));
        } else {
          fail(type.range.Start,
               "type '" + type.name + "' needs " + std::to_string(decl->generics.size()) + " type argument" +
                   (decl->generics.size() == 1 ? "" : "s"),
               type.range);
        }
      }
      if (type.arguments.size() > decl->generics.size())
        fail(type.range.Start,
             "type '" + type.name + "' has " + std::to_string(decl->generics.size()) + " type parameters, but " +
                 std::to_string(type.arguments.size()) + " are given",
             type.range);
      result = recordType(*decl, arguments);
      break;
    } else {
      fail(type.range.Start, "unknown type '" + type.name + "'", type.range);
    }
    if (!type.arguments.empty())
      fail(type.range.Start, "type '" + type.name + "' takes no type arguments", type.range);
    break;
  }
  }
  if (withDimensions)
    for (auto dimension = type.dimensions.rbegin(); dimension != type.dimensions.rend(); ++dimension) {
      Int length = evalInteger(*dimension->length, context, "an array length");
      if (length < 1 || length > maxArrayElements)
        fail(*dimension->length, "an array has 1 to " + spell(maxArrayElements) + " elements, not " + spell(length));
      result = arrayType(result, static_cast<int64_t>(length));
      if (countLeaves(*result, maxArrayNumbers) > maxArrayNumbers)
        fail(*dimension->length, "an array is made of at most " + std::to_string(maxArrayNumbers) + " numbers");
    }
  return result;
}

TypeRef Elaborator::closedType(const TypeExpr &type, Context &context) {
  std::set<std::string> open;
  for (const Dimension &dimension : type.dimensions)
    freeNames(*dimension.length, context, open);
  return open.empty() ? resolveType(type, context, true) : nullptr;
}

void Elaborator::bindTypes(const TypeExpr &pattern, bool withDimensions, const TypeRef &actual,
                           const Function &function, std::map<std::string, TypeRef> &types) {
  TypeRef type = actual;
  if (withDimensions)
    for (size_t i = 0; i < pattern.dimensions.size() && type; ++i)
      type = type->kind == Type::Kind::Array ? type->element : nullptr;
  if (!type)
    return;
  if (pattern.kind == TypeExpr::Kind::Complex) {
    if (type->kind == Type::Kind::Complex)
      bindTypes(*pattern.arguments[0], true, type->element, function, types);
  } else if (pattern.kind == TypeExpr::Kind::Name) {
    if (isGeneric(function, pattern.name))
      types.insert({pattern.name, type});
    else if (type->kind == Type::Kind::Record && type->name.substr(0, type->name.find('<')) == pattern.name)
      for (size_t i = 0; i < pattern.arguments.size() && i < type->arguments.size(); ++i)
        bindTypes(*pattern.arguments[i], true, type->arguments[i], function, types);
  }
}

void Elaborator::bindDefaults(const Function &function, Context &context, llvm::SMLoc loc) {
  for (const Generic &generic : function.generics) {
    if (generic.kind != Generic::Kind::Type || context.types.count(generic.name.text))
      continue;
    if (!generic.fallback)
      fail(loc, "the type '" + generic.name.text + "' of '" + function.name.text +
                    "' is bound by no argument and has no default; give it as in " + function.name.text + "<" +
                    generic.name.text + " = ..>");
    context.types[generic.name.text] = resolveType(*generic.fallback, context, true);
  }
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

std::vector<int> radicesOf(const SequenceView &view, const Program &program) {
  const std::vector<int> &full = program.values[view.value].radices;
  std::vector<int> radices(view.digits());
  for (size_t place = 0; place < view.tags.size(); ++place)
    if (view.tags[place] > 0)
      radices[view.tags[place] - 1] = full[place];
  return radices;
}

std::string shapeOf(const SequenceView &view, const Program &program) {
  std::vector<int> radices = radicesOf(view, program);
  std::reverse(radices.begin(), radices.end()); // most significant first
  std::string text;
  size_t next = 0;
  for (const auto &dimension : view.split) {
    std::string factors;
    for (size_t end = next + static_cast<size_t>(dimension.second); next < end;) {
      size_t first = next;
      while (next < end && radices[next] == radices[first])
        ++next;
      factors += (factors.empty() ? "" : " * ") + std::to_string(radices[first]) +
                 (next - first > 1 ? "^" + std::to_string(next - first) : "");
    }
    text += "[" + (dimension.first.empty() ? "" : dimension.first + ": ") + (factors.empty() ? "1" : factors) + "]";
  }
  return text;
}

int64_t Elaborator::lengthOf(const SequenceView &view) const {
  const std::vector<int> radices = radicesOf(view);
  return std::accumulate(radices.begin(), radices.end(), int64_t(1), std::multiplies<>());
}

int64_t Elaborator::lengthOf(const TypeExpr &type, Context &context) {
  std::vector<Factor> factors;
  std::set<std::string> open;
  for (const Dimension &dimension : type.dimensions) {
    collectFactors(*dimension.length, 0, factors);
    freeNames(*dimension.length, context, open);
  }
  if (!open.empty())
    return 0;
  Int product = 1;
  for (const Factor &factor : factors) {
    const Int base = evalInteger(factor.plain ? *factor.plain : *factor.radix, context, "a length");
    const Int count = factor.plain ? 1 : evalInteger(*factor.exponent, context, "a number of digits");
    if (base < 1 || count < 0)
      return 0;
    for (Int i = 0; i < count && base > 1; ++i)
      if ((product *= base) > maxElements)
        return 0;
  }
  return static_cast<int64_t>(product);
}

/// What a message adds where a sequence has another length than it should, if that is known.
static std::string otherLength(int64_t have, int64_t wanted) {
  return wanted == 0 || have == wanted ? ""
                                       : ": " + std::to_string(have) + (have == 1 ? " element" : " elements") +
                                             " instead of " + std::to_string(wanted);
}

void Elaborator::freeNames(const Expr &expr, Context &context, std::set<std::string> &names) {
  if (expr.kind == Expr::Kind::Variable && !context.find(expr.name) && !findConst(*context.file, expr.name))
    names.insert(expr.name);
  for (const ExprPtr &argument : expr.arguments)
    freeNames(*argument, context, names);
}

void Elaborator::appendRadices(const Expr &length, Context &context, std::vector<int> &radices, Int &product) {
  std::vector<Factor> factors;
  collectFactors(length, 0, factors);
  for (const Factor &factor : factors) {
    if (factor.plain) {
      Int value = evalInteger(*factor.plain, context, "a length");
      if (value < 1)
        fail(*factor.plain, "a length is at least 1, and '" + printExpr(*factor.plain) + "' is " + spell(value));
      std::vector<Int> primes;
      if (value <= (static_cast<Int>(1) << 40))
        primes = primeFactors(value);
      if (value > (static_cast<Int>(1) << 40) || (!primes.empty() && primes.back() > maxPrimeFactor))
        fail(*factor.plain, "the length " + spell(value) + " is too large");
      for (Int prime : primes)
        radices.push_back(static_cast<int>(prime));
      product *= value;
    } else {
      Int radix = evalInteger(*factor.radix, context, "a radix");
      Int exponent = evalInteger(*factor.exponent, context, "a number of digits");
      if (radix < 2 || radix > 65536)
        fail(*factor.radix, "a radix is between 2 and 65536, not " + spell(radix));
      if (exponent < 0)
        fail(*factor.exponent, "a sequence cannot have " + spell(exponent) + " digits");
      for (Int i = 0; i < exponent && product <= maxElements; ++i) {
        radices.push_back(static_cast<int>(radix));
        product *= radix;
      }
    }
    if (product > maxElements) {
      mistake.isOutside = true;
      fail(length, "the sequence cannot fit: '" + printExpr(length) + "' is more than 2^62 elements");
    }
  }
}

std::vector<int> Elaborator::shapeRadices(const TypeExpr &type, Context &context,
                                          std::vector<std::pair<std::string, int>> &split) {
  std::vector<int> radices; // most significant first while collecting
  Int product = 1;
  split.clear();
  for (const Dimension &dimension : type.dimensions) {
    size_t before = radices.size();
    appendRadices(*dimension.length, context, radices, product);
    split.push_back({dimension.name, static_cast<int>(radices.size() - before)});
  }
  std::reverse(radices.begin(), radices.end());
  return radices;
}

bool Elaborator::bindShape(const Param &param, const SequenceView &view, Context &context, llvm::SMLoc loc,
                           const std::string &callee) {
  const TypeExpr &type = *param.type;
  std::vector<int> radices = radicesOf(view);
  std::reverse(radices.begin(), radices.end()); // most significant first
  std::string what = "argument '" + param.name.text + "' of '" + callee + "' has the shape " + shapeOf(view) +
                     ", but " + spellType(type) + " is expected";
  auto known = [&](const Expr &expr) {
    std::set<std::string> names;
    freeNames(expr, context, names);
    return names.empty();
  };
  auto refuse = [&](const std::string &reason = "") {
    const int64_t have = lengthOf(view), wanted = lengthOf(type, context);
    const std::string lengths = otherLength(have, wanted);
    const char *hint = have > wanted ? "; crop or gather takes some of them" : "; pad adds some";
    fail(loc, what + (lengths.empty() ? reason : lengths + hint));
  };

  // Segments: dimension by dimension when the numbers agree, else all digits together.
  struct Segment {
    std::vector<Factor> factors;
    size_t first, count;
  };
  std::vector<Segment> segments;
  if (view.split.size() == type.dimensions.size()) {
    size_t first = 0;
    for (size_t i = 0; i < type.dimensions.size(); ++i) {
      segments.push_back({{}, first, static_cast<size_t>(view.split[i].second)});
      collectFactors(*type.dimensions[i].length, i, segments.back().factors);
      first += view.split[i].second;
    }
  } else {
    bool together = (type.dimensions.size() == 1 && type.dimensions[0].name.empty()) ||
                    (view.split.size() == 1 && view.split[0].first.empty());
    if (!together)
      fail(loc, what + ": it has " + std::to_string(view.split.size()) + " dimensions instead of " +
                    std::to_string(type.dimensions.size()));
    segments.push_back({{}, 0, radices.size()});
    for (size_t i = 0; i < type.dimensions.size(); ++i)
      collectFactors(*type.dimensions[i].length, i, segments.back().factors);
  }

  bool complete = true;
  for (const Segment &segment : segments) {
    size_t next = segment.first, end = segment.first + segment.count;
    auto remaining = [&] {
      Int product = 1;
      for (size_t i = next; i < end; ++i)
        product *= radices[i];
      return product;
    };
    for (size_t f = 0; f < segment.factors.size(); ++f) {
      const Factor &factor = segment.factors[f];
      if (factor.radix && !known(*factor.radix)) {
        complete = false;
        break;
      }
      Int target = -1; // product of the digits this factor takes
      Int radix = factor.radix ? evalInteger(*factor.radix, context, "a radix") : 0;
      if (factor.radix && radix < 2)
        fail(*factor.radix, "a radix is at least 2, not " + spell(radix));
      const Expr &open = factor.plain ? *factor.plain : *factor.exponent;
      if (known(open)) {
        Int value = evalInteger(open, context, factor.plain ? "a length" : "a number of digits");
        if (value < 0 || (factor.radix && value > 62))
          refuse();
        if (factor.plain) {
          target = value;
        } else {
          target = 1;
          for (Int i = 0; i < value; ++i)
            target = target > maxElements ? target : target * radix;
        }
      } else {
        // The factors below, when all are known, leave the rest to this one.
        Int below = 1;
        bool belowKnown = true;
        for (size_t g = f + 1; g < segment.factors.size() && belowKnown; ++g) {
          const Factor &other = segment.factors[g];
          belowKnown = other.plain ? known(*other.plain) : known(*other.radix) && known(*other.exponent);
          if (!belowKnown)
            break;
          Int size = 1;
          if (other.plain) {
            size = evalInteger(*other.plain, context, "a length");
          } else {
            Int base = evalInteger(*other.radix, context, "a radix");
            Int count = evalInteger(*other.exponent, context, "a number of digits");
            if (count < 0)
              refuse();
            for (Int i = 0; i < count && size <= maxElements; ++i)
              size *= base;
          }
          if (size < 1 || size > maxElements || below > maxElements / size)
            refuse();
          below *= size;
        }
        if (belowKnown) {
          Int all = remaining();
          if (all % below != 0)
            refuse(": " + spell(all) + " is no multiple of " + spell(below));
          target = all / below;
        } else if (factor.plain) {
          complete = false;
          break;
        } else {
          // A maximal run of this radix, if the next factor cannot continue it.
          const Factor &after = segment.factors[f + 1];
          if (after.plain || !known(*after.radix) || evalInteger(*after.radix, context, "a radix") == radix) {
            complete = false;
            break;
          }
          target = 1;
          for (size_t i = next; i < end && radices[i] == radix; ++i)
            target *= radix;
        }
      }
      // Take digits until their product is the target; `r^e` takes digits of radix r only.
      Int product = 1;
      size_t first = next;
      while (next < end && product < target) {
        if (factor.radix && radices[next] != radix) {
          bool powerOfTwo = radix == 2;
          fail(loc, what + ": digit " + std::to_string(radices.size() - next) + " has radix " +
                        std::to_string(radices[next]) + " where radix " + spell(radix) + " is needed" +
                        (powerOfTwo ? " (the length is not a power of two)" : ""));
        }
        product *= radices[next++];
      }
      if (product != target)
        refuse(": from digit " + std::to_string(radices.size() - first) + " down no digits have the product " +
               spell(target) +
               (target > 0 && lengthOf(view) % target == 0 ? "; crop to the same length gives it other digits" : ""));
      if (known(open))
        continue;
      // Solve for the one open name; the exponent must be linear in it.
      std::set<std::string> names;
      freeNames(open, context, names);
      if (names.size() > 1) {
        complete = false;
        break;
      }
      const std::string &name = *names.begin();
      Int wanted = factor.plain ? target : static_cast<Int>(next - first);
      auto at = [&](Int value) {
        context.scopes[0][name] = Value::integer(value, open.loc);
        Int result = evalInteger(open, context, "a size");
        context.scopes[0].erase(name);
        return result;
      };
      // At numbers for which no exponent below is negative.
      const Int large = 64, there = at(large), slope = at(large + 1) - there, zero = there - large * slope;
      if (slope == 0 || at(large + 2) != there + 2 * slope)
        fail(open,
             "the size '" + name + "' cannot be found from this: it must occur linearly, or in a parameter before");
      const Int value = (wanted - zero) / slope;
      if ((wanted - zero) % slope != 0 || value < 0 || at(value) != wanted)
        fail(loc, what + ": no " + name + " >= 0 fits");
      context.scopes[0][name] = Value::integer(value, open.loc);
    }
    if (complete && next != end)
      refuse();
  }
  return complete;
}

SequenceView Elaborator::matchShape(const TypeExpr &type, const SequenceView &view, Context &context, llvm::SMLoc loc,
                                    const std::string &what) {
  std::vector<int> have = radicesOf(view);
  std::reverse(have.begin(), have.end()); // most significant first
  SequenceView result = view;
  result.split.clear();
  size_t next = 0;
  bool good = true;
  for (const Dimension &dimension : type.dimensions) {
    std::vector<Factor> factors;
    collectFactors(*dimension.length, 0, factors);
    size_t before = next;
    for (const Factor &factor : factors) {
      if (factor.plain) {
        // A plain size agrees with any digits of that product.
        Int target = evalInteger(*factor.plain, context, "a length"), product = 1;
        while (next < have.size() && product < target)
          product *= have[next++];
        good &= product == target;
      } else {
        Int radix = evalInteger(*factor.radix, context, "a radix");
        Int count = evalInteger(*factor.exponent, context, "a number of digits");
        good &= count >= 0 && count <= static_cast<Int>(have.size() - next);
        for (Int i = 0; good && i < count; ++i)
          good &= have[next++] == radix;
      }
      if (!good)
        break;
    }
    result.split.push_back({dimension.name, static_cast<int>(next - before)});
    if (!good)
      break;
  }
  if (!good || next != have.size()) {
    std::string sizes;
    if (!context.scopes.empty())
      for (const auto &size : context.scopes[0])
        if (size.second.isConstantInteger())
          sizes += (sizes.empty() ? " with " : ", ") + size.first + " = " + spell(size.second.untyped->value);
    const int64_t length = lengthOf(view), wanted = lengthOf(type, context);
    fail(loc, what + " has the shape " + shapeOf(view) + ", but " + spellType(type) + sizes + " is expected" +
                  (length == wanted ? ", as many elements; crop to the same length gives them other digits"
                                    : otherLength(length, wanted)));
  }
  return result;
}

} // namespace idc::frontend
