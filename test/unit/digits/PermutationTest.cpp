#include "dialect/digits/Permutation.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace idc::digits;

namespace {

/// The permutation as its effect on [t_n … t_1]: most significant place first.
std::vector<int> places(const Permutation &p) {
  std::vector<int> result;
  for (int place = p.size(); place >= 1; --place)
    result.push_back(p.source(place));
  return result;
}
using Digits = std::vector<int>;

Permutation randomPermutation(int n, std::mt19937 &random) {
  Digits sources(n);
  std::iota(sources.begin(), sources.end(), 1);
  std::shuffle(sources.begin(), sources.end(), random);
  Permutation p = Permutation::fromSources(sources);
  for (int i = 1; i <= n; ++i)
    if (random() % 3 == 0)
      p = p.then(Permutation::complement(n, i));
  return p;
}

TEST(Permutation, OperatorsOfThePapers) {
  EXPECT_EQ(places(Permutation::unshuffle(8, 7, 2).power(2)), (Digits{8, 3, 2, 7, 6, 5, 4, 1}));
  EXPECT_EQ(places(Permutation::unshuffle(8, 8, 6, 2, 1)), (Digits{1, 8, 7, 5, 4, 3, 6, 2}));
  EXPECT_EQ(places(Permutation::reverse(8, 7, 2)), (Digits{8, 2, 3, 4, 5, 6, 7, 1}));
}

TEST(Permutation, EmptyFieldsMoveNothing) {
  EXPECT_TRUE(Permutation::unshuffle(4, 2, 3).isIdentity());
  EXPECT_TRUE(Permutation::unshuffle(4, 0, 1).isIdentity());
  EXPECT_TRUE(Permutation::reverse(0, 0, 1).isIdentity());
  EXPECT_TRUE(Permutation::reverse(4, 4, 5).isIdentity());
  EXPECT_EQ(Permutation::unshuffle(5, 5, 3, 1, 2), Permutation::unshuffle(5, 5, 3));
  EXPECT_EQ(Permutation::unshuffle(5, 4, 5, 3, 1), Permutation::unshuffle(5, 3, 1));
  EXPECT_TRUE(Permutation::unshuffle(5, 4, 5, 2, 3).isIdentity());
}

TEST(Permutation, UnshuffleSeparatesEvenAndOdd) {
  // Γ n,1 of 8 elements: even indices to the lower half.
  const Permutation p = Permutation::unshuffle(3, 3, 1);
  const std::vector<int64_t> expected{0, 4, 1, 5, 2, 6, 3, 7};
  for (int64_t i = 0; i < 8; ++i)
    EXPECT_EQ(p.destinationIndex({2, 2, 2}, i), expected[i]);
}

TEST(Permutation, CompositionIsLeftToRight) {
  const Permutation a = Permutation::unshuffle(3, 3, 1), b = Permutation::reverse(3, 3, 2);
  EXPECT_EQ(places(a), (Digits{1, 3, 2}));
  EXPECT_EQ(places(a.then(b)), (Digits{3, 1, 2}));
}

TEST(Permutation, ComplementMovesWithItsDigit) {
  const Permutation p = Permutation::complement(3, 1).then(Permutation::unshuffle(3, 3, 1));
  EXPECT_EQ(p.str(), "[~1 3 2]");
  EXPECT_TRUE(p.hasComplement());
  EXPECT_EQ(p.then(Permutation::complement(3, 3)).str(), "[1 3 2]");
}

TEST(Permutation, ExtendedKeepsDigitsAbove) {
  const Permutation p = Permutation::complement(2, 1).then(Permutation::unshuffle(2, 2, 1));
  EXPECT_EQ(p.extended(4).str(), "[4 3 ~1 2]");
  EXPECT_EQ(p.extended(2), p);
  EXPECT_TRUE(Permutation().extended(3).isIdentity());
}

TEST(Permutation, BijectionCheck) {
  EXPECT_TRUE(Permutation::isBijection({2, 1, 3}));
  EXPECT_FALSE(Permutation::isBijection({2, 2, 3}));
  EXPECT_FALSE(Permutation::isBijection({0, 1}));
  EXPECT_FALSE(Permutation::isBijection({1, 3}));
  EXPECT_TRUE(Permutation::isBijection({}));
}

/// Composition, inverse and power against the movement of every element, with mixed radices and complements.
TEST(Permutation, RandomAgainstElements) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const int n = 1 + static_cast<int>(random() % 5);
    Digits radices(n);
    int64_t size = 1;
    for (int &radix : radices)
      size *= radix = 2 + static_cast<int>(random() % 4);
    const Permutation a = randomPermutation(n, random), b = randomPermutation(n, random);
    const Digits middle = a.apply(radices);
    std::vector<bool> hit(size, false);
    for (int64_t i = 0; i < size; ++i) {
      const int64_t to = a.destinationIndex(radices, i);
      ASSERT_TRUE(to >= 0 && to < size && !hit[to]);
      hit[to] = true;
      EXPECT_EQ(a.then(b).destinationIndex(radices, i), b.destinationIndex(middle, to));
      EXPECT_EQ(a.inverse().destinationIndex(middle, to), i);
    }
    for (int digit = 1; digit <= n; ++digit)
      EXPECT_EQ(a.source(a.destination(digit)), digit);
    EXPECT_TRUE(a.then(a.inverse()).isIdentity());
    Permutation product = Permutation::identity(n);
    for (int m = 0; m < 8; ++m) {
      EXPECT_EQ(a.power(m), product);
      EXPECT_EQ(a.power(-m), product.inverse());
      product = product.then(a);
    }
  }
}

} // namespace
