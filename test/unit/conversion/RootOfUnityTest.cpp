// Roots of unity: exact where they can be, elsewhere as close as rounding allows.
#include "compiler/conversion/RootOfUnity.h"

#include "gtest/gtest.h"

#include <cmath>
#include <random>

using idc::conversion::rootOfUnity;
using Complex = std::complex<double>;

namespace {

TEST(RootOfUnity, QuarterTurnsAreExact) {
  for (int64_t n : {int64_t(4), int64_t(8), int64_t(4096), int64_t(1) << 40}) {
    EXPECT_EQ(rootOfUnity(n, 0), Complex(1, 0));
    EXPECT_EQ(rootOfUnity(n, n / 4), Complex(0, -1));
    EXPECT_EQ(rootOfUnity(n, n / 2), Complex(-1, 0));
    EXPECT_EQ(rootOfUnity(n, 3 * (n / 4)), Complex(0, 1));
    EXPECT_EQ(rootOfUnity(n, n), Complex(1, 0));
    EXPECT_EQ(rootOfUnity(n, -n / 4), Complex(0, 1));
  }
  EXPECT_EQ(rootOfUnity(1, 12345), Complex(1, 0));
  EXPECT_EQ(rootOfUnity(2, 1), Complex(-1, 0));
  EXPECT_EQ(rootOfUnity(12, 9), Complex(0, 1));
}

TEST(RootOfUnity, EighthsOfATurn) {
  const double half = std::sqrt(0.5);
  for (int64_t n : {int64_t(8), int64_t(24), int64_t(1) << 30}) {
    EXPECT_EQ(rootOfUnity(n, n / 8), Complex(half, -half));
    EXPECT_EQ(rootOfUnity(n, 3 * (n / 8)), Complex(-half, -half));
    EXPECT_EQ(rootOfUnity(n, 5 * (n / 8)), Complex(-half, half));
    EXPECT_EQ(rootOfUnity(n, 7 * (n / 8)), Complex(half, half));
  }
}

TEST(RootOfUnity, ConjugatesAndHalfTurns) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000; ++i) {
    int64_t n = 2 * (1 + static_cast<int64_t>(random() % 100000)), e = static_cast<int64_t>(random() % n);
    Complex w = rootOfUnity(n, e);
    EXPECT_EQ(rootOfUnity(n, -e), std::conj(w));
    EXPECT_EQ(rootOfUnity(n, e + n / 2), -w);
    EXPECT_EQ(rootOfUnity(n, e + 7 * n), w);
  }
}

// The bound leaves a fiftieth of a unit in the last place of 1 for the reference's own error.
TEST(RootOfUnity, AgainstLongDouble) {
  const long double turn = 6.28318530717958647692528676655900577L, bound = 0.52L / (int64_t(1) << 53);
  std::mt19937_64 random(4);
  for (int i = 0; i < 100000; ++i) {
    int64_t n = 1 + static_cast<int64_t>(random() % (int64_t(1) << (1 + random() % 40)));
    int64_t e = static_cast<int64_t>(random() % n);
    long double angle = turn * (static_cast<long double>(e) / static_cast<long double>(n));
    Complex w = rootOfUnity(n, e);
    ASSERT_LE(std::abs(std::cos(angle) - w.real()), bound) << n << ", " << e;
    ASSERT_LE(std::abs(-std::sin(angle) - w.imag()), bound) << n << ", " << e;
  }
}

// Close to an axis the small part is as accurate as the large one.
TEST(RootOfUnity, SmallAngles) {
  const double turn = 6.283185307179586;
  for (int k = 20; k <= 60; ++k) {
    int64_t n = int64_t(1) << k;
    double small = turn / static_cast<double>(n);
    EXPECT_NEAR(rootOfUnity(n, 1).imag() / -small, 1, small * small + 3e-16) << k;
    EXPECT_EQ(rootOfUnity(n, 1 + n / 4).real(), rootOfUnity(n, 1).imag());
    EXPECT_EQ(rootOfUnity(n, 1 + n / 2).imag(), -rootOfUnity(n, 1).imag());
  }
}

} // namespace
