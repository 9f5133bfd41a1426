// Integer polynomials in index digits: the exponents of omega, kept symbolic from source to the last stage pass.
//
// A monomial is a sorted list of digit numbers (a digit may repeat: t3*t3), its coefficient an integer. With a modulus
// coefficients are kept in [0, N) and zero terms vanish, so equal exponents compare equal.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace idc::digits {

class Polynomial {
public:
  using Monomial = std::vector<int>; // sorted digit numbers; empty: the constant term
  Polynomial() = default;
  static Polynomial constant(int64_t value);
  static Polynomial digit(int number);
  static Polynomial term(int64_t coefficient, Monomial monomial);

  Polynomial operator+(const Polynomial &o) const;
  Polynomial operator-(const Polynomial &o) const;
  Polynomial operator*(const Polynomial &o) const;
  Polynomial operator*(int64_t k) const;
  /// The product with coefficients mod `modulus`, exact for any 63-bit coefficients; the operators above wrap at 64
  /// bits.
  Polynomial timesModulo(const Polynomial &o, int64_t modulus) const;

  /// Coefficients reduced to [0, modulus); for digits of radix 2 (radices least significant first) t*t is t.
  Polynomial reduced(int64_t modulus, const std::vector<int> &radices = {}) const;
  /// Every digit replaced by a polynomial (renaming, complement r-1-t, constants).
  Polynomial substitute(const std::function<Polynomial(int)> &value) const;
  /// The value for digit values (least significant first), mod `modulus` in [0, modulus).
  int64_t evaluate(const std::vector<int64_t> &digitValues, int64_t modulus) const;

  bool isZero() const { return terms.empty(); }
  bool isConstant() const { return terms.empty() || (terms.size() == 1 && terms.begin()->first.empty()); }
  int64_t constantTerm() const;
  /// All digits that occur, ascending.
  std::vector<int> digits() const;
  bool contains(int digit) const;
  /// Every monomial has at most one digit.
  bool isAffine() const;
  const std::map<Monomial, int64_t> &monomials() const & { return terms; }
  std::map<Monomial, int64_t> monomials() && { return std::move(terms); } // safe to iterate over a temporary

  bool operator==(const Polynomial &o) const { return terms == o.terms; }
  bool operator!=(const Polynomial &o) const { return !(*this == o); }
  bool operator<(const Polynomial &o) const { return terms < o.terms; }
  /// "4*t3*t1 + 2*t2 + 1"; "0" when zero.
  std::string str() const;

private:
  void add(const Monomial &monomial, int64_t coefficient);

  std::map<Monomial, int64_t> terms;
};

} // namespace idc::digits
