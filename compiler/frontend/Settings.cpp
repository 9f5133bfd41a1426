// What `<…>` binds besides types: numbers, choices and functions that are known when the program is compiled, by a
// use's settings, by --set at the entry, or by defaults; and calls of functions that are such parameters.
#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/Parse.h"

#include "llvm/Support/SaveAndRestore.h"

#include <algorithm>
#include <functional>
#include <set>

namespace idc::frontend {

const char *kindName(const Generic &generic) {
  switch (generic.kind) {
  case Generic::Kind::Type:
    return "type";
  case Generic::Kind::Integer:
    return "int";
  case Generic::Kind::Real:
    return "real";
  case Generic::Kind::Boolean:
    return "bool";
  case Generic::Kind::Choice:
    return "choice";
  case Generic::Kind::Function:
    return kindName(generic.signature->kind);
  }
  return "";
}

std::vector<const Expr *> sizesOf(const Function &algorithm) {
  std::vector<const Expr *> sizes;
  std::set<std::string> names;
  std::function<void(const Expr &)> collect = [&](const Expr &expr) {
    if (expr.kind == Expr::Kind::Variable && !findConst(*algorithm.file, expr.name) &&
        !findGeneric(algorithm, expr.name) && names.insert(expr.name).second)
      sizes.push_back(&expr);
    for (const ExprPtr &argument : expr.arguments)
      collect(*argument);
  };
  for (const Param &param : algorithm.params)
    for (const Dimension &dimension : param.type->dimensions)
      collect(*dimension.length);
  return sizes;
}

std::string unsized(const Function &function, const std::string &name) {
  const bool isParam = std::any_of(function.params.begin(), function.params.end(),
                                   [&](const Param &param) { return param.name.text == name; });
  const std::string known = "<" + name + ": int>";
  return isParam ? "; the value of a parameter is no length, which is known when compiling: " + known
                 : "; one that callers give is written " + known;
}

const Generic *findGeneric(const Function &function, const std::string &name) {
  for (const Generic &generic : function.generics)
    if (generic.name.text == name)
      return &generic;
  return nullptr;
}

/// The shortest decimal number that is this one.
static std::string spellReal(double value) {
  char text[32];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value)
      break;
  }
  return text;
}

/// A number or bool that is known; empty for anything else.
static std::string spellConstant(const Value &value) {
  if (value.isConstantInteger())
    return spell(value.untyped->value);
  if (value.kind == Value::Kind::Bool)
    return value.flag ? "true" : "false";
  return value.kind == Value::Kind::Untyped && value.untyped->isConstant()
             ? spellReal(static_cast<double>(value.untyped->real))
             : "";
}

std::string spell(const std::map<std::string, Value> &values, const std::map<std::string, TypeRef> &types,
                  const std::map<std::string, Callable> &functions) {
  std::string text;
  auto add = [&](const std::string &name, const std::string &value) {
    if (!value.empty())
      text += (text.empty() ? "" : ", ") + name + " = " + value;
  };
  for (const auto &[name, value] : values)
    add(name, spellConstant(value));
  for (const auto &[name, type] : types)
    add(name, spell(*type));
  for (const auto &[name, given] : functions)
    add(name, spell(given));
  return text;
}

std::string spell(const Callable &callable) {
  std::string text = callable.function ? callable.function->name.text : callable.builtin;
  if (callable.bound)
    text += "<" + spell(callable.bound->values, callable.bound->types, callable.bound->functions) + ">";
  return text;
}

