//===- DistributionTest.cpp - how random numbers are drawn ----------------===//

#include "host/Error.h"
#include "host/RandomInput.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace idc::host;

namespace {

template <typename T>
std::vector<T> draw(const char *type, const char *distribution, int64_t problems, int64_t elements) {
  ElementType element = ElementType::parse(type);
  std::vector<T> values(size_t(problems * elements * element.bytes) / sizeof(T));
  fillRandomProblems(reinterpret_cast<char *>(values.data()), problems, elements, element, 1, 0,
                     Distribution::parse(distribution));
  return values;
}

TEST(Distribution, Forms) {
  Distribution plain = Distribution::parse("normal");
  EXPECT_FALSE(plain.uniform || plain.magnitude);
  EXPECT_EQ(plain.offset, 0);
  EXPECT_EQ(plain.zeroPeriod, 0);
  Distribution all = Distribution::parse("2.5+|uniform|,zero/3");
  EXPECT_TRUE(all.uniform && all.magnitude);
  EXPECT_EQ(all.offset, 2.5);
  EXPECT_EQ(all.zeroPeriod, 3);
  for (const char *wrong : {"", "x", "|normal", "normal|", "1+", "+normal", "-1+normal", "normal,zero/0",
                            "normal zero/2", "1000000000+normal", "normal,zero/1000000000", "-1+normal,zero/2"})
    EXPECT_THROW(Distribution::parse(wrong), Error) << wrong;
}

TEST(Distribution, Uniform) {
  double sum = 0, squares = 0;
  for (double value : draw<double>("f64", "uniform", 1, 100000)) {
    ASSERT_LE(std::abs(value), 1);
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 100000, 0, 0.01);
  EXPECT_NEAR(squares / 100000, 1.0 / 3, 0.01);
}

TEST(Distribution, MagnitudesAndOffsets) {
  std::vector<float> values = draw<float>("complex<f32>", "3+|normal|", 1, 1000);
  for (size_t i = 0; i < 2000; i += 2) {
    EXPECT_GE(values[i], 3);
    EXPECT_GE(values[i + 1], 0);
    EXPECT_LT(values[i + 1], 6.7);
  }
}

TEST(Distribution, ZeroProblems) {
  std::vector<double> plain = draw<double>("f64", "normal", 7, 4), some = draw<double>("f64", "normal,zero/3", 7, 4);
  for (size_t i = 0; i < 28; ++i)
    EXPECT_EQ(some[i], i / 4 % 3 == 2 ? 0 : plain[i]);
}

TEST(Distribution, IntegersAreNotAffected) {
  EXPECT_EQ(draw<int32_t>("i32", "9+|uniform|", 1, 100), draw<int32_t>("i32", "normal", 1, 100));
}

} // namespace
