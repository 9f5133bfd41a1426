// Evaluation of expressions that are no pipes.
#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/Names.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace idc::frontend {

namespace {

const std::map<std::string, std::pair<int, int>> &builtins() {
  static const std::map<std::string, std::pair<int, int>> table = {
      {"select", {3, 3}},      {"min", {2, 2}},       {"max", {2, 2}},         {"abs", {1, 1}},
      {"sqrt", {1, 1}},        {"rsqrt", {1, 1}},     {"exp", {1, 1}},         {"log", {1, 1}},
      {"sin", {1, 1}},         {"cos", {1, 1}},       {"conj", {1, 1}},        {"re", {1, 1}},
      {"im", {1, 1}},          {"fma", {3, 3}},       {"xor", {2, 2}},         {"log2", {1, 1}},
      {"omega", {2, 2}},       {"radix", {1, 1}},     {"digit", {1, 1}},       {"digits", {1, 2}},
      {"index", {0, 0}},       {"complex", {1, 2}},   {"log2_ceil", {1, 1}},   {"tanh", {1, 1}},
      {"erf", {1, 1}},         {"pow", {2, 2}},       {"atan2", {2, 2}},       {"floor", {1, 1}},
      {"ceil", {1, 1}},        {"round", {1, 1}},     {"popcount", {1, 1}},    {"clz", {1, 1}},
      {"largest", {1, 1}},     {"smallest", {1, 1}},  {"epsilon", {1, 1}},     {"gcd", {2, 2}},
      {"is_prime", {1, 1}},    {"power_mod", {3, 3}}, {"inverse_mod", {2, 2}}, {"primitive_root", {1, 1}},
      {"digit_count", {0, 0}}, {"generate", {1, 1}}};
  return table;
}

bool unaryOp(const std::string &name, Op &op) {
  static const std::map<std::string, Op> table = {
      {"abs", Op::Abs},           {"sqrt", Op::Sqrt}, {"rsqrt", Op::Rsqrt}, {"exp", Op::Exp},   {"log", Op::Log},
      {"sin", Op::Sin},           {"cos", Op::Cos},   {"conj", Op::Conj},   {"re", Op::Re},     {"im", Op::Im},
      {"tanh", Op::Tanh},         {"erf", Op::Erf},   {"floor", Op::Floor}, {"ceil", Op::Ceil}, {"round", Op::Round},
      {"popcount", Op::Popcount}, {"clz", Op::Clz}};
  auto at = table.find(name);
  if (at != table.end())
    op = at->second;
  return at != table.end();
}

} // namespace

std::vector<std::string> builtinFunctions() {
  std::vector<std::string> names = {"unshuffle", "reverse", "permute", "complement",
                                    "pad",       "crop",    "gather",  "scatter"};
  for (const auto &entry : builtins())
    names.push_back(entry.first);
  return names;
}
bool isBuiltinFunction(const std::string &name) { return builtins().count(name); }
bool isBuiltinPermutation(const std::string &name) {
  return name == "unshuffle" || name == "reverse" || name == "permute" || name == "complement" || name == "Γ" ||
         name == "ρ";
}
bool isBuiltinResize(const std::string &name) { return name == "pad" || name == "crop"; }
bool isBuiltinMove(const std::string &name) { return name == "gather" || name == "scatter"; }
bool isRedeclarable(const std::string &name) {
  // What the language did not have from the beginning.
  static const std::set<std::string> later = {
      "log2_ceil",   "tanh",    "erf",      "pow",       "atan2",       "floor",
      "ceil",        "round",   "popcount", "clz",       "largest",     "smallest",
      "epsilon",     "gcd",     "is_prime", "power_mod", "inverse_mod", "primitive_root",
      "digit_count", "generate"};
  return isBuiltinResize(name) || isBuiltinMove(name) || later.count(name);
}
bool isTypeFunction(const std::string &name) { return name == "largest" || name == "smallest" || name == "epsilon"; }
bool isNumberTheory(const std::string &name) {
  return name == "gcd" || name == "is_prime" || name == "power_mod" || name == "inverse_mod" ||
         name == "primitive_root";
}
bool isBuiltinConstant(const std::string &name) { return name == "pi" || name == "infinity"; }
bool isDigitFunction(const std::string &name) { return name == "digit" || name == "digits" || name == "index"; }
std::pair<int, int> builtinArity(const std::string &name) { return builtins().at(name); }