namespace {

/// "the int 'k' of 'f'"
std::string called(const Generic &generic, const Function &function) {
  return std::string("the ") + kindName(generic) + " '" + generic.name.text + "' of '" + function.name.text + "'";
}

size_t countArrays(const std::vector<const TypeExpr *> &types) {
  return std::count_if(types.begin(), types.end(), [](const TypeExpr *type) { return !type->dimensions.empty(); });
}

/// Which parameters and results are arrays, from the first on.
std::vector<const TypeExpr *> typesOf(const Function &function) {
  std::vector<const TypeExpr *> types;
  for (const Param &param : function.params)
    types.push_back(param.type.get());
  for (const TypeExprPtr &result : function.results)
    types.push_back(result.get());
  return types;
}

/// "func(f32, f32) -> bool": of types as typesOf() lists them, null where only what is written is known.
std::string spellSignature(const Function &function, const std::vector<TypeRef> &types) {
  const std::vector<const TypeExpr *> written = typesOf(function);
  const size_t params = function.params.size(), results = written.size() - params;
  std::string text = std::string(kindName(function.kind)) + "(";
  for (size_t i = 0; i < written.size(); ++i) {
    if (i == params)
      text += results > 1 ? ") -> (" : ") -> ";
    else if (i > 0)
      text += ", ";
    text += types[i] ? spell(*types[i]) : printType(*written[i]);
  }
  return text + (results > 1 ? ")" : "");
}

std::pair<llvm::SMLoc, const char *> declaredHere(const Generic &generic) {
  return {generic.name.range.Start, "the parameter is declared here"};
}

} // namespace

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Callable Elaborator::callee(const std::string &name, const Context &context) const {
  if (auto given = context.functions.find(name); given != context.functions.end())
    return given->second;
  Callable callee;
  callee.function = findFunction(*context.file, name);
  if (!callee.function)
    callee.builtin = name;
  return callee;
}

Callable Elaborator::functionFor(const Generic &generic, const Function &owner, const Expr &value, Context &context) {
  const std::string &name = value.name;
  const llvm::SMLoc loc = value.loc;
  const llvm::SMRange range = value.range;
  const Function &wanted = *generic.signature;
  const std::string what = called(generic, owner);
  llvm::SaveAndRestore also(aside, declaredHere(generic));
  Callable given = callee(name, context);
  if (!given.function) {
    const std::string &builtin = given.builtin;
    const bool known = isBuiltinFunction(builtin) && !isDigitFunction(builtin) && !isTypeFunction(builtin) &&
                       wanted.kind == Function::Kind::Func;
    const int count = static_cast<int>(wanted.params.size());
    if (!known)
      fail(loc, what + " is given '" + name + "', which is no " + kindName(wanted.kind), range);
    if (count < builtinArity(builtin).first || count > builtinArity(builtin).second || wanted.results.size() != 1)
      fail(loc, what + " takes " + std::to_string(count) + " values, but '" + name + "' does not", range);
  } else {
    const Function &function = *given.function;
    const std::vector<const TypeExpr *> have = typesOf(function), need = typesOf(wanted);
    if (function.kind != wanted.kind)
      fail(loc, what + " is given '" + name + "', which is no " + kindName(wanted.kind), range);
    if (function.params.size() != wanted.params.size() || function.results.size() != wanted.results.size() ||
        countArrays(have) != countArrays(need))
      fail(loc,
           what + " is declared as " + spellSignature(wanted, std::vector<TypeRef>(need.size())) + ", but '" + name +
               "' is " + spellSignature(function, std::vector<TypeRef>(have.size())),
           range);
  }
  given.signature = &wanted;
  if (!value.settings.empty())
    given.bound = std::make_shared<Bindings>(bind(*given.function, value.settings, context));
  given.given = range;
  return given;
}

