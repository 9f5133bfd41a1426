#include "compiler/adjoint/IndexFormula.h"

#include "compiler/frontend/Evaluate.h"

#include <gtest/gtest.h>

#include <functional>

using namespace idc;

namespace {

/// Instructions of the formula that gives these numbers at every index; none when there is no formula, or it is wrong.
size_t lengthOf(const std::vector<int> &radices, const std::function<int64_t(int64_t)> &number) {
  int64_t count = 1;
  for (int radix : radices)
    count *= radix;
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < count; ++i)
    numbers.push_back(number(i));
  const std::optional<frontend::Body> body = adjoint::findFormula(numbers, radices);
  if (!body)
    return 0;
  std::string error;
  size_t next = 0;
  EXPECT_TRUE(frontend::forEachIndex(
      *body, radices, {},
      [&](int64_t value) {
        EXPECT_EQ(value, numbers[next]) << "at " << next;
        return value == numbers[next++];
      },
      error));
  EXPECT_EQ(next, numbers.size());
  return body->instrs.size();
}

const std::vector<int> bits(12, 2);

TEST(IndexFormula, OfDigits) {
  EXPECT_LE(lengthOf({2, 2, 3}, [](int64_t i) { return 7 + i; }), 16u);
  EXPECT_LE(lengthOf(bits, [](int64_t i) { return i % 64; }), 24u);
  EXPECT_LE(lengthOf(bits, [](int64_t i) { return i / 64 * 3 + i % 8 * 100; }), 40u);
  EXPECT_LE(lengthOf({}, [](int64_t) { return 5; }), 1u);
}

TEST(IndexFormula, OfPieces) {
  EXPECT_LE(lengthOf(bits, [](int64_t i) { return std::min<int64_t>(i + 5, 4095); }), 64u);
  EXPECT_LE(lengthOf(bits, [](int64_t i) { return i < 100 ? -1 : 4095 - i; }), 64u);
  EXPECT_LE(lengthOf(bits, [](int64_t i) { return i % 2 == 0 ? i / 2 : 4096 - i; }), 64u);
  EXPECT_LE(lengthOf(bits, [](int64_t i) { return i / 37 * 64 + i % 37; }), 64u);
  EXPECT_LE(lengthOf(bits, [](int64_t i) { return i < 50 ? -1 : (i - 50) / 7 * 16 - (i - 50) % 7; }), 80u);
}

TEST(IndexFormula, OfPeriods) {
  EXPECT_LE(lengthOf(bits, [](int64_t i) { return i % 100 < 56 ? i / 100 * 256 + i % 100 : -1; }), 80u);
  EXPECT_LE(lengthOf(bits, [](int64_t i) { return i < 200        ? -1
                                                  : i % 100 < 56 ? i / 100 * 256 + i % 100
                                                                 : 7 - i; }),
            100u);
  EXPECT_LE(lengthOf(bits, [](int64_t i) { return i % 10 < 3 ? i : i % 10 < 7 ? -i : 2; }), 80u);
}

TEST(IndexFormula, OfTables) {
  EXPECT_GE(lengthOf(bits, [](int64_t i) { return i * i % 4093; }), 4096u);
  EXPECT_GE(lengthOf(std::vector<int>(13, 2), [](int64_t i) { return i * i % 8191; }), 8192u);
  EXPECT_EQ(lengthOf(std::vector<int>(16, 2), [](int64_t i) { return i * i % 65521; }), 0u);
}

} // namespace