/// The numbers that values are made of, counted up to `most`.
static size_t countNumbers(const std::vector<Value> &values, size_t most) {
  size_t count = 0;
  for (const Value &value : values) {
    bool group =
        value.kind == Value::Kind::Record || value.kind == Value::Kind::Array || value.kind == Value::Kind::Tuple;
    count += group ? countNumbers(value.members, most) : 1;
    if (count > most)
      return count;
  }
  return count;
}

void Elaborator::checkNumbers(const Expr &expr, const std::vector<Value> &members) {
  constexpr size_t most = 65536;
  const size_t numbers = countNumbers(members, most);
  madeNumbers += static_cast<int64_t>(numbers);
  if (numbers > most)
    fail(expr, "the value is made of more than " + std::to_string(most) + " numbers");
}

Value Elaborator::eval(const Expr &expr, Context &context) {
  if (stack.isNearlyFull())
    fail(expr, "calls and expressions are nested too deeply");
  countWork(expr.loc);
  Value value = evalKind(expr, context);
  tell(expr.range, value);
  if (!context.stage || !context.stage->isIndex || value.kind != Value::Kind::Scalar || !isInteger(*value.type))
    return value;
  UntypedRef exact = scalarInteger(*value.builder, value.id, expr.loc, program.scalars);
  if (!exact)
    fail(expr, "an index is made of integers that fit in 64 bits with a sign, which " + spell(*value.type) +
                   " need not; convert it");
  return Value::of(std::move(exact));
}

Value Elaborator::evalKind(const Expr &expr, Context &context) {
  switch (expr.kind) {
  case Expr::Kind::Integer: {
    const Int value = Int::decimal(expr.text);
    if (!isInRange(value))
      fail(expr, "the number is too large");
    return Value::integer(value, expr.loc);
  }
  case Expr::Kind::Real:
    return Value::of(realConstant(std::strtold(expr.text.c_str(), nullptr), expr.loc));
  case Expr::Kind::Boolean:
    return Value::boolean(expr.value);
  case Expr::Kind::Variable:
    return evalVariable(expr, context);
  case Expr::Kind::Unary: {
    Value value = eval(*expr.arguments[0], context);
    if (expr.name != "!")
      return unary(expr.name == "-" ? Op::Neg : Op::Not, value, expr.loc, *context.builder);
    if (value.kind == Value::Kind::Bool)
      return Value::boolean(!value.flag);
    if (value.kind != Value::Kind::Scalar || value.type->kind != Type::Kind::Bool)
      fail(expr, "'!' is defined on bool, not on " + describe(value));
    return Value::scalar(*context.builder,
                         context.builder->emit(Op::Not, boolType(), {use(value, *context.builder)}, expr.loc));
  }
  case Expr::Kind::Binary:
    return evalBinary(expr, context);
  case Expr::Kind::Call:
    return evalCall(expr, context);
  case Expr::Kind::TypeCall: {
    if (expr.arguments.size() != 1 && !(expr.type->kind == TypeExpr::Kind::Complex && expr.arguments.size() == 2))
      fail(expr, "a conversion takes one value");
    TypeRef type = resolveType(*expr.type, context, true);
    Value value = eval(*expr.arguments[0], context);
    if (expr.arguments.size() == 1)
      return convert(value, type, expr.loc, *context.builder);
    Value re = convert(value, type->element, expr.loc, *context.builder);
    Value im = convert(eval(*expr.arguments[1], context), type->element, expr.loc, *context.builder);
    return makeComplex(re, im, expr.loc, *context.builder);
  }
  case Expr::Kind::TypeName:
    fail(expr, "a type is not a value");
  case Expr::Kind::Tuple:
  case Expr::Kind::Array: {
    std::vector<Value> members;
    for (const ExprPtr &argument : expr.arguments) {
      Value member = eval(*argument, context);
      if (member.kind == Value::Kind::Tuple)
        fail(*argument, expr.kind == Expr::Kind::Tuple ? "tuples do not nest" : "an array has no tuples as elements");
      if (expr.kind == Expr::Kind::Array && member.kind == Value::Kind::Sequence)
        fail(*argument, "an array has no sequences as elements");
      members.push_back(std::move(member));
    }
    if (members.empty())
      fail(expr, "an array has at least one element");
    checkNumbers(expr, members);
    return Value::group(expr.kind == Expr::Kind::Tuple ? Value::Kind::Tuple : Value::Kind::Array, std::move(members));
  }
  case Expr::Kind::Range:
    fail(expr, "a range may stand only in a list of digits");
  case Expr::Kind::Index:
    return evalIndex(expr, context);
  case Expr::Kind::Field:
    return evalField(expr, context);
  case Expr::Kind::Record:
    return evalRecord(expr, context);
  case Expr::Kind::Pipe:
    return evalPipe(expr, context);
  }
  return Value();
}