std::vector<TypeRef> Elaborator::typesGiven(const Callable &given, const std::vector<TypeRef> &arguments) {
  const llvm::SMLoc loc = given.given.Start;
  if (!given.function) {
    Expr use;
    use.name = given.builtin;
    use.loc = loc;
    use.range = given.given;
    Context context = contextIn(source.main());
    std::vector<Value> values;
    for (const TypeRef &type : arguments) {
      std::vector<int> ids;
      for (const TypeRef &leaf : leaves(type))
        ids.push_back(context.builder->param(leaf));
      size_t next = 0;
      values.push_back(assemble(type, *context.builder, ids, next));
    }
    std::vector<TypeRef> types = arguments;
    types.push_back(typeOf(evalBuiltin(use, given.builtin, std::move(values), context)));
    return types;
  }
  const Function &function = *given.function;
  Context context = contextIn(*function.file, &function);
  if (given.bound)
    take(*given.bound, context);
  for (size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i])
      bindTypes(*function.params[i].type, true, arguments[i], function, context.types);
  bindDefaults(function, context, loc);
  bindNumbers(function, context, loc);
  std::vector<TypeRef> types;
  for (const TypeExpr *type : typesOf(function))
    types.push_back(closedType(*type, context));
  return types;
}

void Elaborator::checkGiven(const Function &owner, Context &context) {
  for (const Generic &generic : owner.generics) {
    if (generic.kind != Generic::Kind::Function)
      continue;
    const Callable &given = context.functions.at(generic.name.text);
    const Function &signature = *generic.signature;
    std::vector<TypeRef> wanted;
    for (const TypeExpr *type : typesOf(signature))
      wanted.push_back(closedType(*type, context));
    llvm::SaveAndRestore also(aside, declaredHere(generic));
    const std::vector<TypeRef> have = typesGiven(given, {wanted.begin(), wanted.begin() + signature.params.size()});
    for (size_t i = 0; i < have.size(); ++i)
      if (have[i] && wanted[i] && !equal(*have[i], *wanted[i]))
        fail(given.given.Start,
             called(generic, owner) + " is " + spellSignature(signature, wanted) + ", but '" + spell(given) + "' is " +
                 spellSignature(given.function ? *given.function : signature, have),
             given.given);
  }
}

