//===- RandomInputTest.cpp - reproducible random operands -----------------===//

#include "host/RandomInput.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace idc::host;

namespace {

std::vector<char> random(const char *name, int64_t bytes, int64_t elements, uint64_t seed, uint64_t operand = 0) {
  std::vector<char> data(size_t(elements * bytes), 'x');
  fillRandom(data.data(), elements, ElementType::parse(name, bytes), seed, operand);
  return data;
}

template <typename T> T at(const std::vector<char> &data, size_t i) {
  T value;
  std::memcpy(&value, &data[i * sizeof(T)], sizeof(T));
  return value;
}

TEST(RandomInput, DependsOnSeedAndOperandOnly) {
  EXPECT_EQ(random("f32", 4, 1000, 7), random("f32", 4, 1000, 7));
  EXPECT_NE(random("f32", 4, 1000, 7), random("f32", 4, 1000, 8));
  EXPECT_NE(random("f32", 4, 1000, 7, 0), random("f32", 4, 1000, 7, 1));
  std::vector<char> few = random("f64", 8, 100, 1), many = random("f64", 8, 300000, 1);
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

TEST(RandomInput, RealsAreStandardNormal) {
  constexpr int64_t count = 400000;
  std::vector<char> data = random("complex<f32>", 8, count, 3);
  double sum = 0, squares = 0, cross = 0, fourth = 0;
  for (size_t i = 0; i < count; ++i) {
    double re = at<float>(data, 2 * i), im = at<float>(data, 2 * i + 1);
    sum += re + im;
    squares += re * re + im * im;
    cross += re * im;
    fourth += re * re * re * re;
  }
  EXPECT_NEAR(sum / (2 * count), 0, 0.01);
  EXPECT_NEAR(squares / (2 * count), 1, 0.01);
  EXPECT_NEAR(cross / count, 0, 0.01);
  EXPECT_NEAR(fourth / count, 3, 0.1);
}

TEST(RandomInput, IntegersStayInTheirRanges) {
  std::vector<char> residues = random("mod<17>", 4, 1000, 1), integers = random("i32", 4, 1000, 1),
                    flags = random("bool", 1, 1000, 1);
  bool negative = false;
  int set = 0;
  for (size_t i = 0; i < 1000; ++i) {
    EXPECT_LT(at<uint32_t>(residues, i), 17u);
    EXPECT_LE(std::abs(at<int32_t>(integers, i)), 1000);
    negative |= at<int32_t>(integers, i) < 0;
    EXPECT_LE(uint8_t(flags[i]), 1);
    set += flags[i];
  }
  EXPECT_TRUE(negative);
  EXPECT_NEAR(set, 500, 100);
}

TEST(RandomInput, PaddingIsZero) {
  std::vector<char> data = random("{a: bool, b: f64}", 16, 10, 1);
  for (size_t i = 0; i < 10; ++i)
    for (size_t j = 1; j < 8; ++j)
      EXPECT_EQ(data[16 * i + j], 0);
}

} // namespace
