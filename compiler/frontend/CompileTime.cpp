// Functions whose operands are known when the program is compiled: number theory, and what a type of numbers holds.
#include "compiler/frontend/Elaborator.h"

#include "dialect/digits/NumberTheory.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <optional>
#include <utility>

namespace idc::frontend {

/// Whether a number is prime; nothing where it may be and is beyond what is proven, or tested. J. Sorenson, J. Webster:
/// Strong pseudoprimes to twelve prime bases. Math. Comp. 86 (2017): below this bound a number that the test of Miller
/// and Rabin takes for prime with the first 13 primes as bases is prime.
static std::optional<bool> isPrime(const Int &n) {
  if (n <= static_cast<Int>(UINT64_MAX))
    return n > 1 && digits::isPrime(static_cast<uint64_t>(n));
  constexpr int bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41};
  if (llvm::any_of(bases, [&](int base) { return n % base == 0; }))
    return false;
  constexpr unsigned tested = 4096; // bits, in a fraction of a second
  if (n >= Int::powerOfTwo(tested))
    return std::nullopt;
  const Int bound = static_cast<Int>(3317044064679) * static_cast<Int>(1000000000000) + static_cast<Int>(887385961981);
  Int odd = n - 1;
  int twos = 0;
  for (; (odd & 1) == 0; odd >>= 1)
    ++twos;
  for (int base : bases) {
    Int power = powerMod(base, odd, n);
    bool passes = power == 1;
    for (int i = 0; i < twos && !passes; ++i) {
      passes = power == n - 1;
      power = power * power % n;
    }
    if (!passes)
      return false;
  }
  return n < bound ? std::optional(true) : std::nullopt;
}

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
    if (n[i] < 1)
      fail(expr, "'" + name + "' needs a modulus of at least 1, not " + spell(n[i]));
    return n[i];
  };
  auto residue = [](Int value, Int modulus) { return (value % modulus + modulus) % modulus; };
  auto result = [&](Int value) { return Value::integer(value, expr.loc); };
  if (name == "is_prime") {
    const std::optional<bool> known = isPrime(n[0]);
    if (!known)
      fail(expr, "whether " + spell(n[0]) + " is prime is not known: it may be, and is larger than 3.3e24");
    return Value::boolean(*known);
  }
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
  const Int prime = n[0];
  if (prime > static_cast<Int>(UINT64_MAX))
    fail(expr, "primitive_root needs a prime below 2^64, not " + spell(prime));
  if (prime < 1 || !digits::isPrime(static_cast<uint64_t>(prime)))
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
