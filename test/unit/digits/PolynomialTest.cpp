#include "dialect/digits/Polynomial.h"

#include <gtest/gtest.h>

#include <random>

using namespace idc::digits;

namespace {

Polynomial t(int digit) { return Polynomial::digit(digit); }
Polynomial c(int64_t value) { return Polynomial::constant(value); }

TEST(Polynomial, Text) {
  EXPECT_EQ(Polynomial().str(), "0");
  EXPECT_EQ((t(1) * t(3) * 4 + t(2) * 2 + c(1)).str(), "4*t3*t1 + 2*t2 + 1");
  EXPECT_EQ((c(0) - t(2) - c(3)).str(), "-t2 - 3");
  EXPECT_EQ((t(3) * t(3) + t(12)).str(), "t12 + t3*t3");
  EXPECT_EQ(Polynomial::term(5, {4, 1}), t(1) * t(4) * 5);
}

TEST(Polynomial, Reduction) {
  EXPECT_TRUE((t(1) * 8).reduced(8).isZero());
  EXPECT_EQ((t(1) * -1).reduced(8), t(1) * 7);
  EXPECT_EQ((t(1) * t(1) * t(2) + t(1) * t(2)).reduced(8, {2, 2}), t(1) * t(2) * 2);
  EXPECT_EQ((t(1) * t(1) * 3).reduced(8, {3}), t(1) * t(1) * 3);
  EXPECT_EQ((t(1) * t(1) * 4 + t(1) * 4).reduced(8, {2}), Polynomial());
  EXPECT_TRUE(c(7).reduced(1).isZero());
}

TEST(Polynomial, Queries) {
  const Polynomial p = t(5) * t(2) + t(2) + c(9);
  EXPECT_EQ(p.digits(), (std::vector<int>{2, 5}));
  EXPECT_TRUE(p.contains(5));
  EXPECT_FALSE(p.contains(3));
  EXPECT_FALSE(p.isAffine());
  EXPECT_TRUE((t(5) + c(2)).isAffine());
  EXPECT_FALSE((t(5) * t(5)).isAffine());
  EXPECT_EQ(p.constantTerm(), 9);
  EXPECT_TRUE(c(4).isConstant());
  EXPECT_TRUE(Polynomial().isConstant());
  EXPECT_FALSE(p.isConstant());
}

TEST(Polynomial, Substitution) {
  const Polynomial p = t(1) * t(2) * 4 + t(1);
  EXPECT_EQ(p.substitute([](int d) { return d == 1 ? c(1) - t(7) : t(d); }), t(2) * 4 - t(2) * t(7) * 4 + c(1) - t(7));
  EXPECT_EQ(p.substitute([](int) { return c(0); }), Polynomial());
}

TEST(Polynomial, LargeModulus) {
  const int64_t modulus = (int64_t(1) << 62) + 57;
  const Polynomial p = (t(1) * (modulus - 1)).timesModulo(t(2) * (modulus - 1) + t(2), modulus);
  EXPECT_TRUE(p.isZero());
  EXPECT_EQ((t(1) * (modulus - 1)).evaluate({modulus - 2}, modulus), 2);
}

Polynomial randomPolynomial(std::mt19937 &random) {
  Polynomial p;
  for (int k = random() % 5; k > 0; --k) {
    Polynomial::Monomial monomial;
    for (int m = random() % 3; m > 0; --m)
      monomial.push_back(1 + static_cast<int>(random() % 4));
    p = p + Polynomial::term(static_cast<int>(random() % 41) - 20, monomial);
  }
  return p;
}

/// Arithmetic, reduction and substitution against evaluation.
TEST(Polynomial, RandomAgainstValues) {
  std::mt19937 random(2);
  const std::vector<int> radices{2, 3, 2, 5};
  for (int trial = 0; trial < 2000; ++trial) {
    const int64_t m = 1 + random() % 40;
    const Polynomial a = randomPolynomial(random), b = randomPolynomial(random);
    std::vector<int64_t> values;
    for (int radix : radices)
      values.push_back(random() % radix);
    const int64_t va = a.evaluate(values, m), vb = b.evaluate(values, m);
    ASSERT_TRUE(va >= 0 && va < m);
    EXPECT_EQ((a + b).evaluate(values, m), (va + vb) % m);
    EXPECT_EQ((a - b).evaluate(values, m), (va - vb + m) % m);
    EXPECT_EQ((a * b).evaluate(values, m), va * vb % m);
    EXPECT_EQ(a.timesModulo(b, m), (a * b).reduced(m));
    EXPECT_EQ(a.reduced(m, radices).evaluate(values, m), va);
    const Polynomial mirrored =
        a.substitute([&](int d) { return Polynomial::constant(radices[d - 1] - 1) - Polynomial::digit(d); });
    std::vector<int64_t> complemented = values;
    for (size_t i = 0; i < radices.size(); ++i)
      complemented[i] = radices[i] - 1 - values[i];
    EXPECT_EQ(mirrored.evaluate(complemented, m), va);
    for (const auto &[monomial, coefficient] : a.reduced(m, radices).monomials())
      EXPECT_TRUE(coefficient > 0 && coefficient < m);
  }
}

} // namespace