Value Elaborator::evalVariable(const Expr &expr, Context &context) {
  if (const Value *value = context.find(expr.name))
    return value->kind == Value::Kind::Digits ? evalNamed(expr, *value->digits, context) : *value;
  if (const Const *constant = findConst(*context.file, expr.name))
    return evalConst(*constant, expr.loc);
  if (expr.name == "pi")
    return Value::of(realConstant(3.141592653589793238462643383279502884L, expr.loc));
  if (expr.name == "infinity")
    return Value::of(realConstant(std::numeric_limits<long double>::infinity(), expr.loc));
  fail(expr, "'" + expr.name + "' is not bound here");
}

const Value &Elaborator::evalConst(const Const &constant, llvm::SMLoc loc) {
  auto known = constants.insert({&constant, std::nullopt});
  if (!known.second) {
    if (!known.first->second)
      fail(loc, "the constant '" + constant.name.text + "' depends on itself");
    return *known.first->second;
  }
  Context context = contextIn(*constant.file);
  Value value = eval(*constant.value, context);
  if (value.kind != Value::Kind::Untyped && value.kind != Value::Kind::Bool)
    fail(constant.name.range.Start, "a constant is an integer, a real or a bool, not " + describe(value),
         constant.name.range);
  return *(constants[&constant] = value);
}

Int Elaborator::evalInteger(const Expr &expr, Context &context, const char *what) {
  Value value = eval(expr, context);
  if (!value.isConstantInteger())
    fail(expr, std::string(what) + " must be an integer known at compile time, not " + describe(value));
  return value.untyped->value;
}

bool Elaborator::evalCondition(const Expr &expr, Context &context, const char *what) {
  return conditionOf(eval(expr, context), expr, what);
}

bool Elaborator::conditionOf(const Value &value, const Expr &expr, const char *what) {
  if (value.kind != Value::Kind::Bool)
    fail(expr, std::string(what) + " must be known at compile time" +
                   (typeOf(value) && typeOf(value)->kind == Type::Kind::Bool
                        ? "; use select(condition, a, b) to choose between values"
                        : ", not " + describe(value)));
  return value.flag;
}

static bool isUntypedInteger(const Value &value) {
  return value.kind == Value::Kind::Untyped && value.untyped->cls == Untyped::Class::Integer;
}

Value Elaborator::evalBinary(const Expr &expr, Context &context) {
  const std::string &op = expr.name;
  if (op == "^")
    return evalPower(expr, context);
  const bool inIndex = context.stage && context.stage->isIndex;
  Value left = eval(*expr.arguments[0], context);
  Value right = eval(*expr.arguments[1], context);
  BodyBuilder &builder = *context.builder;
  if (inIndex && (op == "/" || op == "%") && isUntypedInteger(left) && isUntypedInteger(right)) {
    std::string error;
    UntypedRef result = makeFloored(op == "/" ? Op::Div : Op::Rem, left.untyped, right.untyped, expr.loc, error);
    if (!result)
      fail(expr, error);
    return Value::of(std::move(result));
  }
  if (op == "&&" || op == "||") {
    for (const Value *side : {&left, &right})
      if (side->kind != Value::Kind::Bool &&
          !(side->kind == Value::Kind::Scalar && side->type->kind == Type::Kind::Bool))
        fail(*expr.arguments[side == &left ? 0 : 1], "'" + op + "' is defined on bool, not on " + describe(*side));
    if (left.kind == Value::Kind::Bool && right.kind == Value::Kind::Bool)
      return Value::boolean(op == "&&" ? left.flag && right.flag : left.flag || right.flag);
    std::string what = "an operand of '" + op + "'";
    int a = use(coerce(left, boolType(), expr.loc, builder, what), builder);
    int b = use(coerce(right, boolType(), expr.loc, builder, what), builder);
    return Value::scalar(builder, builder.emit(op == "&&" ? Op::And : Op::Or, boolType(), {a, b}, expr.loc));
  }
  static const std::map<std::string, Op> comparisons = {{"==", Op::Eq}, {"!=", Op::Ne}, {"<", Op::Lt},
                                                        {"<=", Op::Le}, {">", Op::Gt},  {">=", Op::Ge}};
  auto comparison = comparisons.find(op);
  if (comparison != comparisons.end())
    return compare(comparison->second, left, right, expr.loc, builder);
  static const std::map<std::string, Op> operators = {{"+", Op::Add}, {"-", Op::Sub},  {"*", Op::Mul},
                                                      {"/", Op::Div}, {"%", Op::Rem},  {"&", Op::And},
                                                      {"|", Op::Or},  {"<<", Op::Shl}, {">>", Op::Shr}};
  return binary(operators.at(op), left, right, expr.loc, builder);
}

