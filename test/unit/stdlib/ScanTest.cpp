// scan.id and recurrence.id against loops.
#include "LibraryFixture.h"

using namespace idc::frontend;
using namespace idc::frontend::test;

namespace {
const TypeMap i32 = {{"T", "i32"}}, u32 = {{"T", "u32"}}, i64 = {{"T", "i64"}}, f64 = {{"T", "f64"}};
}

class Scan : public AgainstOracle {};
INSTANTIATE_TEST_SUITE_P(Library, Scan, everyProcessor(), processorName);

/// Exclusive and inclusive sums of random u32 values by the entries of these names; `sizeName` is `size`.
static void expectSumsOfIntegers(const std::string &exclusiveEntry, const std::string &inclusiveEntry,
                                 const std::string &sizeName, int64_t size, size_t values) {
  Buffer x = randomIntegers(values, unsigned(size), 0, 4294967295);
  std::vector<int64_t> exclusive, inclusive;
  uint32_t sum = 0;
  for (const Scalar &element : x) {
    exclusive.push_back(sum);
    sum += static_cast<uint32_t>(element.integer);
    inclusive.push_back(sum);
  }
  EXPECT_EQ(integers(runLibrary("scan.id", exclusiveEntry, {{sizeName, size}}, u32, {x})[0]), exclusive);
  EXPECT_EQ(integers(runLibrary("scan.id", inclusiveEntry, {{sizeName, size}}, u32, {x})[0]), inclusive);
}

TEST_P(Scan, SumsOfIntegersWrap) {
  for (int64_t n : sizes(10, 13))
    expectSumsOfIntegers("exclusive_scan", "inclusive_scan", "n", n, size_t(1) << n);
}

TEST_P(Scan, SumsOfAnyNumberOfValues) {
  for (int64_t size : {1, 2, 3, 5, 31, 33, 1000, 1009, 4095, 4097})
    expectSumsOfIntegers("exclusive_scan_any", "inclusive_scan_any", "N", size, static_cast<size_t>(size));
}

TEST_P(Scan, SumsOfRealsComplexAndResidues) {
  for (int64_t n : sizes(10, 13)) {
    const size_t size = size_t(1) << n;
    Buffer x = randomReals(size, unsigned(n), true), expected(size), residues = randomIntegers(size, 1, 0, 96);
    Scalar sum;
    int64_t residue = 0;
    std::vector<int64_t> expectedResidues;
    for (size_t i = 0; i < size; ++i) {
      sum.re += x[i].re;
      sum.im += x[i].im;
      expected[i] = sum;
      residue = (residue + residues[i].integer) % 97;
      expectedResidues.push_back(residue);
    }
    EXPECT_LT(distance(runLibrary("scan.id", "inclusive_scan", {{"n", n}}, {{"T", "complex<f64>"}}, {x})[0], expected),
              limit(1e-16L));
    Buffer y = runLibrary("scan.id", "inclusive_scan", {{"n", n}}, f64, {x})[0];
    for (size_t i = 0; i < size; ++i)
      EXPECT_LT(std::abs(y[i].re - expected[i].re), limit(1e-16L));
    y = runLibrary("scan.id", "inclusive_scan", {{"n", n}}, {{"T", "mod<97>"}}, {residues})[0];
    EXPECT_EQ(integers(y), expectedResidues);
  }
}

