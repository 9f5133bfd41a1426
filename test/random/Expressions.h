// Random expressions of funcs and nodes, with a bound on the error that rounding can cause in them.
//
// Nothing that a rounding error could turn into a large one is written on reals: no comparison decides between values
// that are far apart, no real becomes an integer, divisors stay away from 0, and magnitudes are kept small. Integers
// wrap and may do anything but divide by 0.
#pragma once

#include "Types.h"

#include <functional>

namespace idc::random {

struct Expression {
  std::string text;
  Type type;
  Bound bound;
};

class Expressions {
public:
  Expressions(Choices &choices, TypeNames &names) : choices(choices), names(names) {}

  /// The leaves of a parameter become usable.
  void add(const std::string &name, const Type &type, const std::vector<Bound> &bounds);

  /// A value of any type; its leaves' bounds in `bounds`.
  std::string value(const Type &type, int depth, std::vector<Bound> &bounds);

  /// A value each leaf of which is a sum of constants times those of `terms` that have its type; there are some.
  std::string linear(const Type &type, const std::vector<Expression> &terms, std::vector<Bound> &bounds);

  static std::string literal(const Type &type, Choices &choices, Bound &bound);

private:
  Choices &choices;
  TypeNames &names;
  std::vector<Expression> scope;

  std::string record(const Type &type, const std::function<std::string(const Type &)> &valueOf);
  Expression sum(const std::vector<Expression> &terms);
  Expression scalar(const Type &type, int depth);
  Expression variable(const Type &type);
  Expression element(const Type &type, int depth);
  Expression converted(const Type &type, const Expression &from);
  Expression boolean(int depth);
  Expression integer(const Type &type, int depth);
  Expression real(const Type &type, int depth);
  Expression complex(const Type &type, int depth);
  Expression residue(const Type &type, int depth);
  Expression make(std::string text, const Type &type, double magnitude, double error) const;
};

/// Multiplied down to where many steps do not overflow.
Expression tamed(Expression expression);

} // namespace idc::random