Value Elaborator::callFunc(const Expr &expr, const Callable &callee, Bindings bindings, std::vector<Value> arguments,
                           const std::vector<llvm::SMLoc> &places, BodyBuilder &builder, Context &context) {
  if (const Function *declared = callee.signature) {
    if (arguments.size() != declared->params.size())
      fail(expr, std::string(kindName(declared->kind)) + " '" + expr.name + "' takes " +
                     std::to_string(declared->params.size()) + " arguments, not " + std::to_string(arguments.size()));
    for (size_t i = 0; i < arguments.size(); ++i)
      arguments[i] = coerce(arguments[i], resolveType(*declared->params[i].type, context, true), places[i], builder,
                            "argument " + std::to_string(i + 1) + " of '" + expr.name + "'");
  }
  Value result;
  if (callee.function) {
    result = callFunction(*callee.function, std::move(arguments), places, expr.loc, builder, std::move(bindings));
  } else {
    BodyBuilder *outer = context.builder;
    context.builder = &builder;
    result = evalBuiltin(expr, callee.builtin, std::move(arguments), context);
    context.builder = outer;
  }
  if (callee.signature) {
    std::vector<Value *> parts;
    if (result.kind == Value::Kind::Tuple)
      for (Value &member : result.members)
        parts.push_back(&member);
    else
      parts.push_back(&result);
    for (size_t i = 0; i < parts.size(); ++i)
      *parts[i] = coerce(*parts[i], resolveType(*callee.signature->results[i], context, true), expr.loc, builder,
                         "the result of '" + expr.name + "'");
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Settings
//===----------------------------------------------------------------------===//

Value Elaborator::numberFor(const Generic &generic, const Function &owner, const Expr &value, Context &context) {
  const std::string what = called(generic, owner);
  if (generic.kind == Generic::Kind::Boolean)
    return Value::boolean(evalCondition(value, context, what.c_str()));
  if (generic.kind != Generic::Kind::Real)
    return Value::integer(evalInteger(value, context, what.c_str()), value.loc);
  Value number = eval(value, context);
  if (number.kind != Value::Kind::Untyped || !number.untyped->isConstant() ||
      number.untyped->cls == Untyped::Class::Root)
    fail(value, what + " must be a real number known at compile time, not " + describe(number));
  return number;
}

void Elaborator::checkChoice(const Generic &generic, const Function &owner, const Value &value, Context &context,
                             llvm::SMLoc loc) {
  Int low = evalInteger(*generic.low, context, "the least value of a choice");
  Int high = evalInteger(*generic.high, context, "the largest value of a choice");
  if (low > high || low < INT32_MIN || high > INT32_MAX || high - low > 65535)
    fail(*generic.low, "a choice has 1 to 65536 values of 32 bits, not " + spell(low) + ".." + spell(high));
  if (Int chosen = value.untyped->value; chosen < low || chosen > high)
    fail(loc, called(generic, owner) + " is one of " + spell(low) + ".." + spell(high) + ", not " + spell(chosen));
}

TypeRef Elaborator::givenType(const Expr &value, Context &context) {
  TypeExpr named;
  named.name = value.name;
  named.range = value.range;
  return resolveType(value.kind == Expr::Kind::Variable ? named : *value.type, context, true);
}

Bindings Elaborator::bind(const Function &function, const std::vector<Setting> &settings, Context &context) {
  Bindings result;
  for (const Setting &setting : settings) {
    const std::string &name = setting.name.text;
    const Expr &value = *setting.value;
    const Generic *generic = findGeneric(function, name);
    if (!generic)
      fail(setting.name.range.Start, "'" + function.name.text + "' has no parameter '" + name + "' in <..>",
           setting.name.range);
    if (generic->kind == Generic::Kind::Type) {
      result.types[name] = givenType(value, context);
    } else if (generic->kind == Generic::Kind::Function) {
      result.functions[name] = functionFor(*generic, function, value, context);
    } else {
      result.values[name] = numberFor(*generic, function, value, context);
    }
  }
  return result;
}

Bindings Elaborator::bind(const Callable &callee, const Expr &use, Context &context) {
  if (callee.signature)
    return callee.bound ? *callee.bound : Bindings();
  return callee.function ? bind(*callee.function, use.settings, context) : Bindings();
}

void Elaborator::take(const Bindings &bindings, Context &context) {
  context.types.insert(bindings.types.begin(), bindings.types.end());
  context.functions.insert(bindings.functions.begin(), bindings.functions.end());
  context.scopes[0].insert(bindings.values.begin(), bindings.values.end());
}

void Elaborator::bindNumbers(const Function &function, Context &context, llvm::SMLoc loc) {
  for (const Generic &generic : function.generics) {
    const std::string &name = generic.name.text;
    if (generic.kind == Generic::Kind::Type)
      continue;
    const bool isFunction = generic.kind == Generic::Kind::Function;
    const bool bound = isFunction ? context.functions.count(name) > 0 : context.scopes[0].count(name) > 0;
    if (!bound && !generic.hasDefault())
      fail(loc, called(generic, function) + " is not given and has no default; give it in <" + name + " = ..>");
    if (isFunction) {
      if (!bound)
        context.functions[name] = functionFor(generic, function, *generic.value, context);
      continue;
    }
    if (!bound)
      context.scopes[0][name] = numberFor(generic, function, generic.value ? *generic.value : *generic.low, context);
    if (generic.kind == Generic::Kind::Choice)
      checkChoice(generic, function, context.scopes[0][name], context, loc);
  }
}

//===----------------------------------------------------------------------===//
// The entry
//===----------------------------------------------------------------------===//

Value Elaborator::constantFrom(const std::string &text, const std::string &what) {
  ExprPtr parsed = parseExpression(text, what, diagnostics);
  if (!parsed)
    throw ElaborationFailed();
  Context plain = contextIn(source.main());
  if (parsed->kind == Expr::Kind::Variable && !findConst(*plain.file, parsed->name))
    fail(*parsed, what + " is a number, and '" + text + "' is none");
  return eval(*parsed, plain);
}

void Elaborator::bindEntry(const Function &entry, const SizeMap &sizes, const TypeMap &types, Context &context) {
  llvm::SMLoc loc = entry.name.range.Start;
  for (const Generic &generic : entry.generics) {
    const std::string &parameter = generic.name.text, option = "--set " + parameter;
    auto number = sizes.find(parameter);
    auto text = types.find(parameter);
    if (number == sizes.end() && text == types.end()) {
      if (!generic.hasDefault())
        fail(generic.name.range.Start,
             called(generic, entry) + " is not set; give --set " + parameter + "=<" + kindName(generic) + ">",
             generic.name.range);
      continue;
    }
    if (generic.kind == Generic::Kind::Type || generic.kind == Generic::Kind::Function) {
      if (number != sizes.end())
        fail(generic.name.range.Start,
             called(generic, entry) + " is set to the number " + std::to_string(number->second), generic.name.range);
      if (generic.kind == Generic::Kind::Function) {
        ExprPtr parsed = parseFunction(text->second, option, diagnostics);
        if (!parsed)
          throw ElaborationFailed();
        context.functions[parameter] = functionFor(generic, entry, *parsed, context);
        continue;
      }
      TypeExprPtr parsed = parseType(text->second, option, diagnostics);
      if (!parsed || !checkType(*parsed, source, diagnostics))
        throw ElaborationFailed();
      Context plain = contextIn(*entry.file); // constants of the file may be used, as in mod<Q>
      context.types[parameter] = resolveType(*parsed, plain, true);
      continue;
    }
    Value value = number != sizes.end() ? Value::integer(number->second, loc) : constantFrom(text->second, option);
    const bool isBool = generic.kind == Generic::Kind::Boolean;
    if (isBool
            ? value.kind != Value::Kind::Bool
            : value.kind != Value::Kind::Untyped || (generic.kind != Generic::Kind::Real && !value.isConstantInteger()))
      fail(generic.name.range.Start,
           called(generic, entry) + " is set to " + describe(value) + (isBool ? "; it is true or false" : ""),
           generic.name.range);
    context.scopes[0][parameter] = value;
  }
  bindDefaults(entry, context, loc);
  bindNumbers(entry, context, loc);
  for (const Generic &generic : entry.generics) {
    const std::string &parameter = generic.name.text;
    auto value = [&]() -> const Value & { return context.scopes[0][parameter]; };
    switch (generic.kind) {
    case Generic::Kind::Type:
      program.types.push_back({parameter, spell(*context.types[parameter])});
      break;
    case Generic::Kind::Function:
      program.types.push_back({parameter, spell(context.functions[parameter])});
      break;
    case Generic::Kind::Boolean:
      program.types.push_back({parameter, value().flag ? "true" : "false"});
      break;
    case Generic::Kind::Choice: {
      Context plain = context;
      auto edge = [&](const Expr &expr) { return int64_t(evalInteger(expr, plain, "a value of a choice")); };
      program.choices.push_back({parameter, int64_t(value().untyped->value), edge(*generic.low), edge(*generic.high),
                                 edge(generic.value ? *generic.value : *generic.low)});
      break;
    }
    case Generic::Kind::Integer:
    case Generic::Kind::Real:
      if (value().isConstantInteger() && value().untyped->value <= INT64_MAX && value().untyped->value >= INT64_MIN)
        program.sizes.push_back({parameter, int64_t(value().untyped->value)});
      else if (auto text = types.find(parameter); text != types.end())
        program.types.push_back({parameter, text->second});
      else if (generic.kind == Generic::Kind::Integer)
        fail(loc, called(generic, entry) + " is " + spell(value().untyped->value) + ", which has more than 64 bits",
             entry.name.range);
      else
        program.types.push_back({parameter, spellConstant(value())});
      break;
    }
  }
}

} // namespace idc::frontend