Value Elaborator::evalPower(const Expr &expr, Context &context) {
  Value base = eval(*expr.arguments[0], context), exponent = eval(*expr.arguments[1], context);
  if (base.kind != Value::Kind::Untyped || base.untyped->cls == Untyped::Class::Root)
    fail(expr, "'^' is the power of compile-time numbers, not of " + describe(base) +
                   "; xor(a, b) is exclusive or, pow(a, b) the power of real numbers, a * a the square of any");
  if (!exponent.isConstantInteger())
    fail(*expr.arguments[1], "an exponent must be an integer known at compile time, not " + describe(exponent));
  Int count = exponent.untyped->value;
  if (count < 0)
    fail(*expr.arguments[1], "the exponent " + spell(count) + " is negative");
  if (count > 100000)
    fail(*expr.arguments[1], "the exponent " + spell(count) + " is too large");
  Value result = Value::integer(1, expr.loc);
  for (Int bit = 1 << 17; bit > 0; bit >>= 1) {
    if (result.isConstantInteger() && result.untyped->value == 1 && !(count & bit))
      continue;
    if (!(result.isConstantInteger() && result.untyped->value == 1))
      result = untyped(Op::Mul, {result.untyped, result.untyped}, expr.loc);
    if (count & bit)
      result = untyped(Op::Mul, {result.untyped, base.untyped}, expr.loc);
  }
  return result;
}

/// Of so many constants a table in memory costs less than choosing among them.
constexpr size_t chosenConstants = 8;

static bool isConstantNumber(const Value &value) {
  if (value.kind == Value::Kind::Untyped)
    return value.untyped->isConstant() && value.untyped->cls != Untyped::Class::Root;
  return value.kind == Value::Kind::Scalar && value.builder->constant(value.id);
}

Value Elaborator::lookup(const std::vector<Value> &constants, const Value &index, llvm::SMLoc loc,
                         BodyBuilder &builder) {
  if (constants[0].kind == Value::Kind::Scalar) {
    std::vector<int> operands = {use(index, builder)};
    for (const Value &constant : constants)
      operands.push_back(use(constant, builder));
    return Value::scalar(builder, builder.emit(Op::Lookup, constants[0].type, std::move(operands), loc));
  }
  std::vector<UntypedRef> operands;
  for (const Value &constant : constants)
    operands.push_back(constant.untyped);
  return untyped(Op::Lookup, index, std::move(operands), loc, builder);
}

Value Elaborator::chosenAmong(const std::vector<Value> &members, const Value &index, llvm::SMLoc loc,
                              BodyBuilder &builder) {
  if (members[0].kind == Value::Kind::Bool) {
    std::vector<Value> scalars;
    for (const Value &member : members)
      scalars.push_back(coerce(member, boolType(), loc, builder, "an element"));
    return chosenAmong(scalars, index, loc, builder);
  }
  const Value &first = members[0];
  const TypeRef type = typeOf(first);
  auto isAlike = [&](const Value &member) {
    const TypeRef other = typeOf(member);
    return member.kind == first.kind && member.members.size() == first.members.size() &&
           member.record == first.record && !type == !other && (!type || equal(*type, *other));
  };
  if (members.size() > chosenConstants && std::all_of(members.begin(), members.end(), isConstantNumber) &&
      std::all_of(members.begin(), members.end(), isAlike))
    return lookup(members, index, loc, builder);
  if ((first.kind == Value::Kind::Record || first.kind == Value::Kind::Array) &&
      std::all_of(members.begin(), members.end(), isAlike)) {
    Value result = first;
    for (size_t part = 0; part < first.members.size(); ++part) {
      std::vector<Value> parts;
      for (const Value &member : members)
        parts.push_back(member.members[part]);
      result.members[part] = chosenAmong(parts, index, loc, builder);
    }
    return result;
  }
  std::function<Value(size_t, size_t)> choose = [&](size_t begin, size_t end) {
    if (end - begin == 1)
      return members[begin];
    const size_t middle = (begin + end) / 2;
    Value isBefore = compare(Op::Lt, index, Value::integer(static_cast<Int>(middle), loc), loc, builder);
    return select(isBefore, choose(begin, middle), choose(middle, end), loc, builder);
  };
  return choose(0, members.size());
}

