#include "Expressions.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace idc::random;
using Kind = Type::Kind;

static bool canConvert(const Type &from, const Type &to) {
  if (from == to)
    return false;
  switch (to.kind) {
  case Kind::Bool:
    return from.isInteger() || from.kind == Kind::Mod;
  case Kind::Mod:
    return from.isInteger();
  case Kind::F32:
  case Kind::F64:
    return from.isInteger() || from.isReal() || (from.isComplex() && from.part() == to);
  case Kind::ComplexF32:
  case Kind::ComplexF64:
    return from.isComplex() || from == to.part();
  default:
    return from.isInteger() || from.kind == Kind::Bool || (from.kind == Kind::Mod && to.bits() == 64);
  }
}

/// A sum, a product …: its exact error and the rounding of its result.
Expression Expressions::make(std::string text, const Type &type, double magnitude, double error) const {
  return {std::move(text), type, {magnitude, error + type.precision() * magnitude}};
}

Expression idc::random::tamed(Expression e) {
  if (e.type.precision() == 0 || e.bound.magnitude <= 8)
    return e;
  int shift = static_cast<int>(std::ceil(std::log2(e.bound.magnitude / 4)));
  double factor = std::ldexp(1, -shift);
  return {"(" + e.text + ") / " + std::to_string(int64_t(1) << shift),
          e.type,
          {e.bound.magnitude * factor, e.bound.error * factor}};
}

void Expressions::add(const std::string &name, const Type &type, const std::vector<Bound> &bounds) {
  std::vector<LeafOf> leaves = leavesOf(type);
  for (size_t i = 0; i < leaves.size(); ++i)
    scope.push_back({name + leaves[i].suffix, leaves[i].type, bounds[i]});
}

std::string Expressions::literal(const Type &type, Choices &choices, Bound &bound) {
  static const std::vector<std::pair<const char *, double>> reals = {{"1.0", 1},   {"0.5", 0.5}, {"-0.75", 0.75},
                                                                     {"0.1", 0.1}, {"-1.0", 1},  {"1.3", 1.3}};
  bound = {1, 0};
  switch (type.kind) {
  case Kind::Bool:
    return choices.pick(2) ? "false" : "true";
  case Kind::Mod:
    return "mod<" + std::to_string(type.modulus) + ">(" + std::to_string(choices.pick(17)) + ")";
  case Kind::F32:
  case Kind::F64: {
    auto [text, magnitude] = choices.pick(reals);
    bound = {magnitude, magnitude * type.precision()};
    return std::string(type.kind == Kind::F32 ? "f32(" : "f64(") + text + ")";
  }
  case Kind::ComplexF32:
  case Kind::ComplexF64: {
    Bound re, im;
    std::string a = literal(type.part(), choices, re), b = literal(type.part(), choices, im);
    bound = {re.magnitude + im.magnitude, re.error + im.error};
    return "complex(" + a + ", " + b + ")";
  }
  default: {
    static const std::vector<int64_t> values = {1, 0, 2, 3, 7, 100, 65535, 1 << 20};
    static const char *const names[] = {"i32", "", "", "", "", "i64", "u32", "u64"};
    return std::string(names[static_cast<int>(type.kind)]) + "(" + std::to_string(choices.pick(values)) + ")";
  }
  }
}

std::string Expressions::value(const Type &type, int depth, std::vector<Bound> &bounds) {
  if (type.kind != Kind::Record) {
    Expression e = tamed(scalar(type, depth));
    bounds.push_back(e.bound);
    return e.text;
  }
  return record(type, [&](const Type &field) { return value(field, depth, bounds); });
}

std::string Expressions::record(const Type &type, const std::function<std::string(const Type &)> &valueOf) {
  std::string text = names.name(type) + "{ ";
  for (size_t i = 0; i < type.fields.size(); ++i)
    text += std::string(i ? ", " : "") + static_cast<char>('a' + i) + ": " + valueOf(type.fields[i]);
  return text + " }";
}

Expression Expressions::scalar(const Type &type, int depth) {
  if (depth <= 0)
    return variable(type);
  if (choices.oneIn(16))
    return element(type, depth);
  switch (type.kind) {
  case Kind::Bool:
    return boolean(depth);
  case Kind::Mod:
    return residue(type, depth);
  case Kind::F32:
  case Kind::F64:
    return real(type, depth);
  case Kind::ComplexF32:
  case Kind::ComplexF64:
    return complex(type, depth);
  default:
    return integer(type, depth);
  }
}

