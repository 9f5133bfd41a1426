#include "compiler/frontend/Value.h"

#include "compiler/frontend/Names.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace idc::frontend {

//===----------------------------------------------------------------------===//
// BodyBuilder
//===----------------------------------------------------------------------===//

int BodyBuilder::param(TypeRef type) {
  body.params.push_back(std::move(type));
  return static_cast<int>(body.params.size()) - 1;
}

int BodyBuilder::emit(Instr instr) {
  body.instrs.push_back(std::move(instr));
  return static_cast<int>(body.params.size() + body.instrs.size()) - 1;
}

int BodyBuilder::emit(Op op, TypeRef type, std::vector<int> operands, llvm::SMLoc loc) {
  Instr instr;
  instr.op = op;
  instr.type = std::move(type);
  instr.operands = std::move(operands);
  instr.loc = loc;
  const Instr *re = op == Op::MakeComplex ? constant(instr.operands[0]) : nullptr;
  const Instr *im = op == Op::MakeComplex ? constant(instr.operands[1]) : nullptr;
  if (re && im) {
    instr.op = Op::Constant;
    instr.operands.clear();
    std::tie(instr.real, instr.imag) = std::pair(re->real, im->real);
  }
  return emit(std::move(instr));
}

const Instr *BodyBuilder::constant(int id) const {
  const int index = id - static_cast<int>(body.params.size());
  return index >= 0 && body.instrs[index].op == Op::Constant ? &body.instrs[index] : nullptr;
}

TypeRef BodyBuilder::typeOf(int id) const {
  size_t params = body.params.size(), index = static_cast<size_t>(id);
  return index < params ? body.params[index] : body.instrs[index - params].type;
}