Value Elaborator::evalIndex(const Expr &expr, Context &context) {
  Value array = eval(*expr.arguments[0], context);
  if (array.kind != Value::Kind::Array)
    fail(expr, std::string("only small arrays have elements; this is ") + describe(array));
  const Expr &place = *expr.arguments[1];
  const Int length = static_cast<Int>(array.members.size());
  Value index = eval(place, context);
  if (index.isConstantInteger()) {
    if (index.untyped->value < 0 || index.untyped->value >= length)
      fail(place,
           "index " + spell(index.untyped->value) + " is out of range: the array has " + spell(length) + " elements");
    return array.members[static_cast<size_t>(index.untyped->value)];
  }
  // A run-time integer, modulo the length.
  if (index.kind == Value::Kind::Scalar && isInteger(*index.type)) {
    UntypedRef exact = scalarInteger(*index.builder, index.id, place.loc, program.scalars);
    if (!exact)
      fail(place, "an array index fits in 64 bits with a sign, which " + spell(*index.type) + " need not; convert it");
    index = Value::of(std::move(exact));
  }
  if (index.kind != Value::Kind::Untyped || index.untyped->cls != Untyped::Class::Integer)
    fail(place, "an array index is an integer, not " + describe(index));
  std::string error;
  UntypedRef inside = makeFloored(Op::Rem, index.untyped, integerConstant(length, place.loc), place.loc, error);
  if (!inside)
    fail(place, error);
  if (inside->isConstant())
    return array.members[static_cast<size_t>(inside->value)];
  BodyBuilder &builder = *context.builder;
  return chosenAmong(array.members, Value::scalar(builder, emitInteger(*inside, builder)), expr.loc, builder);
}

std::string noField(const std::string &record, const std::string &field, const std::vector<std::string> &names) {
  std::string known;
  for (const std::string &name : names)
    known += (known.empty() ? "" : ", ") + name;
  return "'" + record + "' has no field '" + field + "'; its fields are " + known;
}

std::vector<std::string> fieldNames(const TypeDecl &record) {
  std::vector<std::string> names;
  for (const Param &field : record.fields)
    names.push_back(field.name.text);
  return names;
}

Value Elaborator::evalField(const Expr &expr, Context &context) {
  Value record = eval(*expr.arguments[0], context);
  if (record.kind != Value::Kind::Record) {
    mistake.isField = true;
    fail(expr, std::string("only records have fields; this is ") + describe(record));
  }
  for (size_t i = 0; i < record.members.size(); ++i)
    if ((record.type ? record.type->fields[i].first : record.record->fields[i].name.text) == expr.name)
      return record.members[i];
  std::vector<std::string> names;
  for (size_t i = 0; i < record.members.size(); ++i)
    names.push_back(record.type ? record.type->fields[i].first : record.record->fields[i].name.text);
  mistake.isField = true;
  fail(expr, noField(record.type ? spell(*record.type) : record.record->name.text, expr.name, names));
}

