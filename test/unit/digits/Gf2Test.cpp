#include "dialect/digits/Gf2.h"
#include "dialect/digits/IndexBits.h"

#include <gtest/gtest.h>

#include <random>

using namespace idc::digits;

namespace {

gf2::Matrix randomMatrix(int rows, int columns, std::mt19937_64 &random) {
  gf2::Matrix m(columns);
  for (gf2::Vector &v : m)
    v = random() & ((gf2::Vector(1) << rows) - 1);
  return m;
}

TEST(Gf2, InverseSolveAndKernel) {
  std::mt19937_64 random(3);
  int regular = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const int n = 1 + static_cast<int>(random() % 12);
    const gf2::Matrix m = randomMatrix(n, n, random);
    gf2::Matrix inverse;
    ASSERT_EQ(gf2::invert(m, inverse), gf2::rank(m) == n);
    if (gf2::rank(m) == n) {
      ++regular;
      EXPECT_EQ(gf2::multiply(m, inverse), gf2::identity(n));
      EXPECT_EQ(gf2::multiply(inverse, m), gf2::identity(n));
    }
    EXPECT_EQ(gf2::transpose(gf2::transpose(m, n), n), m);
    const gf2::Matrix wide = randomMatrix(n, 1 + static_cast<int>(random() % 14), random);
    const gf2::Matrix kernel = gf2::kernel(wide);
    EXPECT_EQ(kernel.size() + gf2::rank(wide), wide.size());
    EXPECT_TRUE(gf2::isIndependent(kernel));
    for (gf2::Vector x : kernel)
      EXPECT_EQ(gf2::apply(wide, x), 0u);
    const gf2::Vector b = randomMatrix(n, 1, random).front();
    gf2::Vector x;
    gf2::Matrix extended = wide;
    extended.push_back(b);
    if (gf2::solve(wide, b, x))
      EXPECT_EQ(gf2::apply(wide, x), b);
    else
      EXPECT_EQ(gf2::rank(extended), gf2::rank(wide) + 1);
  }
  EXPECT_GT(regular, 100);
}

TEST(Gf2, Spaces) {
  std::mt19937_64 random(4);
  for (int trial = 0; trial < 2000; ++trial) {
    const int n = 2 + static_cast<int>(random() % 9);
    const gf2::Matrix s = gf2::basis(randomMatrix(n, static_cast<int>(random() % n), random));
    const gf2::Matrix d = gf2::basis(randomMatrix(n, static_cast<int>(random() % n), random));
    gf2::Matrix sum = s;
    sum.insert(sum.end(), d.begin(), d.end());
    const gf2::Matrix both = gf2::intersection(s, d);
    EXPECT_TRUE(gf2::isIndependent(both));
    EXPECT_EQ(both.size() + gf2::rank(sum), s.size() + d.size());
    for (gf2::Vector v : both)
      EXPECT_TRUE(gf2::contains(s, v) && gf2::contains(d, v));
    if (s.size() != d.size())
      continue;
    for (const gf2::Matrix &space : {s, d}) {
      gf2::Matrix whole = gf2::commonComplement(s, d, gf2::identity(n));
      EXPECT_EQ(whole.size() + space.size(), static_cast<size_t>(n));
      whole.insert(whole.end(), space.begin(), space.end());
      EXPECT_EQ(gf2::rank(whole), n);
    }
  }
}

TEST(IndexBits, DiagonalsAgainstDirect) {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    std::vector<uint64_t> targets(1 + random() % 10);
    for (uint64_t &target : targets)
      target = trial % 2 ? random() & random() & 0xfff : uint64_t(1) << random() % 12;
    const std::vector<Diagonal> terms = diagonals(targets);
    for (int k = 0; k < 20; ++k) {
      const uint64_t x = random() & ((uint64_t(1) << targets.size()) - 1);
      EXPECT_EQ(evaluate(terms, x), gf2::apply(targets, x));
    }
  }
}

TEST(IndexBits, OneShiftPerRun) {
  // Bits 0…2 to 5…7, bits 3…4 to 0…1: two terms, joined by OR.
  const std::vector<Diagonal> terms = diagonals({32, 64, 128, 1, 2});
  ASSERT_EQ(terms.size(), 2u);
  EXPECT_EQ(terms[0].mask, 7u);
  EXPECT_EQ(terms[0].shift, 5);
  EXPECT_EQ(terms[1].mask, 24u);
  EXPECT_EQ(terms[1].shift, -3);
  EXPECT_FALSE(terms[1].xorJoin);
  EXPECT_TRUE(diagonals({1, 1})[1].xorJoin);
  EXPECT_TRUE(diagonals({0, 0}).empty());
}

} // namespace
