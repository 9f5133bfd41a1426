// Functions whose operands are known when the program is compiled: number theory, and what a type of numbers holds.
#include "compiler/frontend/Elaborator.h"

#include "dialect/digits/NumberTheory.h"

#include <cmath>
#include <utility>

namespace idc::frontend {

Value Elaborator::evalNumberTheory(const Expr &expr, const std::string &name, const std::vector<Value> &arguments) {
  std::vector<Int> n;
  const Value *exponent = nullptr; // of a power: may be made of digits
  for (const Value &argument : arguments) {
    const bool isInteger = argument.kind == Value::Kind::Untyped && argument.untyped->cls == Untyped::Class::Integer;
    if (isInteger && name == "power_mod" && n.size() == 1)
      exponent = &argument;
    else if (!argument.isConstantInteger())
      fail(expr, "the operands of '" + name + "' must be integers known at compile time, not " + describe(argument) +
                     (isInteger && name == "power_mod" ? "; the exponent alone may be made of digits" : ""));
    n.push_back(argument.untyped->value);
  }
  auto positive = [&](size_t i) {
    if (n[i] < 1 || n[i] > INT64_MAX)
      fail(expr, "'" + name + "' needs a modulus from 1 to 2^63 - 1, not " + spell(n[i]));
    return n[i];
  };
  auto residue = [](Int value, Int modulus) { return (value % modulus + modulus) % modulus; };
  auto result = [&](Int value) { return Value::integer(value, expr.loc); };
  if (name == "is_prime")
    return Value::boolean(n[0] > 1 && n[0] <= static_cast<Int>(UINT64_MAX) &&
                          digits::isPrime(static_cast<uint64_t>(n[0])));
  if (name == "gcd" || name == "inverse_mod") { // Euclid's algorithm, with the factor of the first number
    Int a = name == "gcd" ? n[0] : residue(n[0], positive(1)), b = n[1], x = 1, y = 0;
    while (b != 0) {
      const Int quotient = a / b;
      std::swap(a -= quotient * b, b);
      std::swap(x -= quotient * y, y);
    }
    if (name == "gcd")
      return result(a < 0 ? -a : a);
    if (a != 1 && n[1] != 1)
      fail(expr, spell(n[0]) + " has no inverse modulo " + spell(n[1]) + ": both are divisible by " + spell(a));
    return result(residue(x, n[1]));
  }
  if (name == "power_mod" && !exponent->isConstantInteger()) {
    std::string error;
    UntypedRef power = makePowerMod(n[0], exponent->untyped, positive(2), expr.loc, error);
    if (!power)
      fail(expr, error);
    return Value::of(std::move(power));
  }
  if (name == "power_mod") {
    if (n[1] < 0)
      fail(expr,
           "the exponent " + spell(n[1]) + " is negative; power_mod(inverse_mod(a, m), e, m) is the inverse's power");
    return result(powerMod(n[0], n[1], positive(2)));
  }
  const Int prime = positive(0);
  if (!digits::isPrime(static_cast<uint64_t>(prime)))
    fail(expr, "primitive_root needs a prime, and " + spell(prime) + " is none");
  return result(static_cast<Int>(digits::primitiveRoot(static_cast<uint64_t>(prime))));
}

Value Elaborator::evalTypeFunction(const Expr &expr, Context &context) {
  if (expr.arguments.size() != 1)
    fail(expr, "'" + expr.name + "' takes one type");
  const Expr &argument = *expr.arguments[0];
  TypeRef type = givenType(argument, context);
  if (!isReal(*type) && (!isInteger(*type) || expr.name == "epsilon"))
    fail(argument, "'" + expr.name + "' is defined on " + (expr.name == "epsilon" ? "reals" : "integers and reals") +
                       ", not on " + spell(*type));
  if (isInteger(*type)) {
    Int low, high;
    integerBounds(*type, low, high);
    return Value::integer(expr.name == "largest" ? high : low, expr.loc);
  }
  const int digits = type->kind == Type::Kind::F16    ? 11
                     : type->kind == Type::Kind::BF16 ? 8
                     : type->kind == Type::Kind::F32  ? 24
                                                      : 53;
  const long double value = expr.name == "epsilon"   ? std::ldexp(1.0L, 1 - digits)
                            : expr.name == "largest" ? largestFinite(*type)
                                                     : -largestFinite(*type);
  return Value::of(realConstant(value, expr.loc));
}

} // namespace idc::frontend