/// An element of a small array, of constants often.
Expression Expressions::element(const Type &type, int depth) {
  const bool isTable = choices.pick(2);
  Bound worst{0, 0};
  std::string text;
  for (int i = 0, length = choices.between(1, isTable ? 12 : 4); i < length; ++i) {
    Bound bound;
    std::string member;
    if (isTable) {
      member = literal(type, choices, bound);
    } else {
      Expression chosen = scalar(type, depth - 2);
      member = chosen.text;
      bound = chosen.bound;
    }
    worst = {std::max(worst.magnitude, bound.magnitude), std::max(worst.error, bound.error)};
    text += (i ? ", " : "[") + member;
  }
  return {text + "][" + scalar({Kind::I32, 0, {}}, depth - 1).text + "]", type, worst};
}

Expression Expressions::variable(const Type &type) {
  std::vector<const Expression *> same, other;
  for (const Expression &e : scope)
    if (e.type == type)
      same.push_back(&e);
    else if (canConvert(e.type, type))
      other.push_back(&e);
  if (!same.empty() && (other.empty() || !choices.oneIn(8)))
    return *choices.pick(same);
  if (!other.empty())
    return converted(type, *choices.pick(other));
  Bound bound;
  std::string text = literal(type, choices, bound);
  return {text, type, bound};
}

Expression Expressions::converted(const Type &type, const Expression &from) {
  std::string to = names.name(type);
  switch (type.kind) {
  case Kind::Bool:
    if (from.type.kind == Kind::Mod)
      return make("(" + from.text + " == " + names.name(from.type) + "(1))", type, 1, 0);
    return make("(" + from.text + " % 2 == 0)", type, 1, 0);
  case Kind::F32:
  case Kind::F64:
    if (from.type.isInteger())
      return make(to + "(" + from.text + " % 4)", type, 3, 0);
    if (from.type.isReal())
      return make(to + "(" + from.text + ")", type, from.bound.magnitude, from.bound.error);
    switch (choices.pick(3)) {
    case 0:
      return make("re(" + from.text + ")", type, from.bound.magnitude, from.bound.error);
    case 1:
      return make("im(" + from.text + ")", type, from.bound.magnitude, from.bound.error);
    default: // the square root of a sum of squares, each of which may be lost below the larger one
      return make("abs(" + from.text + ")", type, from.bound.magnitude,
                  from.bound.error + 3 * type.precision() * from.bound.magnitude);
    }
  case Kind::ComplexF32:
  case Kind::ComplexF64:
    if (from.type.isComplex())
      return make(to + "(" + from.text + ")", type, from.bound.magnitude, from.bound.error);
    return make("complex(" + from.text + ", " + from.text + ")", type, 2 * from.bound.magnitude, 2 * from.bound.error);
  default:
    return make(to + "(" + from.text + ")", type, 1, 0);
  }
}

Expression Expressions::boolean(int depth) {
  std::vector<Type> ordered;
  for (const Expression &e : scope)
    if (e.type.isInteger())
      ordered.push_back(e.type);
  switch (choices.pick(ordered.empty() ? 5 : 8)) {
  case 0:
    return variable({Kind::Bool, 0, {}});
  case 1:
    return make("!(" + boolean(depth - 1).text + ")", {Kind::Bool, 0, {}}, 1, 0);
  case 2: {
    Expression a = scalar({Kind::Bool, 0, {}}, depth - 1);
    return make("(" + a.text + " && " + scalar(a.type, depth - 1).text + ")", a.type, 1, 0);
  }
  case 3: {
    Expression a = scalar({Kind::Bool, 0, {}}, depth - 1);
    return make("(" + a.text + " || " + scalar(a.type, depth - 1).text + ")", a.type, 1, 0);
  }
  case 4: {
    Expression a = scalar({Kind::Bool, 0, {}}, depth - 1);
    return make("(" + a.text + " != " + scalar(a.type, depth - 1).text + ")", a.type, 1, 0);
  }
  default: {
    static const std::vector<std::string> comparisons = {"<", "<=", ">", ">=", "==", "!="};
    Type type = choices.pick(ordered);
    Expression a = scalar(type, depth - 1), b = scalar(type, depth - 1);
    return make("(" + a.text + " " + choices.pick(comparisons) + " " + b.text + ")", {Kind::Bool, 0, {}}, 1, 0);
  }
  }
}

