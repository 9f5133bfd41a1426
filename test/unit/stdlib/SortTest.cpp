// sort.id against std::sort.
#include "LibraryFixture.h"

#include <functional>
#include <limits>

using namespace idc::frontend;
using namespace idc::frontend::test;

class Sort : public AgainstOracle {};
INSTANTIATE_TEST_SUITE_P(Library, Sort, everyProcessor(), processorName);

TEST_P(Sort, Integers) {
  const struct {
    const char *type;
    int64_t low, high;
  } ranges[] = {{"i32", -2147483648LL, 2147483647},
                {"u32", 0, 4294967295},
                {"i64", INT64_MIN, INT64_MAX},
                {"i32", -3, 3},
                {"u64", 0, INT64_MAX}};
  for (const auto &range : ranges)
    for (int64_t n : sizes(9, 11)) {
      Buffer x = randomIntegers(size_t(1) << n, unsigned(n), range.low, range.high);
      std::vector<int64_t> expected = integers(x);
      std::sort(expected.begin(), expected.end());
      TypeMap types = {{"T", range.type}};
      EXPECT_EQ(integers(runLibrary("sort.id", "bitonic_sort", {{"n", n}}, types, {x})[0]), expected) << n;
      std::reverse(expected.begin(), expected.end());
      EXPECT_EQ(integers(runLibrary("sort.id", "bitonic_sort_descending", {{"n", n}}, types, {x})[0]), expected) << n;
    }
}

TEST_P(Sort, UnsignedKeysAboveTheSignedRange) {
  Buffer x = randomIntegers(256, 5, INT64_MIN, INT64_MAX);
  std::vector<int64_t> expected = integers(x);
  std::sort(expected.begin(), expected.end(), [](int64_t a, int64_t b) { return uint64_t(a) < uint64_t(b); });
  EXPECT_EQ(integers(runLibrary("sort.id", "bitonic_sort", {{"n", 8}}, {{"T", "u64"}}, {x})[0]), expected);
}

TEST_P(Sort, Reals) {
  for (int64_t n : sizes(10, 12)) {
    Buffer x = randomReals(size_t(1) << n, unsigned(n));
    if (n >= 2) {
      x[0].re = std::numeric_limits<long double>::infinity();
      x[1].re = -x[0].re;
    }
    std::vector<long double> expected = reals(x);
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(reals(runLibrary("sort.id", "bitonic_sort", {{"n", n}}, {{"T", "f64"}}, {x})[0]), expected) << n;
    std::sort(expected.begin(), expected.end(), std::greater<>());
    Buffer y = runLibrary("sort.id", "bitonic_sort_descending", {{"n", n}}, {{"T", "f64"}}, {x})[0];
    EXPECT_EQ(reals(y), expected) << n;
  }
}

TEST(SortEvaluated, EveryInputOfZerosAndOnes) {
  // The 0-1 principle: a network that sorts these sorts everything.
  for (int64_t n = 0; n <= 4; ++n) {
    auto sort = fromFile("sort.id", "bitonic_sort", {{"n", n}}, {{"T", "i32"}});
    const size_t size = size_t(1) << n;
    for (uint64_t bits = 0; bits < (uint64_t(1) << size); bits += n == 4 ? 7 : 1) {
      Buffer x(size);
      for (size_t i = 0; i < size; ++i)
        x[i].integer = static_cast<int64_t>(bits >> i & 1);
      std::vector<int64_t> y = integers(run(*sort, {x})[0]);
      ASSERT_TRUE(std::is_sorted(y.begin(), y.end())) << bits;
      ASSERT_EQ(std::count(y.begin(), y.end(), 1), __builtin_popcountll(bits));
    }
  }
}

TEST_P(Sort, NothingIsLostAmongNaN) {
  Buffer x = randomReals(64, 3);
  for (size_t i = 0; i < 64; i += 5)
    x[i].re = std::numeric_limits<long double>::quiet_NaN();
  for (const char *entry : {"bitonic_sort", "bitonic_sort_descending"}) {
    std::vector<long double> before = reals(x),
                             after = reals(runLibrary("sort.id", entry, {{"n", 6}}, {{"T", "f64"}}, {x})[0]);
    auto isNaN = [](long double v) { return std::isnan(v); };
    EXPECT_EQ(std::count_if(after.begin(), after.end(), isNaN), 13);
    for (auto *list : {&before, &after}) {
      list->erase(std::remove_if(list->begin(), list->end(), isNaN), list->end());
      std::sort(list->begin(), list->end());
    }
    EXPECT_EQ(before, after);
  }
}

TEST_P(Sort, ByKey) {
  for (int64_t n : sizes(9, 11)) {
    const size_t size = size_t(1) << n;
    Buffer keys = randomIntegers(size, unsigned(n), -20, 20), values = counting(size);
    auto sorted = runLibrary("sort.id", "sort_by_key", {{"n", n}}, {{"K", "i32"}, {"V", "f64"}}, {keys, values});
    ASSERT_EQ(sorted.size(), 2u);
    std::vector<int64_t> expected = integers(keys);
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(integers(sorted[0]), expected);
    std::vector<bool> seen(size);
    for (size_t i = 0; i < size; ++i) {
      size_t origin = static_cast<size_t>(sorted[1][i].re);
      EXPECT_EQ(keys[origin].integer, sorted[0][i].integer);
      EXPECT_FALSE(seen[origin]);
      seen[origin] = true;
    }
  }
}