int BodyBuilder::import(const BodyBuilder &from, int id) {
  if (&from == this)
    return id;
  // Only builders without parameters (an algorithm's scalars) are imported from.
  std::set<int> needed = {id};
  for (auto next = needed.rbegin(); next != needed.rend(); ++next)
    for (int operand : from.body.instrs[*next].operands)
      needed.insert(operand);
  for (int value : needed) {
    auto known = imported.insert({{&from, value}, 0});
    if (!known.second)
      continue;
    Instr copy = from.body.instrs[value];
    for (int &operand : copy.operands)
      operand = imported.at({&from, operand});
    known.first->second = emit(std::move(copy));
  }
  return imported.at({&from, id});
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {
TypeRef makeType(Type::Kind kind) {
  auto type = std::make_shared<Type>();
  type->kind = kind;
  return type;
}
const std::vector<std::pair<std::string, TypeRef>> &scalarTypes() {
  static const std::vector<std::pair<std::string, TypeRef>> types = {
      {"bool", makeType(Type::Kind::Bool)}, {"i32", makeType(Type::Kind::I32)},   {"i64", makeType(Type::Kind::I64)},
      {"u32", makeType(Type::Kind::U32)},   {"u64", makeType(Type::Kind::U64)},   {"i8", makeType(Type::Kind::I8)},
      {"i16", makeType(Type::Kind::I16)},   {"u8", makeType(Type::Kind::U8)},     {"u16", makeType(Type::Kind::U16)},
      {"f16", makeType(Type::Kind::F16)},   {"bf16", makeType(Type::Kind::BF16)}, {"f32", makeType(Type::Kind::F32)},
      {"f64", makeType(Type::Kind::F64)}};
  return types;
}
} // namespace

TypeRef scalarType(const std::string &name) {
  for (const auto &entry : scalarTypes())
    if (entry.first == name)
      return entry.second;
  return nullptr;
}

std::vector<std::string> builtinTypes() {
  std::vector<std::string> names = {"complex", "mod"};
  for (const auto &entry : scalarTypes())
    names.push_back(entry.first);
  return names;
}

TypeRef boolType() { return scalarTypes()[0].second; }
TypeRef i64Type() { return scalarTypes()[2].second; }

TypeRef complexType(TypeRef real) {
  auto type = std::make_shared<Type>();
  type->kind = Type::Kind::Complex;
  type->element = std::move(real);
  return type;
}

TypeRef modType(uint64_t modulus) {
  auto type = std::make_shared<Type>();
  type->kind = Type::Kind::Mod;
  type->modulus = modulus;
  return type;
}

TypeRef arrayType(TypeRef element, int64_t length) {
  auto type = std::make_shared<Type>();
  type->kind = Type::Kind::Array;
  type->element = std::move(element);
  type->length = length;
  return type;
}

bool isInteger(const Type &type) { return type.kind >= Type::Kind::I8 && type.kind <= Type::Kind::U64; }

bool isSigned(const Type &type) { return type.kind >= Type::Kind::I8 && type.kind <= Type::Kind::I64; }

bool isReal(const Type &type) {
  return type.kind == Type::Kind::F16 || type.kind == Type::Kind::BF16 || type.kind == Type::Kind::F32 ||
         type.kind == Type::Kind::F64;
}

int bitWidth(const Type &type) {
  switch (type.kind) {
  case Type::Kind::I8:
  case Type::Kind::U8:
    return 8;
  case Type::Kind::I16:
  case Type::Kind::U16:
  case Type::Kind::F16:
  case Type::Kind::BF16:
    return 16;
  case Type::Kind::I64:
  case Type::Kind::U64:
  case Type::Kind::F64:
    return 64;
  default:
    return 32;
  }
}

std::string spell(const Type &type) {
  switch (type.kind) {
  case Type::Kind::Complex:
    return "complex<" + spell(*type.element) + ">";
  case Type::Kind::Mod:
    return "mod<" + std::to_string(type.modulus) + ">";
  case Type::Kind::Record:
    return type.name;
  case Type::Kind::Array:
    return spell(*type.element) + "[" + std::to_string(type.length) + "]";
  default:
    for (const auto &entry : scalarTypes())
      if (entry.second->kind == type.kind)
        return entry.first;
    return "?";
  }
}

std::string spellStructure(const Type &type) {
  if (type.kind == Type::Kind::Array)
    return spellStructure(*type.element) + "[" + std::to_string(type.length) + "]";
  if (type.kind != Type::Kind::Record)
    return spell(type);
  std::string text;
  for (const auto &[name, field] : type.fields)
    text += (text.empty() ? "{" : ", ") + name + ": " + spellStructure(*field);
  return text + "}";
}

bool equal(const Type &a, const Type &b) {
  if (&a == &b)
    return true;
  if (a.kind != b.kind || a.modulus != b.modulus || a.length != b.length || a.name != b.name ||
      a.fields.size() != b.fields.size() || !a.element != !b.element)
    return false;
  if (a.element && !equal(*a.element, *b.element))
    return false;
  for (size_t i = 0; i < a.fields.size(); ++i)
    if (a.fields[i].first != b.fields[i].first || !equal(*a.fields[i].second, *b.fields[i].second))
      return false;
  return true;
}

bool Body::readsScalars() const {
  return std::any_of(instrs.begin(), instrs.end(), [](const Instr &instr) { return instr.op == Op::ScalarParam; });
}

std::vector<TypeRef> leaves(const TypeRef &type) {
  std::vector<TypeRef> result;
  if (type->kind == Type::Kind::Record) {
    for (const auto &field : type->fields)
      for (TypeRef &leaf : leaves(field.second))
        result.push_back(std::move(leaf));
  } else if (type->kind == Type::Kind::Array) {
    std::vector<TypeRef> element = leaves(type->element);
    for (int64_t i = 0; i < type->length; ++i)
      result.insert(result.end(), element.begin(), element.end());
  } else {
    result.push_back(type);
  }
  return result;
}

int64_t countLeaves(const Type &type, int64_t most) {
  if (type.kind == Type::Kind::Array) {
    int64_t element = countLeaves(*type.element, most);
    return element > most / type.length ? most + 1 : element * type.length;
  }
  if (type.kind != Type::Kind::Record)
    return 1;
  int64_t count = 0;
  for (const auto &field : type.fields)
    if ((count += countLeaves(*field.second, most - count)) > most)
      break;
  return count;
}

std::vector<std::string> leafNames(const std::string &name, const Type &type) {
  std::vector<std::string> names;
  auto add = [&](const std::string &part, const Type &partType) {
    for (std::string &leaf : leafNames(part, partType))
      names.push_back(std::move(leaf));
  };
  if (type.kind == Type::Kind::Record)
    for (const auto &field : type.fields)
      add(name + "." + field.first, *field.second);
  else if (type.kind == Type::Kind::Array)
    for (int64_t i = 0; i < type.length; ++i)
      add(name + "[" + std::to_string(i) + "]", *type.element);
  else
    names.push_back(name);
  return names;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

int SequenceView::digits() const {
  return static_cast<int>(std::count_if(tags.begin(), tags.end(), [](int tag) { return tag > 0; }));
}

int SequenceView::place(int digit) const {
  auto at = std::find(tags.begin(), tags.end(), digit);
  return at == tags.end() ? 0 : static_cast<int>(at - tags.begin()) + 1;
}

Value Value::integer(Int value, llvm::SMLoc loc) { return of(integerConstant(value, loc)); }

Value Value::boolean(bool flag) {
  Value result;
  result.kind = Kind::Bool;
  result.flag = flag;
  return result;
}

Value Value::scalar(const BodyBuilder &builder, int id) {
  Value result;
  result.kind = Kind::Scalar;
  result.builder = &builder;
  result.id = id;
  result.type = builder.typeOf(id);
  return result;
}

Value Value::of(UntypedRef untyped) {
  Value result;
  result.kind = Kind::Untyped;
  result.untyped = std::move(untyped);
  return result;
}

Value Value::of(SequenceView view) {
  Value result;
  result.kind = Kind::Sequence;
  result.sequence = std::make_shared<const SequenceView>(std::move(view));
  return result;
}

Value Value::group(Kind kind, std::vector<Value> members, TypeRef type) {
  Value result;
  result.kind = kind;
  result.members = std::move(members);
  result.type = std::move(type);
  return result;
}

long double largestFinite(const Type &type) {
  switch (type.kind) {
  case Type::Kind::F16:
    return 65504.0L;
  case Type::Kind::BF16:
    return std::ldexp(255.0L, 120);
  case Type::Kind::F32:
    return std::ldexp(16777215.0L, 104);
  default:
    return std::ldexp(9007199254740991.0L, 971);
  }
}

void integerBounds(const Type &type, Int &low, Int &high) {
  int bits = bitWidth(type);
  low = isSigned(type) ? -(static_cast<Int>(1) << (bits - 1)) : 0;
  high = (static_cast<Int>(1) << (isSigned(type) ? bits - 1 : bits)) - 1;
}

bool isRealOperation(Op op) {
  switch (op) {
  case Op::Sqrt:
  case Op::Rsqrt:
  case Op::Exp:
  case Op::Log:
  case Op::Sin:
  case Op::Cos:
  case Op::Tanh:
  case Op::Erf:
  case Op::Pow:
  case Op::Atan2:
  case Op::Floor:
  case Op::Ceil:
  case Op::Round:
    return true;
  default:
    return false;
  }
}

TypeRef typeOf(const Value &value) {
  switch (value.kind) {
  case Value::Kind::Bool:
    return boolType();
  case Value::Kind::Scalar:
  case Value::Kind::Record:
    return value.type;
  case Value::Kind::Array:
    for (const Value &member : value.members)
      if (TypeRef element = typeOf(member))
        return arrayType(element, static_cast<int64_t>(value.members.size()));
    return nullptr;
  default:
    return nullptr;
  }
}

std::string describe(const Value &value) {
  if (TypeRef type = typeOf(value))
    return "a value of type " + spell(*type);
  switch (value.kind) {
  case Value::Kind::Untyped:
    if (value.untyped->cls == Untyped::Class::Root)
      return "a root of unity";
    if (value.untyped->cls == Untyped::Class::Real)
      return "a real number";
    return value.untyped->isConstant() ? "the integer " + spell(value.untyped->value) : "an integer made of digits";
  case Value::Kind::Record:
    return "a record '" + value.record->name.text + "'";
  case Value::Kind::Array:
    return "an array of " + std::to_string(value.members.size()) + " elements";
  case Value::Kind::Tuple:
    return "a tuple of " + std::to_string(value.members.size()) + " values";
  case Value::Kind::Sequence:
    return "a sequence";
  default:
    return "nothing";
  }
}

//===----------------------------------------------------------------------===//
// Untyped arithmetic
//===----------------------------------------------------------------------===//

UntypedRef integerConstant(Int value, llvm::SMLoc loc) {
  auto result = std::make_shared<Untyped>();
  result->loc = loc;
  result->value = result->low = result->high = result->constant = value;
  result->affine = true;
  return result;
}

UntypedRef realConstant(long double value, llvm::SMLoc loc) {
  auto result = std::make_shared<Untyped>();
  result->cls = Untyped::Class::Real;
  result->loc = loc;
  result->real = value;
  return result;
}

UntypedRef digitValue(int digit, int radix, llvm::SMLoc loc) {
  auto result = std::make_shared<Untyped>();
  result->op = Op::Digit;
  result->loc = loc;
  result->digit = digit;
  result->high = radix - 1;
  result->affine = true;
  result->terms[digit] = {1, radix};
  return result;
}

namespace {

/// One integer operation on constants; false with `error` set when it has no result.
bool fold(Op op, const Int &a, const Int &b, Int &out, std::string &error) {
  error = "integer overflow: the value needs more than " + std::to_string(maxBits) + " bits";
  switch (op) {
  case Op::Add:
    out = a + b;
    return isInRange(out);
  case Op::Sub:
    out = a - b;
    return isInRange(out);
  case Op::Mul:
    out = a * b;
    return isInRange(out);
  case Op::Div:
  case Op::Rem:
    if (b == 0) {
      error = "division by zero";
      return false;
    }
    out = op == Op::Div ? a / b : a % b;
    return true;
  case Op::And:
    out = a & b;
    return true;
  case Op::Or:
    out = a | b;
    return true;
  case Op::Xor:
    out = a ^ b;
    return true;
  case Op::Shl:
  case Op::Shr:
    if (b < 0 || b >= maxBits) {
      error = "shift by " + spell(b) + " is out of range";
      return false;
    }
    out = op == Op::Shl ? a << static_cast<int>(b) : a >> static_cast<int>(b);
    return isInRange(out);
  case Op::Popcount:
    if (a < 0) {
      error = "'popcount' of a negative number depends on its type; convert it, as in i32(..)";
      return false;
    }
    out = a.popcount();
    return true;
  case Op::Min:
    out = b < a ? b : a;
    return true;
  case Op::Max:
    out = a < b ? b : a;
    return true;
  default:
    error = "the operation is not defined on integers";
    return false;
  }
}

long double foldReal(Op op, long double a, long double b) {
  switch (op) {
  case Op::Add:
    return a + b;
  case Op::Sub:
    return a - b;
  case Op::Mul:
    return a * b;
  case Op::Div:
    return a / b;
  case Op::Neg:
    return -a;
  case Op::Min:
    return b < a ? b : a;
  case Op::Max:
    return a < b ? b : a;
  case Op::Abs:
    return std::fabs(a);
  case Op::Sqrt:
    return std::sqrt(a);
  case Op::Rsqrt:
    return 1 / std::sqrt(a);
  case Op::Exp:
    return std::exp(a);
  case Op::Log:
    return std::log(a);
  case Op::Sin:
    return std::sin(a);
  case Op::Tanh:
    return std::tanh(a);
  case Op::Erf:
    return std::erf(a);
  case Op::Pow:
    return std::pow(a, b);
  case Op::Atan2:
    return std::atan2(a, b);
  case Op::Floor:
    return std::floor(a);
  case Op::Ceil:
    return std::ceil(a);
  case Op::Round:
    return std::nearbyint(a);
  default:
    return std::cos(a);
  }
}

/// The least 2^k - 1 >= value, value >= 0.
Int bitsAbove(const Int &value) { return Int::powerOfTwo(value.bits() - 1) - 1; }

bool affineParts(Op op, Untyped &result) {
  const Untyped &a = *result.operands[0];
  const Untyped *b = result.operands.size() > 1 ? result.operands[1].get() : nullptr;
  Int factorA = 1, factorB = op == Op::Sub ? -1 : 1;
  if (op == Op::Neg)
    factorA = -1;
  if (!a.affine || (b && !b->affine))
    return false;
  if (op == Op::Mul) {
    if (!a.isConstant() && !b->isConstant())
      return false;
    factorA = b->isConstant() ? b->value : 0;
    factorB = b->isConstant() ? 0 : a.value;
  } else if (op != Op::Add && op != Op::Sub && op != Op::Neg) {
    return false;
  }
  auto add = [&](const Untyped &part, const Int &factor) {
    result.constant += part.constant * factor;
    for (const auto &term : part.terms)
      result.terms.insert({term.first, {0, term.second.second}}).first->second.first += term.second.first * factor;
  };
  add(a, factorA);
  if (b)
    add(*b, factorB);
  result.low = result.high = result.constant;
  for (const auto &term : result.terms) {
    const Int extreme = term.second.first * (term.second.second - 1);
    (extreme < 0 ? result.low : result.high) += extreme;
  }
  return true;
}

// Operands of integers made of digits stay so small that bounds do not overflow.
const Int largest = Int::powerOfTwo(100);

/// Bounds of an integer operation by interval arithmetic.
bool bounds(Op op, Untyped &result, std::string &error) {
  const Untyped &a = *result.operands[0];
  const Untyped &b = *result.operands.back();
  switch (op) {
  case Op::Neg:
    return fold(Op::Sub, 0, a.high, result.low, error) && fold(Op::Sub, 0, a.low, result.high, error);
  case Op::Abs:
    result.low = a.low > 0 ? a.low : (a.high < 0 ? -a.high : 0);
    result.high = std::max(a.high, -a.low);
    return true;
  case Op::Popcount:
    if (a.low < 0)
      return fold(op, a.low, a.low, result.low, error);
    result.low = 0;
    return fold(op, bitsAbove(a.high), 0, result.high, error);
  case Op::Min:
    result.low = std::min(a.low, b.low);
    result.high = std::min(a.high, b.high);
    return true;
  case Op::Max:
    result.low = std::max(a.low, b.low);
    result.high = std::max(a.high, b.high);
    return true;
  case Op::Select:
  case Op::Lookup:
    result.low = b.low;
    result.high = b.high;
    for (const UntypedRef &operand : result.operands) {
      result.low = std::min(result.low, operand->low);
      result.high = std::max(result.high, operand->high);
    }
    return true;
  case Op::And:
  case Op::Or:
  case Op::Xor: {
    Int mask = bitsAbove(std::max(std::max(a.high, b.high), std::max(-a.low, -b.low)));
    result.high = mask;
    result.low = a.low < 0 || b.low < 0 ? -mask - 1 : 0;
    return true;
  }
  case Op::Div:
  case Op::Rem:
    if (b.low <= 0 && b.high >= 0) {
      error = b.low == 0 && b.high == 0 ? "division by zero" : "the divisor may be zero";
      return false;
    }
    if (op == Op::Rem) {
      Int most = std::max(b.high, -b.low) - 1;
      result.low = a.low < 0 ? -most : 0;
      result.high = a.high > 0 ? most : 0;
      return true;
    }
    break;
  default:
    break;
  }
  // Monotone in each operand: the extremes are at the corners.
  bool first = true;
  for (Int x : {a.low, a.high})
    for (Int y : {b.low, b.high}) {
      Int corner;
      if (!fold(op, x, y, corner, error))
        return false;
      result.low = first ? corner : std::min(result.low, corner);
      result.high = first ? corner : std::max(result.high, corner);
      first = false;
    }
  return true;
}

} // namespace

UntypedRef makeUntyped(Op op, std::vector<UntypedRef> operands, llvm::SMLoc loc, std::string &error) {
  auto result = std::make_shared<Untyped>();
  result->op = op;
  result->loc = loc;
  result->operands = std::move(operands);
  bool constant = op != Op::Select && op != Op::Lookup, root = false, real = isRealOperation(op);
  for (const UntypedRef &operand : result->operands) {
    constant &= operand->isConstant();
    root |= operand->cls == Untyped::Class::Root;
    real |= operand->cls == Untyped::Class::Real;
    result->inexact |= operand->inexact;
    result->depth = std::max(result->depth, operand->depth + 1);
  }
  if (result->depth > 2000) {
    error = "expression grows too deep";
    return nullptr;
  }
  if (root || op == Op::MakeComplex || op == Op::Conj) {
    result->cls = Untyped::Class::Root;
    result->complexLiteral = true;
    for (const UntypedRef &operand : result->operands)
      result->complexLiteral &= operand->cls != Untyped::Class::Root || operand->complexLiteral;
    return result;
  }
  if (real) {
    result->cls = Untyped::Class::Real;
    for (const UntypedRef &operand : result->operands)
      if (operand->inexact) {
        error = std::string("an integer division that ") +
                (operand->isConstant() ? "is not exact may not become" : "may not be exact does not become") +
                " a real value; write one operand with a point, as in 1.0 / 2";
        return nullptr;
      }
    if (!constant)
      return result;
    auto number = [](const Untyped &operand) {
      return operand.cls == Untyped::Class::Real ? operand.real : static_cast<long double>(operand.value);
    };
    if (op == Op::Fma)
      return realConstant(number(*result->operands[0]) * number(*result->operands[1]) + number(*result->operands[2]),
                          loc);
    long double a = number(*result->operands[0]), b = number(*result->operands.back());
    return realConstant(foldReal(op, a, b), loc);
  }
  if (constant) {
    Int a = result->operands[0]->value, b = result->operands.back()->value, value;
    bool good;
    if (op == Op::Neg)
      good = fold(Op::Sub, 0, a, value, error);
    else if (op == Op::Not)
      good = fold(Op::Sub, -1, a, value, error);
    else if (op == Op::Abs)
      good = a >= 0 ? fold(Op::Add, a, 0, value, error) : fold(Op::Sub, 0, a, value, error);
    else if (op == Op::Fma)
      good = fold(Op::Mul, a, result->operands[1]->value, value, error) && fold(Op::Add, value, b, value, error);
    else
      good = fold(op, a, b, value, error);
    if (!good)
      return nullptr;
    auto folded = std::make_shared<Untyped>(*integerConstant(value, loc));
    folded->inexact = result->inexact || (op == Op::Div && a % b != 0);
    return folded;
  }
  for (const UntypedRef &operand : result->operands)
    if (operand->low < -largest || operand->high > largest) {
      error = "an integer made of digits does not fit in 64 bits";
      return nullptr;
    }
  if (op == Op::Fma) {
    UntypedRef product = makeUntyped(Op::Mul, {result->operands[0], result->operands[1]}, loc, error);
    return product ? makeUntyped(Op::Add, {product, result->operands[2]}, loc, error) : nullptr;
  }
  if (op == Op::Not) // ~x is -1 - x
    return makeUntyped(Op::Sub, {integerConstant(-1, loc), result->operands[0]}, loc, error);
  const Untyped &last = *result->operands.back();
  if (op == Op::Div)
    result->inexact |= !(last.isConstant() && (last.value == 1 || last.value == -1));
  result->affine = affineParts(op, *result);
  if (!result->affine) {
    result->terms.clear();
    if (!bounds(op, *result, error))
      return nullptr;
  }
  if (result->low < INT64_MIN || result->high > INT64_MAX) {
    error = "an integer made of digits does not fit in 64 bits";
    const auto isAny = [](const UntypedRef &operand) {
      return operand->low == INT64_MIN && operand->high == INT64_MAX;
    };
    if (std::any_of(result->operands.begin(), result->operands.end(), isAny))
      error += ": what may be any 'i64' needs bounds, as 's % N' has, an 'i32', or what 'require' says";
    return nullptr;
  }
  return result;
}

UntypedRef scalarInteger(const BodyBuilder &builder, int id, llvm::SMLoc loc,
                         const std::vector<ScalarParameter> &scalars) {
  TypeRef type = builder.typeOf(id);
  if (type->kind == Type::Kind::U64)
    return nullptr;
  auto result = std::make_shared<Untyped>();
  result->op = Op::Convert;
  result->loc = loc;
  result->scalarBuilder = &builder;
  result->scalar = id;
  // Calls with values that the program does not take are refused.
  const int index = id - static_cast<int>(builder.body.params.size());
  const bool isScalar = index >= 0 && builder.body.instrs[index].op == Op::ScalarParam;
  if (isScalar)
    std::tie(result->low, result->high) = boundsOf(scalars[builder.body.instrs[index].digit]);
  else
    integerBounds(*type, result->low, result->high);
  return result;
}

std::pair<Int, Int> boundsOf(const ScalarParameter &scalar) {
  Int low = 0, high = 1; // of a bool
  if (isInteger(*scalar.type))
    integerBounds(*scalar.type, low, high);
  for (const Requirement &required : scalar.required) {
    const Int number = static_cast<int64_t>(required.number);
    if (required.is == "<" || required.is == "<=" || required.is == "==")
      high = std::min(high, required.is == "<" ? number - 1 : number);
    if (required.is == ">" || required.is == ">=" || required.is == "==")
      low = std::max(low, required.is == ">" ? number + 1 : number);
  }
  return {low, high};
}

//===----------------------------------------------------------------------===//
// Rounding down
//===----------------------------------------------------------------------===//

namespace {

/// What is added to numbers that may be negative, a multiple of the divisor, so that truncating is rounding down; null
/// when sums would not fit in 64 bits.
UntypedRef liftedAboveZero(const UntypedRef &number, Int divisor, Int &quotient, llvm::SMLoc loc, std::string &error) {
  quotient = number->low < 0 ? (-number->low + divisor - 1) / divisor : 0;
  Int lift;
  if (quotient == 0)
    return number;
  lift = quotient * divisor;
  if (number->high > INT64_MAX - lift)
    return nullptr;
  return makeUntyped(Op::Add, {number, integerConstant(lift, loc)}, loc, error);
}

} // namespace

UntypedRef makeFloored(Op op, const UntypedRef &left, const UntypedRef &right, llvm::SMLoc loc, std::string &error) {
  if (right->low <= 0 && right->high >= 0)
    return makeUntyped(op, {left, right}, loc, error); // says so
  auto make = [&](Op made, UntypedRef a, UntypedRef b) {
    return a && b ? makeUntyped(made, {std::move(a), std::move(b)}, loc, error) : nullptr;
  };
  auto negated = [&](const UntypedRef &number) {
    return number ? makeUntyped(Op::Neg, {number}, loc, error) : nullptr;
  };
  if (right->high < 0) {
    UntypedRef a = negated(left), b = negated(right);
    UntypedRef result = a && b ? makeFloored(op, a, b, loc, error) : nullptr;
    return op == Op::Rem ? negated(result) : result;
  }
  if (left->low >= 0 && left->high < right->low)
    return op == Op::Rem ? left : integerConstant(0, loc);
  if (right->isConstant()) {
    if (right->value == 1)
      return op == Op::Rem ? integerConstant(0, loc) : left;
    Int quotient;
    if (UntypedRef lifted = liftedAboveZero(left, right->value, quotient, loc, error)) {
      UntypedRef result = make(op, lifted, right);
      return op == Op::Div && quotient != 0 ? make(Op::Sub, result, integerConstant(quotient, loc)) : result;
    }
  } else if (left->low >= 0) {
    return make(op, left, right);
  }
  UntypedRef rest = make(Op::Rem, make(Op::Add, make(Op::Rem, left, right), right), right);
  return op == Op::Rem ? rest : make(Op::Div, make(Op::Sub, left, rest), right);
}

Int powerMod(Int base, Int exponent, Int modulus) {
  Int result = 1 % modulus;
  for (base = (base % modulus + modulus) % modulus; exponent > 0; exponent >>= 1, base = base * base % modulus)
    result = exponent & 1 ? result * base % modulus : result;
  return result;
}

UntypedRef makePowerMod(Int base, const UntypedRef &exponent, Int modulus, llvm::SMLoc loc, std::string &error) {
  if (exponent->low < 0) {
    error = "an exponent made of digits may not be negative";
    return nullptr;
  }
  if (modulus > (static_cast<Int>(1) << 31)) {
    error = "a power of digits is taken modulo at most 2^31";
    return nullptr;
  }
  UntypedRef result = integerConstant(1 % modulus, loc);
  auto make = [&](Op op, const UntypedRef &a, const UntypedRef &b) {
    return a && b ? op == Op::Rem || op == Op::Div ? makeFloored(op, a, b, loc, error)
                                                   : makeUntyped(op, {a, b}, loc, error)
                  : nullptr;
  };
  // The bits of a number choose factors.
  auto multiply = [&](Int factor, const UntypedRef &number) {
    for (int bit = 0; result && (number->high >> bit) > 0; ++bit, factor = factor * factor % modulus) {
      UntypedRef above = make(Op::Div, number, integerConstant(static_cast<Int>(1) << bit, loc));
      UntypedRef chosen =
          make(Op::Mul, make(Op::Rem, above, integerConstant(2, loc)), integerConstant(factor - 1, loc));
      result = make(Op::Rem, make(Op::Mul, result, make(Op::Add, chosen, integerConstant(1, loc))),
                    integerConstant(modulus, loc));
    }
  };
  bool byDigits = exponent->affine && exponent->constant >= 0;
  for (const auto &term : exponent->terms)
    byDigits &= term.second.first >= 0;
  if (!byDigits) {
    multiply(powerMod(base, 1, modulus), exponent);
    return result;
  }
  result = integerConstant(powerMod(base, exponent->constant, modulus), loc);
  for (const auto &[digit, term] : exponent->terms)
    if (result)
      multiply(powerMod(base, term.first, modulus), digitValue(digit, term.second, loc));
  return result;
}

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

namespace {

constexpr size_t maxTerms = 4096;
using digits::Polynomial;

__extension__ typedef __int128 Wide; // products of residues

int64_t residue(const Int &value, int64_t modulus) {
  const Int rest = value % modulus;
  return static_cast<int64_t>(rest < 0 ? rest + modulus : rest);
}
int64_t residue(Wide value, int64_t modulus) {
  const Wide rest = value % modulus;
  return static_cast<int64_t>(rest < 0 ? rest + modulus : rest);
}

/// The product mod `modulus`, without overflow for any modulus below 2^63.
Polynomial multiply(const Polynomial &a, const Polynomial &b, int64_t modulus, const std::vector<int> &radices) {
  std::map<Polynomial::Monomial, int64_t> sums;
  for (const auto &x : a.monomials())
    for (const auto &y : b.monomials()) {
      Polynomial::Monomial digits(x.first);
      digits.insert(digits.end(), y.first.begin(), y.first.end());
      std::sort(digits.begin(), digits.end());
      Polynomial::Monomial reduced;
      for (int digit : digits)
        if (reduced.empty() || reduced.back() != digit || radices[digit - 1] != 2)
          reduced.push_back(digit);
      int64_t &sum = sums[reduced];
      sum = residue(static_cast<Wide>(sum) + static_cast<Wide>(x.second) * y.second, modulus);
    }
  Polynomial result;
  for (const auto &term : sums)
    result = result + Polynomial::term(term.second, term.first);
  return result;
}

Polynomial combine(const Polynomial &a, const Polynomial &b, int sign, int64_t modulus) {
  std::map<Polynomial::Monomial, int64_t> sums = a.monomials();
  for (const auto &term : b.monomials()) {
    int64_t &sum = sums[term.first];
    sum = residue(static_cast<Wide>(sum) + sign * static_cast<Wide>(term.second), modulus);
  }
  Polynomial result;
  for (const auto &term : sums)
    if (term.second != 0)
      result = result + Polynomial::term(term.second, term.first);
  return result;
}

} // namespace

std::optional<Polynomial> toPolynomial(const Untyped &integer, int64_t modulus, const std::vector<int> &radices) {
  if (integer.affine) {
    Polynomial result = Polynomial::constant(residue(integer.constant, modulus));
    for (const auto &term : integer.terms)
      result = result + Polynomial::term(residue(term.second.first, modulus), {term.first});
    return result.reduced(modulus, radices);
  }
  bool simple = integer.op == Op::Add || integer.op == Op::Sub || integer.op == Op::Mul || integer.op == Op::Neg ||
                (integer.op == Op::Shl && integer.operands[1]->isConstant());
  if (!simple)
    return std::nullopt;
  std::vector<Polynomial> parts;
  for (const UntypedRef &operand : integer.operands) {
    std::optional<Polynomial> part = toPolynomial(*operand, modulus, radices);
    if (!part || part->monomials().size() > maxTerms)
      return std::nullopt;
    parts.push_back(std::move(*part));
  }
  Polynomial result;
  if (integer.op == Op::Neg)
    result = combine(Polynomial(), parts[0], -1, modulus);
  else if (integer.op == Op::Shl)
    result = multiply(
        parts[0],
        Polynomial::constant(residue(static_cast<Int>(1) << static_cast<int>(integer.operands[1]->value), modulus)),
        modulus, radices);
  else if (integer.op == Op::Mul) {
    if (parts[0].monomials().size() * parts[1].monomials().size() > 16 * maxTerms)
      return std::nullopt;
    result = multiply(parts[0], parts[1], modulus, radices);
  } else
    result = combine(parts[0], parts[1], integer.op == Op::Add ? 1 : -1, modulus);
  if (result.monomials().size() > maxTerms)
    return std::nullopt;
  return result.reduced(modulus, radices);
}

} // namespace idc::frontend
