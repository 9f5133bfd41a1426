// Exponents of roots of unity for people, read back as what they were.
#include "compiler/explain/Exponent.h"

#include "gtest/gtest.h"

using idc::digits::Polynomial;
using idc::explain::spellExponent;

namespace {

/// Σ weight(k) · digit(k) for k from `low` to `high` of radix 2.
Polynomial range(int high, int low) {
  Polynomial sum;
  for (int digit = low; digit <= high; ++digit)
    sum = sum + Polynomial::digit(digit) * (int64_t(1) << (digit - low));
  return sum;
}

TEST(Exponent, IsInTheTermsOfPrograms) {
  const std::vector<int> binary(8, 2);
  auto spell = [&](const Polynomial &exponent, int64_t root) {
    return spellExponent(exponent.reduced(root, binary), root, binary);
  };
  const Polynomial three = Polynomial::digit(3);
  EXPECT_EQ(spell(Polynomial(), 8), "0");
  EXPECT_EQ(spell(Polynomial::constant(5), 16), "5");
  EXPECT_EQ(spell(three * range(2, 1), 8), "i_3*digits(2, 1)");
  EXPECT_EQ(spell(three * range(2, 1) * -1, 8), "-i_3*digits(2, 1)");
  EXPECT_EQ(spell(three * range(2, 1) * 2 + Polynomial::constant(-1), 16), "2*i_3*digits(2, 1) - 1");
  EXPECT_EQ(spell(Polynomial::digit(4) * 3, 8), "3*i_4");
  EXPECT_EQ(spell(range(6, 2), 64), "digits(6, 2)");
  EXPECT_EQ(spell(Polynomial::digit(1) + Polynomial::digit(2), 8), "i_1 + i_2");
  EXPECT_EQ(spell(Polynomial::digit(1) + Polynomial::digit(2) * 2 + Polynomial::digit(4) * 8, 64),
            "digits(2, 1) + 8*i_4");
}

TEST(Exponent, KnowsOtherRadices) {
  const std::vector<int> radices{3, 5, 2};
  const Polynomial sum = Polynomial::digit(1) + Polynomial::digit(2) * 3;
  EXPECT_EQ(spellExponent((sum * Polynomial::digit(3)).reduced(30, radices), 30, radices), "i_3*digits(2, 1)");
}

} // namespace
