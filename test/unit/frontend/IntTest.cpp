// Compile-time integers against GMP's.
#include "compiler/frontend/Int.h"

#include "gtest/gtest.h"
#include <gmpxx.h>

#include <cmath>
#include <random>

using idc::frontend::Int;

namespace {

mpz_class gmp(const Int &number) { return mpz_class(number.spell()); }

/// A number of up to so many bits, often with long runs of equal bits, often near a power of two.
Int drawn(std::mt19937_64 &random, int bits) {
  Int number;
  for (int left = static_cast<int>(random() % static_cast<uint64_t>(bits)); left > 0; left -= 32)
    number = (number << 32) + Int(random() % 3 ? static_cast<uint32_t>(random()) : random() % 2 ? 0xffffffffu : 0u);
  return random() % 2 ? number : -number;
}

TEST(Int, Arithmetic) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20000; ++round) {
    const Int a = drawn(random, 200), b = drawn(random, 200);
    const mpz_class x = gmp(a), y = gmp(b);
    EXPECT_EQ(gmp(a + b), x + y);
    EXPECT_EQ(gmp(a - b), x - y);
    EXPECT_EQ(gmp(a * b), x * y);
    EXPECT_EQ(gmp(-a), -x);
    if (b != 0) {
      EXPECT_EQ(gmp(a / b), x / y);
      EXPECT_EQ(gmp(a % b), x % y);
    }
    EXPECT_EQ(gmp(a & b), mpz_class(x & y));
    EXPECT_EQ(gmp(a | b), mpz_class(x | y));
    EXPECT_EQ(gmp(a ^ b), mpz_class(x ^ y));
    const int n = static_cast<int>(random() % 150);
    EXPECT_EQ(gmp(a << n), mpz_class(x << n));
    EXPECT_EQ(gmp(a >> n), mpz_class(x >> n));
    EXPECT_EQ(a < b, x < y);
    EXPECT_EQ(a == b, x == y);
    EXPECT_EQ(a <= a + 1, true);
    EXPECT_EQ(static_cast<bool>(a), x != 0);
    EXPECT_EQ(gmp(Int::decimal((a < 0 ? -a : a).spell())), abs(x));
  }
}

TEST(Int, Edges) {
  const Int least = INT64_MIN, most = UINT64_MAX;
  EXPECT_EQ((least / -1).spell(), "9223372036854775808");
  EXPECT_EQ((least % -1).spell(), "0");
  EXPECT_EQ((least - 1).spell(), "-9223372036854775809");
  EXPECT_EQ(most.spell(), "18446744073709551615");
  EXPECT_EQ(static_cast<uint64_t>(most), UINT64_MAX);
  EXPECT_EQ((most + 1 - 1), most);
  EXPECT_EQ(Int::powerOfTwo(64), most + 1);
  EXPECT_TRUE(static_cast<bool>(Int::powerOfTwo(128)));
  EXPECT_EQ(Int::powerOfTwo(200) >> 199, 2);
  EXPECT_EQ((-Int::powerOfTwo(200)) >> 300, -1);
  EXPECT_EQ((Int::powerOfTwo(100) - 1).popcount(), 100u);
}

TEST(Int, Reals) {
  // Ties and what is just beside them, for numbers that long double cannot hold.
  const Int tie = Int::powerOfTwo(152) + Int::powerOfTwo(99);
  EXPECT_EQ(static_cast<double>(tie), std::ldexp(1.0, 152));
  EXPECT_EQ(static_cast<double>(tie + 1), std::nextafter(std::ldexp(1.0, 152), INFINITY));
  EXPECT_EQ(static_cast<double>(-tie - 1), -std::nextafter(std::ldexp(1.0, 152), INFINITY));
  EXPECT_EQ(Int::truncated(-2.75L), -2);
  EXPECT_EQ(Int::truncated(0.99L), 0);
  EXPECT_EQ(Int::truncated(std::ldexp(1.5L, 90)), 3 * Int::powerOfTwo(89));
}

} // namespace
