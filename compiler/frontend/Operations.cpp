// Arithmetic on values: typing of operands, literals that take the type they meet, conversions.
#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/OpNames.h"

#include <cmath>

namespace idc::frontend {

namespace {

bool isNumber(const Type &type) {
  return isInteger(type) || isReal(type) || type.kind == Type::Kind::Complex || type.kind == Type::Kind::Mod;
}

/// Whether `op` is defined on operands of `type`.
bool defined(Op op, const Type &type) {
  switch (op) {
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
  case Op::Div:
  case Op::Neg:
    return isNumber(type);
  case Op::Rem:
  case Op::And:
  case Op::Or:
  case Op::Xor:
  case Op::Shl:
  case Op::Shr:
  case Op::Not:
  case Op::Popcount:
  case Op::Clz:
    return isInteger(type);
  case Op::Eq:
  case Op::Ne:
    return isNumber(type) || type.kind == Type::Kind::Bool;
  case Op::Lt:
  case Op::Le:
  case Op::Gt:
  case Op::Ge:
  case Op::Min:
  case Op::Max:
    return isInteger(type) || isReal(type);
  case Op::Abs:
    return isInteger(type) || isReal(type) || type.kind == Type::Kind::Complex;
  case Op::Conj:
  case Op::Re:
  case Op::Im:
    return type.kind == Type::Kind::Complex;
  case Op::Fma:
    return isNumber(type);
  default:
    return isReal(type);
  }
}

bool isUntyped(const Value &value, Untyped::Class cls) {
  return value.kind == Value::Kind::Untyped && value.untyped->cls == cls;
}

} // namespace

//===----------------------------------------------------------------------===//
// Untyped values meeting a type
//===----------------------------------------------------------------------===//

Value Elaborator::untyped(Op op, std::vector<UntypedRef> operands, llvm::SMLoc loc) {
  std::string error;
  UntypedRef result = makeUntyped(op, std::move(operands), loc, error);
  if (!result)
    fail(loc, error);
  return Value::of(result);
}

Value Elaborator::untyped(Op op, const Value &scalar, std::vector<UntypedRef> operands, llvm::SMLoc loc,
                          BodyBuilder &builder) {
  auto result = std::make_shared<Untyped>(*untyped(op, std::move(operands), loc).untyped);
  result->scalarBuilder = &builder;
  result->scalar = use(scalar, builder);
  return Value::of(UntypedRef(std::move(result)));
}

int Elaborator::use(const Value &value, BodyBuilder &builder) { return builder.import(*value.builder, value.id); }

int Elaborator::emitInteger(const Untyped &value, BodyBuilder &builder) {
  countWork(value.loc);
  TypeRef type = i64Type();
  if (value.isConstant())
    return emitConstant(value, type, value.loc, builder, "an integer made of digits");
  Instr instr;
  instr.op = value.op;
  instr.type = type;
  instr.loc = value.loc;
  instr.digit = value.digit;
  if (value.scalarBuilder)
    instr.operands.push_back(builder.import(*value.scalarBuilder, value.scalar));
  for (const UntypedRef &operand : value.operands) {
    auto known = builder.integers.find(operand);
    if (known == builder.integers.end())
      known = builder.integers.emplace(operand, emitInteger(*operand, builder)).first;
    instr.operands.push_back(known->second);
  }
  return builder.emit(std::move(instr));
}

int Elaborator::emitConstant(const Untyped &value, const TypeRef &type, llvm::SMLoc loc, BodyBuilder &builder,
                             const std::string &what) {
  Instr instr;
  instr.op = Op::Constant;
  instr.type = type;
  instr.loc = loc;
  bool integer = value.cls == Untyped::Class::Integer;
  if (isInteger(*type)) {
    if (!integer && !std::isfinite(value.real))
      fail(loc, what + " is no finite number, but " + spell(*type) + " is needed; largest(" + spell(*type) +
                    ") and smallest(" + spell(*type) + ") are the outermost ones");
    if (!integer)
      fail(loc, what + " is a real number, but " + spell(*type) + " is needed; convert it with " + spell(*type) +
                    "(..), or the other values to a real type");
    Int low, high;
    integerBounds(*type, low, high);
    if (value.value < low || value.value > high)
      fail(loc, what + ": " + spell(value.value) + " does not fit in " + spell(*type));
    instr.intValue = static_cast<int64_t>(static_cast<uint64_t>(value.value));
  } else if (type->kind == Type::Kind::Mod) {
    if (!integer)
      fail(loc, what + " is a real number, but " + spell(*type) + " is needed");
    if (value.inexact)
      fail(loc, "an integer division that is not exact may not become a value of type " + spell(*type) +
                    "; inverse_mod(a, " + std::to_string(type->modulus) + ") is 1 / a there");
    Int rest = value.value % static_cast<Int>(type->modulus);
    instr.intValue = static_cast<int64_t>(static_cast<uint64_t>(rest < 0 ? rest + type->modulus : rest));
  } else if (isReal(*type) || type->kind == Type::Kind::Complex) {
    if (value.inexact)
      fail(loc, "an integer division that is not exact may not become a value of type " + spell(*type) +
                    "; write one operand with a point, as in 1.0 / 2");
    instr.real = integer ? static_cast<long double>(value.value) : value.real;
    const Type &real = isReal(*type) ? *type : *type->element;
    if (!(std::fabs(instr.real) <= largestFinite(real)) && !std::isinf(instr.real))
      fail(loc, what + ": the value does not fit in " + spell(real));
  } else {
    fail(loc, what + " is " + (integer ? "an integer" : "a real number") + ", but " + spell(*type) + " is needed");
  }
  return builder.emit(std::move(instr));
}

int Elaborator::emitOmega(const Untyped &value, const TypeRef &type, llvm::SMLoc loc, BodyBuilder &builder) {
  if (type->kind != Type::Kind::Complex && type->kind != Type::Kind::Mod)
    fail(loc, "a root of unity is a complex or mod value, but " + spell(*type) + " is needed");
  if (type->kind == Type::Kind::Mod && (type->modulus - 1) % static_cast<uint64_t>(value.root) != 0) {
    fail(value.loc, "there is no root of unity of order " + std::to_string(value.root) + " in " + spell(*type) +
                        ": the order must divide P-1 = " + std::to_string(type->modulus - 1));
  }
  Instr instr;
  instr.op = Op::Omega;
  instr.type = type;
  instr.root = value.root;
  instr.loc = value.loc;
  const Untyped &exponent = *value.operands[0];
  if (auto poly = toPolynomial(exponent, value.root, builder.radices)) {
    instr.hasPoly = true;
    instr.poly = std::move(*poly);
  } else {
    instr.operands.push_back(emitInteger(exponent, builder));
  }
  return builder.emit(std::move(instr));
}

int Elaborator::materialise(const Untyped &value, const TypeRef &type, llvm::SMLoc loc, BodyBuilder &builder,
                            const std::string &what) {
  countWork(loc);
  if (value.isConstant())
    return emitConstant(value, type, loc, builder, what);
  if (value.cls == Untyped::Class::Integer) {
    if (!isNumber(*type))
      fail(loc, what + " is an integer, but " + spell(*type) + " is needed");
    if (value.inexact && !isInteger(*type) && type->kind != Type::Kind::Mod)
      fail(loc, "an integer division that may not be exact does not become a value of type " + spell(*type) +
                    "; write one operand with a point, as in 1.0 / 2");
    if (isInteger(*type)) {
      Int low, high;
      integerBounds(*type, low, high);
      if (value.low < low || value.high > high)
        fail(loc, what + " takes values from " + spell(value.low) + " to " + spell(value.high) +
                      ", which do not fit in " + spell(*type));
    } else if (type->kind != Type::Kind::Mod) {
      const Type &real = isReal(*type) ? *type : *type->element;
      if (static_cast<long double>(std::max(value.high, -value.low)) > largestFinite(real))
        fail(loc, what + " takes values up to " + spell(std::max(value.high, -value.low)) + ", which do not fit in " +
                      spell(real));
    }
    int id = emitInteger(value, builder);
    return use(convert(Value::scalar(builder, id), type, loc, builder), builder);
  }
  if (value.op == Op::Omega)
    return emitOmega(value, type, loc, builder);
  if (value.cls == Untyped::Class::Root && type->kind != Type::Kind::Complex && type->kind != Type::Kind::Mod)
    fail(loc, what + " contains a root of unity or a complex number, but " + spell(*type) + " is needed");
  if (value.op == Op::MakeComplex || value.op == Op::Conj) {
    if (type->kind != Type::Kind::Complex)
      fail(loc, std::string(spelling(value.op)) + " is a complex operation, but " + spell(*type) + " is needed");
  } else if (value.op != Op::Select && value.op != Op::Lookup && !defined(value.op, *type)) {
    fail(value.loc, std::string("'") + spelling(value.op) + "' is not defined on " + spell(*type));
  }
  std::vector<int> operands;
  if (value.op == Op::Select || value.op == Op::Lookup)
    operands.push_back(builder.import(*value.scalarBuilder, value.scalar));
  for (const UntypedRef &operand : value.operands)
    operands.push_back(materialise(*operand, value.op == Op::MakeComplex ? type->element : type, loc, builder, what));
  return builder.emit(value.op, type, std::move(operands), value.loc);
}

Value Elaborator::coerce(const Value &value, const TypeRef &type, llvm::SMLoc loc, BodyBuilder &builder,
                         const std::string &what) {
  auto mismatch = [&]() { fail(loc, what + " must be of type " + spell(*type) + ", not " + describe(value)); };
  switch (value.kind) {
  case Value::Kind::Untyped:
    if (type->kind == Type::Kind::Record || type->kind == Type::Kind::Array || type->kind == Type::Kind::Bool)
      mismatch();
    return Value::scalar(builder, materialise(*value.untyped, type, loc, builder, what));
  case Value::Kind::Bool: {
    if (type->kind != Type::Kind::Bool)
      mismatch();
    Instr instr;
    instr.op = Op::Constant;
    instr.type = type;
    instr.intValue = value.flag;
    instr.loc = loc;
    return Value::scalar(builder, builder.emit(std::move(instr)));
  }
  case Value::Kind::Scalar:
    if (!equal(*value.type, *type))
      mismatch();
    return Value::scalar(builder, use(value, builder));
  case Value::Kind::Record: {
    if (value.type
            ? !equal(*value.type, *type)
            : type->kind != Type::Kind::Record || type->name.substr(0, type->name.find('<')) != value.record->name.text)
      mismatch();
    std::vector<Value> members;
    for (size_t i = 0; i < value.members.size(); ++i)
      members.push_back(coerce(value.members[i], type->fields[i].second, loc, builder,
                               "field '" + type->fields[i].first + "' of '" + type->name + "'"));
    return Value::group(Value::Kind::Record, std::move(members), type);
  }
  case Value::Kind::Array: {
    if (type->kind != Type::Kind::Array || static_cast<int64_t>(value.members.size()) != type->length)
      mismatch();
    std::vector<Value> members;
    for (const Value &member : value.members)
      members.push_back(coerce(member, type->element, loc, builder, "an element of " + what));
    return Value::group(Value::Kind::Array, std::move(members), type);
  }
  default:
    mismatch();
  }
  return value;
}

void Elaborator::flatten(const Value &value, BodyBuilder &builder, std::vector<int> &out) {
  if (value.kind == Value::Kind::Scalar)
    out.push_back(use(value, builder));
  for (const Value &member : value.members)
    flatten(member, builder, out);
}

Value Elaborator::assemble(const TypeRef &type, const BodyBuilder &builder, const std::vector<int> &leafIds,
                           size_t &next) {
  std::vector<Value> members;
  if (type->kind == Type::Kind::Record) {
    for (const auto &field : type->fields)
      members.push_back(assemble(field.second, builder, leafIds, next));
    return Value::group(Value::Kind::Record, std::move(members), type);
  }
  if (type->kind == Type::Kind::Array) {
    for (int64_t i = 0; i < type->length; ++i)
      members.push_back(assemble(type->element, builder, leafIds, next));
    return Value::group(Value::Kind::Array, std::move(members), type);
  }
  return Value::scalar(builder, leafIds[next++]);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

TypeRef Elaborator::unify(Value &left, Value &right, llvm::SMLoc loc, BodyBuilder &builder, const char *what) {
  TypeRef a = typeOf(left), b = typeOf(right);
  std::string place = std::string("an operand of '") + what + "'";
  for (const Value *side : {&left, &right})
    if (side->kind == Value::Kind::Tuple || side->kind == Value::Kind::Sequence || side->kind == Value::Kind::None)
      fail(loc, place + " is " + describe(*side) +
                    (side->kind == Value::Kind::Sequence ? "; apply a func to sequences with |>" : ""));
  if (!a && !b)
    fail(loc, std::string("the operands of '") + what + "' have no type yet; convert one of them");
  if (a && b && !equal(*a, *b)) {
    auto promote = [&](Value &value, const TypeRef &type) {
      if (type->kind != Type::Kind::Complex || value.kind != Value::Kind::Scalar || !equal(*value.type, *type->element))
        return false;
      value = convert(value, type, loc, builder);
      return true;
    };
    if (promote(left, b))
      return b;
    if (promote(right, a))
      return a;
    fail(loc, std::string("the operands of '") + what + "' have different types: " + spell(*a) + " and " + spell(*b));
  }
  TypeRef type = a ? a : b;
  const Value &open = a ? right : left;
  if (isUntyped(open, Untyped::Class::Root) && open.untyped->complexLiteral && isReal(*type)) {
    Value &real = a ? left : right;
    type = complexType(type);
    real = convert(real, type, loc, builder);
  }
  left = coerce(left, type, loc, builder, place);
  right = coerce(right, type, loc, builder, place);
  return type;
}

Value Elaborator::unary(Op op, const Value &value, llvm::SMLoc loc, BodyBuilder &builder) {
  if (value.kind == Value::Kind::Untyped) {
    if ((op == Op::Not || op == Op::Popcount) && value.untyped->cls != Untyped::Class::Integer)
      fail(loc, std::string("'") + (op == Op::Not ? "~" : "popcount") + "' is defined on integers");
    if (op == Op::Conj) {
      if (value.untyped->cls != Untyped::Class::Root)
        fail(loc, "'conj' is defined on complex values, not on " + describe(value));
      return untyped(op, {value.untyped}, loc);
    }
    if (op == Op::Re || op == Op::Im || op == Op::Clz)
      fail(loc, std::string("'") + spelling(op) + "' needs a value whose type is known; convert it, as in " +
                    (op == Op::Clz ? "i32(..)" : "complex<f32>(..)"));
    return untyped(op, {value.untyped}, loc);
  }
  if (value.kind != Value::Kind::Scalar || !defined(op, *value.type))
    fail(loc, std::string("'") + spelling(op) + "' is not defined on " + describe(value));
  bool toReal = value.type->kind == Type::Kind::Complex && (op == Op::Abs || op == Op::Re || op == Op::Im);
  return Value::scalar(builder,
                       builder.emit(op, toReal ? value.type->element : value.type, {use(value, builder)}, loc));
}

Value Elaborator::binary(Op op, const Value &left, const Value &right, llvm::SMLoc loc, BodyBuilder &builder) {
  if (left.kind == Value::Kind::Untyped && right.kind == Value::Kind::Untyped) {
    bool integersOnly =
        op == Op::Rem || op == Op::And || op == Op::Or || op == Op::Xor || op == Op::Shl || op == Op::Shr;
    if (integersOnly && (!isUntyped(left, Untyped::Class::Integer) || !isUntyped(right, Untyped::Class::Integer)))
      fail(loc, std::string("'") + spelling(op) + "' is defined on integers");
    return untyped(op, {left.untyped, right.untyped}, loc);
  }
  Value a = left, b = right;
  TypeRef type = unify(a, b, loc, builder, spelling(op));
  if (!defined(op, *type))
    fail(loc, std::string("'") + spelling(op) + "' is not defined on " + spell(*type));
  return Value::scalar(builder, builder.emit(op, type, {use(a, builder), use(b, builder)}, loc));
}

Value Elaborator::compare(Op op, const Value &left, const Value &right, llvm::SMLoc loc, BodyBuilder &builder) {
  if (left.kind == Value::Kind::Bool && right.kind == Value::Kind::Bool && (op == Op::Eq || op == Op::Ne))
    return Value::boolean((left.flag == right.flag) == (op == Op::Eq));
  Value a = left, b = right;
  if (left.kind == Value::Kind::Untyped && right.kind == Value::Kind::Untyped) {
    if (isUntyped(left, Untyped::Class::Root) || isUntyped(right, Untyped::Class::Root))
      fail(loc, std::string("the operands of '") + spelling(op) + "' have no type yet; convert one of them");
    const Untyped &x = *left.untyped, &y = *right.untyped;
    if (x.isConstant() && y.isConstant()) {
      auto decide = [&](auto p, auto q) {
        return Value::boolean(op == Op::Eq   ? p == q
                              : op == Op::Ne ? p != q
                              : op == Op::Lt ? p < q
                              : op == Op::Le ? p <= q
                              : op == Op::Gt ? p > q
                                             : p >= q);
      };
      if (x.cls == Untyped::Class::Integer && y.cls == Untyped::Class::Integer)
        return decide(x.value, y.value);
      auto number = [](const Untyped &v) {
        return v.cls == Untyped::Class::Real ? v.real : static_cast<long double>(v.value);
      };
      return decide(number(x), number(y));
    }
    // Integers made of digits are data: compare them as I64.
    if (x.cls != Untyped::Class::Integer || y.cls != Untyped::Class::Integer)
      fail(loc, "a real number cannot be compared with an integer made of digits; convert one of them");
    a = Value::scalar(builder, emitInteger(x, builder));
    b = Value::scalar(builder, emitInteger(y, builder));
  }
  TypeRef type = unify(a, b, loc, builder, spelling(op));
  if (!defined(op, *type))
    fail(loc, std::string("'") + spelling(op) + "' is not defined on " + spell(*type) +
                  (type->kind == Type::Kind::Complex || type->kind == Type::Kind::Mod ? ", which has no order" : ""));
  return Value::scalar(builder, builder.emit(op, boolType(), {use(a, builder), use(b, builder)}, loc));
}

Value Elaborator::select(const Value &condition, const Value &yes, const Value &no, llvm::SMLoc loc,
                         BodyBuilder &builder) {
  if (condition.kind != Value::Kind::Bool &&
      !(condition.kind == Value::Kind::Scalar && condition.type->kind == Type::Kind::Bool))
    fail(loc, "the condition of 'select' must be of type bool, not " + describe(condition));
  bool group = yes.kind == Value::Kind::Array || yes.kind == Value::Kind::Record || yes.kind == Value::Kind::Tuple;
  if (group || no.kind == Value::Kind::Array || no.kind == Value::Kind::Record || no.kind == Value::Kind::Tuple) {
    TypeRef a = typeOf(yes), b = typeOf(no);
    if (yes.kind != no.kind || yes.members.size() != no.members.size() ||
        (yes.kind == Value::Kind::Record && a && b && !equal(*a, *b)))
      fail(loc, "the two values of 'select' differ: " + describe(yes) + " and " + describe(no));
    Value x = yes, y = no;
    if (yes.kind == Value::Kind::Record && (a || b)) {
      x = coerce(yes, a ? a : b, loc, builder, "a value of 'select'");
      y = coerce(no, a ? a : b, loc, builder, "a value of 'select'");
    }
    Value result = x;
    for (size_t i = 0; i < x.members.size(); ++i)
      result.members[i] = select(condition, x.members[i], y.members[i], loc, builder);
    if (result.kind == Value::Kind::Array)
      result.type = nullptr;
    return result;
  }
  if (condition.kind == Value::Kind::Bool && yes.kind == Value::Kind::Untyped && no.kind == Value::Kind::Untyped)
    return condition.flag ? yes : no;
  Value flag = coerce(condition, boolType(), loc, builder, "the condition of 'select'");
  if (yes.kind == Value::Kind::Untyped && no.kind == Value::Kind::Untyped)
    return untyped(Op::Select, flag, {yes.untyped, no.untyped}, loc, builder);
  Value a = yes, b = no;
  TypeRef type = unify(a, b, loc, builder, "select");
  return Value::scalar(builder,
                       builder.emit(Op::Select, type, {use(flag, builder), use(a, builder), use(b, builder)}, loc));
}

Value Elaborator::fma(const Value &a, const Value &b, const Value &c, llvm::SMLoc loc, BodyBuilder &builder) {
  if (a.kind == Value::Kind::Untyped && b.kind == Value::Kind::Untyped && c.kind == Value::Kind::Untyped)
    return untyped(Op::Fma, {a.untyped, b.untyped, c.untyped}, loc);
  Value x = a, y = b, z = c;
  if (typeOf(x) || typeOf(y))
    unify(x, y, loc, builder, "fma");
  unify(x, z, loc, builder, "fma");
  TypeRef type = unify(x, y, loc, builder, "fma");
  if (!defined(Op::Fma, *type))
    fail(loc, "'fma' is not defined on " + spell(*type));
  return Value::scalar(builder, builder.emit(Op::Fma, type, {use(x, builder), use(y, builder), use(z, builder)}, loc));
}

Value Elaborator::makeComplex(const Value &re, const Value &im, llvm::SMLoc loc, BodyBuilder &builder) {
  if (re.kind == Value::Kind::Untyped && im.kind == Value::Kind::Untyped) {
    if (isUntyped(re, Untyped::Class::Root) || isUntyped(im, Untyped::Class::Root))
      fail(loc, "the parts of 'complex' are real values");
    return untyped(Op::MakeComplex, {re.untyped, im.untyped}, loc);
  }
  Value a = re, b = im;
  TypeRef type = unify(a, b, loc, builder, "complex");
  if (!isReal(*type))
    fail(loc, "the parts of 'complex' are real values, not " + spell(*type));
  return Value::scalar(builder,
                       builder.emit(Op::MakeComplex, complexType(type), {use(a, builder), use(b, builder)}, loc));
}

Value Elaborator::convert(const Value &value, const TypeRef &type, llvm::SMLoc loc, BodyBuilder &builder) {
  auto refuse = [&]() { fail(loc, "there is no conversion from " + describe(value) + " to " + spell(*type)); };
  std::string what = "the operand of '" + spell(*type) + "'";
  if (value.kind == Value::Kind::Untyped) {
    const Untyped &number = *value.untyped;
    if (number.cls == Untyped::Class::Real && isInteger(*type)) {
      if (!number.isConstant() || std::fabs(number.real) > 1e30L)
        refuse();
      return coerce(Value::integer(Int::truncated(number.real), loc), type, loc, builder, what);
    }
    if (type->kind == Type::Kind::Bool || type->kind == Type::Kind::Record || type->kind == Type::Kind::Array)
      refuse();
    return coerce(value, type, loc, builder, what);
  }
  if (value.kind == Value::Kind::Bool) {
    if (type->kind == Type::Kind::Bool)
      return coerce(value, type, loc, builder, what);
    if (!isInteger(*type) && !isReal(*type))
      refuse();
    return coerce(Value::integer(value.flag, loc), type, loc, builder, what);
  }
  if (value.kind != Value::Kind::Scalar)
    refuse();
  const Type &from = *value.type;
  if (equal(from, *type))
    return value;
  bool numbers = (isInteger(from) || isReal(from)) && (isInteger(*type) || isReal(*type));
  bool fromBool = from.kind == Type::Kind::Bool && (isInteger(*type) || isReal(*type));
  bool mod = (from.kind == Type::Kind::Mod && isInteger(*type)) || (isInteger(from) && type->kind == Type::Kind::Mod);
  bool complexes = from.kind == Type::Kind::Complex && type->kind == Type::Kind::Complex;
  if (numbers || fromBool || mod || complexes)
    return Value::scalar(builder, builder.emit(Op::Convert, type, {use(value, builder)}, loc));
  bool digits = from.kind == Type::Kind::I64; // integers made of digits reach complex through reals
  if (type->kind == Type::Kind::Complex && (isReal(from) || digits)) {
    Value re = convert(value, type->element, loc, builder);
    Value zero = coerce(Value::integer(0, loc), type->element, loc, builder, what);
    return Value::scalar(builder, builder.emit(Op::MakeComplex, type, {use(re, builder), use(zero, builder)}, loc));
  }
  refuse();
  return value;
}

} // namespace idc::frontend