Expression Expressions::integer(const Type &type, int depth) {
  auto operand = [&] { return scalar(type, depth - 1).text; };
  auto binary = [&](const char *op) {
    std::string a = operand(), b = operand();
    return make("(" + a + " " + op + " " + b + ")", type, 1, 0);
  };
  auto call = [&](const char *name) {
    std::string a = operand(), b = operand();
    return make(std::string(name) + "(" + a + ", " + b + ")", type, 1, 0);
  };
  auto constant = [&](const char *op, int first, int last) {
    std::string a = operand();
    return make("(" + a + " " + op + " " + std::to_string(choices.between(first, last)) + ")", type, 1, 0);
  };
  auto chosen = [&] {
    std::string condition = boolean(depth - 1).text, a = operand(), b = operand();
    return make("select(" + condition + ", " + a + ", " + b + ")", type, 1, 0);
  };
  switch (choices.pick(20)) {
  case 0:
    return variable(type);
  case 1:
    return binary("+");
  case 2:
    return binary("-");
  case 3:
    return binary("*");
  case 4:
    return call("min");
  case 5:
    return call("max");
  case 6:
    return chosen();
  case 7:
    return binary("&");
  case 8:
    return binary("|");
  case 9:
    return call("xor");
  case 10:
    return constant("<<", 0, type.bits() - 1);
  case 11:
    return constant(">>", 0, type.bits() - 1);
  case 12:
    return constant("/", 1, 9);
  case 13:
    return constant("%", 1, 9);
  case 14: // the divisor is 1 … 8
    return make("(" + operand() + " / ((" + operand() + " & 7) + 1))", type, 1, 0);
  case 15:
    return make("(-" + operand() + ")", type, 1, 0);
  case 16:
    return make("(~" + operand() + ")", type, 1, 0);
  case 17:
    return type.isSigned() ? make("abs(" + operand() + ")", type, 1, 0) : binary("-");
  case 18:
    return make("popcount(" + operand() + ")", type, 1, 0);
  default: {
    std::string a = operand(), b = operand(), c = operand();
    return make("fma(" + a + ", " + b + ", " + c + ")", type, 1, 0);
  }
  }
}

Expression Expressions::real(const Type &type, int depth) {
  auto operand = [&] { return tamed(scalar(type, depth - 1)); };
  auto sum = [&](const std::string &text, const Bound &a, const Bound &b) {
    return make(text, type, a.magnitude + b.magnitude, a.error + b.error);
  };
  auto larger = [&](const std::string &text, const Bound &a, const Bound &b) { // no more than either's
    return make(text, type, std::max(a.magnitude, b.magnitude), std::max(a.error, b.error));
  };
  switch (choices.pick(13)) {
  case 0:
    return variable(type);
  case 1: {
    Expression a = operand(), b = operand();
    return sum("(" + a.text + " + " + b.text + ")", a.bound, b.bound);
  }
  case 2: {
    Expression a = operand(), b = operand();
    return sum("(" + a.text + " - " + b.text + ")", a.bound, b.bound);
  }
  case 3: {
    Expression a = operand(), b = operand();
    return make("(" + a.text + " * " + b.text + ")", type, a.bound.magnitude * b.bound.magnitude,
                a.bound.magnitude * b.bound.error + b.bound.magnitude * a.bound.error);
  }
  case 4: {
    Expression a = operand(), b = operand();
    return larger("min(" + a.text + ", " + b.text + ")", a.bound, b.bound);
  }
  case 5: {
    Expression a = operand(), b = operand();
    return larger("max(" + a.text + ", " + b.text + ")", a.bound, b.bound);
  }
  case 6: {
    std::string condition = boolean(depth - 1).text;
    Expression a = operand(), b = operand();
    return larger("select(" + condition + ", " + a.text + ", " + b.text + ")", a.bound, b.bound);
  }
  case 7: {
    Expression a = operand();
    return make("abs(" + a.text + ")", type, a.bound.magnitude, a.bound.error);
  }
  case 8: { // the divisor is at least 2
    Expression a = operand(), b = operand();
    return make("(" + a.text + " / (abs(" + b.text + ") + 2))", type, a.bound.magnitude / 2,
                a.bound.error / 2 +
                    a.bound.magnitude / 4 * (b.bound.error + type.precision() * (b.bound.magnitude + 2)));
  }
  case 9: { // of at least 1, where the derivative is at most 1/2
    Expression a = operand();
    double squareRoot = std::sqrt(a.bound.magnitude + 1);
    return make("sqrt(abs(" + a.text + ") + 1)", type, squareRoot,
                a.bound.error / 2 + type.precision() * (a.bound.magnitude + 1));
  }
  case 10: {
    Expression a = operand(), b = operand(), c = operand();
    double product = a.bound.magnitude * b.bound.magnitude;
    return make("fma(" + a.text + ", " + b.text + ", " + c.text + ")", type, product + c.bound.magnitude,
                a.bound.magnitude * b.bound.error + b.bound.magnitude * a.bound.error + c.bound.error +
                    type.precision() * product);
  }
  case 11: {
    Expression a = operand();
    return make("tanh(" + a.text + ")", type, 1, a.bound.error + type.precision());
  }
  default: {
    Expression a = operand();
    return make("(-" + a.text + ")", type, a.bound.magnitude, a.bound.error);
  }
  }
}