TEST(ScanEvaluated, Maxima) {
  for (int64_t n = 0; n <= 9; ++n)
    for (int64_t high : {INT64_C(-5), INT64_MAX}) {
      Buffer x = randomIntegers(size_t(1) << n, unsigned(n), INT64_MIN, high);
      std::vector<int64_t> inclusive, exclusive = {-123};
      for (const Scalar &element : x) {
        inclusive.push_back(inclusive.empty() ? element.integer : std::max(inclusive.back(), element.integer));
        exclusive.push_back(inclusive.back());
      }
      exclusive.pop_back();
      EXPECT_EQ(integers(runLibrary("scan.id", "inclusive_max_scan", {{"n", n}}, i64, {x})[0]), inclusive);
      Buffer y = runLibrary("scan.id", "exclusive_max_scan", {{"n", n}}, i64, {x}, {integerScalar(-123)})[0];
      EXPECT_EQ(integers(y), exclusive);
    }
  Buffer x = randomReals(64, 2);
  Buffer y = runLibrary("scan.id", "inclusive_max_scan", {{"n", 6}}, f64, {x})[0];
  for (size_t i = 1; i < 64; ++i)
    EXPECT_EQ(y[i].re, std::max(y[i - 1].re, x[i].re));
}

TEST_P(Scan, Segments) {
  for (int64_t n : sizes(9, 12))
    for (int64_t rarity : {0, 1, 6}) { // heads everywhere, often, seldom
      const size_t size = size_t(1) << n;
      Buffer x = randomIntegers(size, unsigned(n), -2147483648LL, 2147483647),
             heads = randomIntegers(size, 9, 0, rarity);
      std::vector<int64_t> inclusive, exclusive;
      uint32_t sum = 0;
      for (size_t i = 0; i < size; ++i) {
        heads[i].integer = heads[i].integer == 0;
        if (heads[i].integer)
          sum = 0;
        exclusive.push_back(static_cast<int32_t>(sum));
        sum += static_cast<uint32_t>(x[i].integer);
        inclusive.push_back(static_cast<int32_t>(sum));
      }
      EXPECT_EQ(integers(runLibrary("scan.id", "segmented_scan", {{"n", n}}, i32, {x, heads})[0]), inclusive);
      EXPECT_EQ(integers(runLibrary("scan.id", "segmented_exclusive_scan", {{"n", n}}, i32, {x, heads})[0]), exclusive);
    }
}

TEST_P(Scan, SegmentsAreIndependent) {
  // An infinity stays in its own segment.
  Buffer x = counting(8), heads(8);
  x[1].re = std::numeric_limits<long double>::infinity();
  heads[3].integer = 1;
  Buffer y = runLibrary("scan.id", "segmented_scan", {{"n", 3}}, f64, {x, heads})[0];
  EXPECT_TRUE(std::isinf(y[2].re));
  EXPECT_EQ(y[3].re, 3);
  EXPECT_EQ(y[7].re, 3 + 4 + 5 + 6 + 7);
}

TEST(Recurrence, Integers) {
  for (int64_t n = 0; n <= 10; ++n) {
    const size_t size = size_t(1) << n;
    Buffer a = randomIntegers(size, 1, -2147483648LL, 2147483647),
           b = randomIntegers(size, 2, -2147483648LL, 2147483647);
    uint32_t y = 77;
    std::vector<int64_t> expected;
    for (size_t i = 0; i < size; ++i) {
      y = static_cast<uint32_t>(a[i].integer) * y + static_cast<uint32_t>(b[i].integer);
      expected.push_back(static_cast<int32_t>(y));
    }
    Buffer result = runLibrary("recurrence.id", "linear_recurrence", {{"n", n}}, i32, {a, b}, {integerScalar(77)})[0];
    EXPECT_EQ(integers(result), expected);
  }
}

TEST(Recurrence, Reals) {
  for (int64_t n = 0; n <= 10; ++n) {
    const size_t size = size_t(1) << n;
    Buffer a = randomReals(size, 3), b = randomReals(size, 4), expected(size);
    long double y = -1.5L;
    for (size_t i = 0; i < size; ++i)
      y = expected[i].re = a[i].re * y + b[i].re;
    Buffer result = runLibrary("recurrence.id", "linear_recurrence", {{"n", n}}, f64, {a, b}, {realScalar(-1.5L)})[0];
    EXPECT_LT(distance(result, expected), 1e-17L) << "n=" << n;
  }
}