Value Elaborator::evalRecord(const Expr &expr, Context &context) {
  const TypeDecl *decl = findType(*context.file, expr.name);
  if (!decl)
    fail(expr, "unknown type '" + expr.name + "'");
  std::vector<Value> members(decl->fields.size());
  std::vector<bool> given(decl->fields.size(), false);
  for (size_t i = 0; i < expr.fields.size(); ++i) {
    size_t field = 0;
    while (field < decl->fields.size() && decl->fields[field].name.text != expr.fields[i].first)
      ++field;
    if (field == decl->fields.size())
      fail(expr.fields[i].second, noField(expr.name, expr.fields[i].first, fieldNames(*decl)));
    if (given[field])
      fail(expr.fields[i].second, "field '" + expr.fields[i].first + "' is given twice");
    given[field] = true;
    members[field] = eval(*expr.arguments[i], context);
    if (members[field].kind == Value::Kind::Tuple || members[field].kind == Value::Kind::Sequence)
      fail(*expr.arguments[i], "a field cannot be " + describe(members[field]));
  }
  for (size_t field = 0; field < given.size(); ++field)
    if (!given[field])
      fail(expr, "field '" + decl->fields[field].name.text + "' of '" + expr.name + "' is missing");
  checkNumbers(expr, members);
  // Type arguments come from the typed fields; a literal without them waits for the place where it is used.
  Function pattern; // the fields as parameters of a function with the record's type variables
  for (const Generic &generic : decl->generics)
    pattern.generics.emplace_back().name = generic.name;
  std::map<std::string, TypeRef> bound;
  for (size_t i = 0; i < members.size(); ++i)
    if (TypeRef type = typeOf(members[i]))
      bindTypes(*decl->fields[i].type, true, type, pattern, bound);
  Value result = Value::group(Value::Kind::Record, std::move(members));
  result.record = decl;
  std::vector<TypeRef> arguments;
  for (const Generic &generic : decl->generics) {
    auto type = bound.find(generic.name.text);
    if (type == bound.end())
      return result;
    arguments.push_back(type->second);
  }
  return coerce(result, recordType(*decl, arguments), expr.loc, *context.builder, "the literal");
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

Value Elaborator::evalCall(const Expr &expr, Context &context) {
  const Callable callee = this->callee(expr.name, context);
  if (callee.function || callee.signature) {
    Bindings bindings = bind(callee, expr, context);
    std::vector<Value> arguments;
    for (const ExprPtr &argument : expr.arguments)
      arguments.push_back(eval(*argument, context));
    if (callee.function && callee.function->kind == Function::Kind::Algorithm) {
      std::vector<Value> spreadOut; // a tuple passes several values
      for (Value &argument : arguments) {
        if (argument.kind == Value::Kind::Tuple)
          spreadOut.insert(spreadOut.end(), argument.members.begin(), argument.members.end());
        else
          spreadOut.push_back(std::move(argument));
      }
      return callAlgorithm(*callee.function, std::move(bindings), std::move(spreadOut), expr.loc);
    }
    for (size_t i = 0; i < arguments.size(); ++i)
      if (arguments[i].kind == Value::Kind::Sequence)
        fail(*expr.arguments[i], std::string("a ") +
                                     kindName((callee.signature ? callee.signature : callee.function)->kind) +
                                     " works on scalars; apply it to a sequence with |>");
    std::vector<llvm::SMLoc> places;
    for (const ExprPtr &argument : expr.arguments)
      places.push_back(argument->loc);
    return callFunc(expr, callee, std::move(bindings), std::move(arguments), places, *context.builder, context);
  }
  if (isDigitFunction(expr.name))
    return evalDigitBuiltin(expr, context);
  if (expr.name == "omega")
    return evalOmega(expr, context);
  if (expr.name == "radix")
    return evalRadix(expr, context);
  if (isTypeFunction(expr.name))
    return evalTypeFunction(expr, context);
  if (expr.name == "digit_count")
    return Value::integer(static_cast<Int>(currentDigits(expr, context).first.size()), expr.loc);
  std::vector<Value> arguments;
  for (const ExprPtr &argument : expr.arguments)
    arguments.push_back(eval(*argument, context));
  return evalBuiltin(expr, expr.name, std::move(arguments), context);
}

/// True for an exact integer all of whose values are of an integer type.
static bool isOfIntegers(const Value &value, const Type &type) {
  if (value.kind != Value::Kind::Untyped || value.untyped->cls != Untyped::Class::Integer)
    return false;
  Int low, high;
  integerBounds(type, low, high);
  return value.untyped->low >= low && value.untyped->high <= high;
}

Value Elaborator::evalBuiltin(const Expr &expr, const std::string &name, std::vector<Value> arguments,
                              Context &context) {
  BodyBuilder &builder = *context.builder;
  auto variable = context.types.find(name);
  TypeRef type = variable != context.types.end() ? variable->second : scalarNamed(name, *context.file);
  if (type) {
    if (arguments.size() != 1)
      fail(expr, "a conversion takes one value, not " + std::to_string(arguments.size()));
    // An index is exact: where the type holds all its values, nothing is done.
    if (context.stage && context.stage->isIndex && isInteger(*type) && isOfIntegers(arguments[0], *type))
      return arguments[0];
    return convert(arguments[0], type, expr.loc, builder);
  }
  if (!isBuiltinFunction(name))
    fail(expr, isBuiltinPermutation(name) ? "a permutation is applied with |>" : "unknown function '" + name + "'");
  std::pair<int, int> arity = builtinArity(name);
  int count = static_cast<int>(arguments.size());
  if (count < arity.first || count > arity.second)
    fail(expr, "'" + name + "' takes " + std::to_string(arity.first) + " argument" + (arity.first == 1 ? "" : "s") +
                   ", not " + std::to_string(count));
  for (const Value &argument : arguments)
    if (argument.kind == Value::Kind::Sequence)
      fail(expr, "'" + name + "' works on scalars; apply it to a sequence with |>");
  Op op;
  if (unaryOp(name, op)) {
    const bool real = isRealOperation(op);
    if (arguments[0].kind == Value::Kind::Untyped && arguments[0].untyped->cls == Untyped::Class::Root && real)
      fail(expr, "'" + name + "' is defined on reals, not on " + describe(arguments[0]));
    return unary(op, arguments[0], expr.loc, builder);
  }
  if (name == "min" || name == "max")
    return binary(name == "min" ? Op::Min : Op::Max, arguments[0], arguments[1], expr.loc, builder);
  if (name == "pow" || name == "atan2")
    return binary(name == "pow" ? Op::Pow : Op::Atan2, arguments[0], arguments[1], expr.loc, builder);
  if (name == "xor") {
    bool bools = true;
    for (const Value &argument : arguments)
      bools &= typeOf(argument) && typeOf(argument)->kind == Type::Kind::Bool;
    if (bools)
      return compare(Op::Ne, arguments[0], arguments[1], expr.loc, builder);
    return binary(Op::Xor, arguments[0], arguments[1], expr.loc, builder);
  }
  if (name == "select")
    return select(arguments[0], arguments[1], arguments[2], expr.loc, builder);
  if (name == "fma")
    return fma(arguments[0], arguments[1], arguments[2], expr.loc, builder);
  if (name == "complex") {
    if (count == 2)
      return makeComplex(arguments[0], arguments[1], expr.loc, builder);
    if (arguments[0].kind == Value::Kind::Scalar && isReal(*arguments[0].type))
      return convert(arguments[0], complexType(arguments[0].type), expr.loc, builder);
    if (arguments[0].kind == Value::Kind::Untyped && arguments[0].untyped->cls != Untyped::Class::Root)
      return makeComplex(arguments[0], Value::integer(0, expr.loc), expr.loc, builder);
    fail(expr, "'complex' takes real values, not " + describe(arguments[0]));
  }
  if (name == "log2" || name == "log2_ceil") {
    if (!arguments[0].isConstantInteger())
      fail(expr,
           "the operand of '" + name + "' must be an integer known at compile time, not " + describe(arguments[0]));
    Int value = arguments[0].untyped->value, log = 0;
    if (name == "log2" && (value < 1 || (value & (value - 1)) != 0))
      fail(expr, "log2 needs a power of two, and " + spell(value) + " is none");
    if (value < 1)
      fail(expr, "log2_ceil needs a positive integer, not " + spell(value));
    for (--value; value > 0; value >>= 1) // the bits of value - 1
      ++log;
    return Value::integer(log, expr.loc);
  }
  if (isNumberTheory(name))
    return evalNumberTheory(expr, name, arguments);
  // digit, digits, index, omega and radix as stages of a pipe.
  fail(expr, "'" + name + "' is not applied to sequences");
}

Value Elaborator::evalDigitBuiltin(const Expr &expr, Context &context) {
  const StageDigits *stage = context.stage;
  if (!stage)
    fail(expr, "'" + expr.name +
                   "' may stand only in the arguments of a func or node after |>, and of gather, scatter and generate");
  int count = static_cast<int>(expr.arguments.size()), digits = static_cast<int>(stage->places.size());
  std::pair<int, int> arity = builtinArity(expr.name);
  if (count < arity.first || count > arity.second)
    fail(expr, "'" + expr.name + "' takes " +
                   (expr.name == "index"   ? "no arguments"
                    : expr.name == "digit" ? "one digit"
                                           : "a high and a low digit, or a dimension"));
  auto own = [&](int number, const Expr &where) {
    if (stage->nodeDigits.count(number))
      fail(where, "digit " + std::to_string(number) +
                      " is one of the digits the node works on; its arguments are the same for all elements of a node");
    return digitValue(stage->places[number - 1], stage->radices[number - 1], expr.loc);
  };
  int high = digits, low = 1;
  if (expr.name == "digit") {
    std::vector<int> list = digitList(*expr.arguments[0], context, stage->split, digits);
    if (list.size() != 1)
      fail(expr, "'digit' takes one digit; digits(hi, lo) takes several");
    return Value::of(own(list[0], expr));
  }
  if (expr.name == "digits" && count == 1) {
    const Expr &dimension = *expr.arguments[0];
    bool found = false;
    low = digits + 1;
    for (const auto &part : stage->split) {
      low -= part.second;
      if (dimension.kind == Expr::Kind::Variable && part.first == dimension.name && !found) {
        found = true;
        high = low + part.second - 1;
        break;
      }
    }
    if (!found)
      fail(dimension, "digits(..) takes a high and a low digit, or the name of a dimension of the sequence" +
                          dimensionsHint(stage->split));
  } else if (expr.name == "digits") {
    Int first = evalInteger(*expr.arguments[0], context, "a digit number");
    Int last = evalInteger(*expr.arguments[1], context, "a digit number");
    if (first < last)
      return Value::integer(0, expr.loc);
    for (int i = 0; i < 2; ++i) {
      Int number = i == 0 ? first : last;
      if (number < 1 || number > digits)
        fail(*expr.arguments[i], "digit " + spell(number) + " is out of range: the sequence has " +
                                     std::to_string(digits) + " digit" + (digits == 1 ? "" : "s"));
    }
    high = static_cast<int>(first);
    low = static_cast<int>(last);
  }
  if (expr.name == "index" && !stage->nodeDigits.empty())
    fail(expr, "index() contains the digits the node works on; its arguments are the same for all elements of a node");
  Value sum = Value::integer(0, expr.loc);
  Int weight = 1;
  for (int number = low; number <= high; ++number) {
    UntypedRef term = untyped(Op::Mul, {own(number, expr), integerConstant(weight, expr.loc)}, expr.loc).untyped;
    sum = untyped(Op::Add, {sum.untyped, term}, expr.loc);
    weight *= stage->radices[number - 1];
  }
  return sum;
}

Value Elaborator::evalOmega(const Expr &expr, Context &context) {
  if (expr.arguments.size() != 2)
    fail(expr, "'omega' takes the order and the exponent");
  Int order = evalInteger(*expr.arguments[0], context, "the order of a root of unity");
  if (order < 1 || order > INT64_MAX)
    fail(*expr.arguments[0], "the order of a root of unity is between 1 and 2^63 - 1, not " + spell(order));
  Value exponent = eval(*expr.arguments[1], context);
  auto result = std::make_shared<Untyped>();
  result->cls = Untyped::Class::Root;
  result->op = Op::Omega;
  result->loc = expr.loc;
  result->root = static_cast<int64_t>(order);
  if (exponent.kind == Value::Kind::Scalar && isInteger(*exponent.type)) {
    UntypedRef exact = scalarInteger(*exponent.builder, exponent.id, expr.loc, program.scalars);
    if (!exact)
      fail(*expr.arguments[1], "the exponent of a root of unity fits in 64 bits with a sign, which " +
                                   spell(*exponent.type) + " need not; convert it");
    exponent = Value::of(std::move(exact));
  }
  if (exponent.kind != Value::Kind::Untyped || exponent.untyped->cls != Untyped::Class::Integer)
    fail(*expr.arguments[1], "the exponent of a root of unity must be an integer, not " + describe(exponent));
  result->operands.push_back(exponent.untyped);
  result->depth = exponent.untyped->depth + 1;
  return Value::of(UntypedRef(std::move(result)));
}

std::pair<std::vector<int>, std::vector<std::pair<std::string, int>>> Elaborator::currentDigits(const Expr &expr,
                                                                                                Context &context) {
  if (context.stage)
    return {context.stage->radices, context.stage->split};
  const Value *first = nullptr;
  for (size_t i = 0; context.isAlgorithm() && i < context.function->params.size(); ++i) {
    const Param &param = context.function->params[i];
    if (!first && !param.type->dimensions.empty())
      first = context.find(param.name.text);
  }
  if (!first || first->kind != Value::Kind::Sequence)
    fail(expr, "'" + expr.name + "' may stand only in an algorithm that has a sequence");
  return {radicesOf(*first->sequence), first->sequence->split};
}

Value Elaborator::evalRadix(const Expr &expr, Context &context) {
  if (expr.arguments.size() != 1)
    fail(expr, "'radix' takes one digit");
  auto [radices, split] = currentDigits(expr, context);
  std::vector<int> list = digitList(*expr.arguments[0], context, split, static_cast<int>(radices.size()));
  if (list.size() != 1)
    fail(expr, "'radix' takes one digit");
  return Value::integer(radices[list[0] - 1], expr.loc);
}

} // namespace idc::frontend