Expression Expressions::complex(const Type &type, int depth) {
  auto operand = [&] { return tamed(scalar(type, depth - 1)); };
  switch (choices.pick(8)) {
  case 0:
    return variable(type);
  case 1:
  case 2: {
    bool minus = choices.pick(2);
    Expression a = operand(), b = operand();
    return make("(" + a.text + (minus ? " - " : " + ") + b.text + ")", type, a.bound.magnitude + b.bound.magnitude,
                a.bound.error + b.bound.error);
  }
  case 3: {
    Expression a = operand(), b = operand();
    double product = a.bound.magnitude * b.bound.magnitude;
    return make("(" + a.text + " * " + b.text + ")", type, product,
                a.bound.magnitude * b.bound.error + b.bound.magnitude * a.bound.error + 3 * type.precision() * product);
  }
  case 4: {
    Expression a = operand();
    return make("conj(" + a.text + ")", type, a.bound.magnitude, a.bound.error);
  }
  case 5: {
    Expression a = operand(), b = tamed(scalar(type.part(), depth - 1));
    return make("(" + a.text + " * " + b.text + ")", type, a.bound.magnitude * b.bound.magnitude,
                a.bound.magnitude * b.bound.error + b.bound.magnitude * a.bound.error);
  }
  case 6: {
    Expression a = tamed(scalar(type.part(), depth - 1)), b = tamed(scalar(type.part(), depth - 1));
    return make("complex(" + a.text + ", " + b.text + ")", type, a.bound.magnitude + b.bound.magnitude,
                a.bound.error + b.bound.error);
  }
  default: {
    std::string condition = boolean(depth - 1).text;
    Expression a = operand(), b = operand();
    return make("select(" + condition + ", " + a.text + ", " + b.text + ")", type,
                std::max(a.bound.magnitude, b.bound.magnitude), std::max(a.bound.error, b.bound.error));
  }
  }
}

Expression Expressions::residue(const Type &type, int depth) {
  auto operand = [&] { return scalar(type, depth - 1).text; };
  auto binary = [&](const char *op) {
    std::string a = operand(), b = operand();
    return make("(" + a + " " + op + " " + b + ")", type, 1, 0);
  };
  switch (choices.pick(7)) {
  case 0:
    return variable(type);
  case 1:
    return binary("+");
  case 2:
    return binary("-");
  case 3:
    return binary("*");
  case 4:
    return make("(-" + operand() + ")", type, 1, 0);
  case 5: { // a power of the divisor, hence much code
    std::string a = operand();
    return make("(" + a + (type.modulus < 1000 ? " / " : " * ") + std::to_string(choices.between(1, 5)) + ")", type, 1,
                0);
  }
  default: {
    std::string condition = boolean(depth - 1).text, a = operand(), b = operand();
    return make("select(" + condition + ", " + a + ", " + b + ")", type, 1, 0);
  }
  }
}

std::string Expressions::linear(const Type &type, const std::vector<Expression> &terms, std::vector<Bound> &bounds) {
  if (type.kind == Kind::Record)
    return record(type, [&](const Type &field) { return linear(field, terms, bounds); });
  std::vector<Expression> own;
  std::copy_if(terms.begin(), terms.end(), std::back_inserter(own),
               [&](const Expression &e) { return e.type == type; });
  Expression e = sum(own);
  bounds.push_back(e.bound);
  return e.text;
}

/// A sum of constants times `terms`, which have one number type.
Expression Expressions::sum(const std::vector<Expression> &terms) {
  static const std::vector<std::pair<const char *, double>> reals = {{"", 1},  {"-", 1},         {"0.5 * ", 0.5},
                                                                     {"0", 0}, {"-0.3 * ", 0.3}, {"2 * ", 2}};
  static const std::vector<const char *> integers = {"", "-", "2 * ", "0", "3 * "};
  const Type &type = terms.front().type;
  std::string text;
  Bound sum{0, 0};
  for (const Expression &term : terms) {
    std::string factor;
    double size = 1;
    if (type.precision() != 0)
      std::tie(factor, size) = choices.pick(reals);
    else
      factor = choices.pick(integers);
    if (factor == "0")
      continue;
    if (type.isComplex() && choices.oneIn(4)) {
      Bound constant;
      factor += literal(type, choices, constant) + " * ";
      size *= constant.magnitude;
    }
    bool minus = !text.empty() && factor[0] == '-';
    text += (text.empty() ? "" : minus ? " - " : " + ") + factor.substr(minus) + term.text;
    sum.error += size * term.bound.error + 3 * type.precision() * size * term.bound.magnitude;
    sum.magnitude += size * term.bound.magnitude;
  }
  if (text.empty())
    return terms.front();
  return tamed(make(text, type, sum.magnitude, sum.error + type.precision() * sum.magnitude * double(terms.size())));
}
