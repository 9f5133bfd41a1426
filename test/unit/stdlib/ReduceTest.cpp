// reduce.id against loops.
#include "LibraryFixture.h"

using namespace idc::frontend;
using namespace idc::frontend::test;

class Reduce : public AgainstOracle {};
INSTANTIATE_TEST_SUITE_P(Library, Reduce, everyProcessor(), processorName);

TEST_P(Reduce, Integers) {
  for (int64_t n : sizes(10, 13)) {
    Buffer x = randomIntegers(size_t(1) << n, unsigned(n), -2147483648LL, 2147483647);
    uint32_t sum = 0;
    for (const Scalar &element : x)
      sum += static_cast<uint32_t>(element.integer);
    std::vector<int64_t> all = integers(x);
    TypeMap i32 = {{"T", "i32"}};
    auto result = [&](const char *entry) { return integers(runLibrary("reduce.id", entry, {{"n", n}}, i32, {x})[0]); };
    EXPECT_EQ(result("sum"), std::vector<int64_t>{static_cast<int32_t>(sum)});
    EXPECT_EQ(result("maximum"), std::vector<int64_t>{*std::max_element(all.begin(), all.end())});
    EXPECT_EQ(result("minimum"), std::vector<int64_t>{*std::min_element(all.begin(), all.end())});
  }
}

TEST_P(Reduce, RealsAndComplex) {
  for (int64_t n : sizes(10, 13)) {
    Buffer x = randomReals(size_t(1) << n, unsigned(n), true), w = randomReals(size_t(1) << n, 20, true);
    Complex sum = 0, dot = 0;
    long double realSum = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      sum += value(x[i]);
      realSum += x[i].re;
      dot += value(x[i]) * value(w[i]);
    }
    TypeMap complex = {{"T", "complex<f64>"}};
    EXPECT_LT(std::abs(value(runLibrary("reduce.id", "sum", {{"n", n}}, complex, {x})[0][0]) - sum), limit(1e-16L));
    EXPECT_LT(std::abs(value(runLibrary("reduce.id", "dot", {{"n", n}}, complex, {x, w})[0][0]) - dot), limit(1e-16L));
    EXPECT_LT(std::abs(runLibrary("reduce.id", "sum", {{"n", n}}, {{"T", "f64"}}, {x})[0][0].re - realSum),
              limit(1e-16L));
  }
}

TEST_P(Reduce, ExtremaAndWhereTheyAre) {
  for (int64_t n : sizes(10, 13))
    for (int64_t range : {2, 1000000}) { // many ties, few
      Buffer x = randomIntegers(size_t(1) << n, unsigned(n), -range, range);
      for (Scalar &element : x)
        element.re = static_cast<long double>(element.integer);
      std::vector<int64_t> all = integers(x);
      auto largest = std::max_element(all.begin(), all.end()), smallest = std::min_element(all.begin(), all.end());
      for (const char *type : {"i64", "f32"}) {
        auto high = runLibrary("reduce.id", "argmax", {{"n", n}}, {{"T", type}}, {x});
        auto low = runLibrary("reduce.id", "argmin", {{"n", n}}, {{"T", type}}, {x});
        ASSERT_EQ(high.size(), 2u);
        EXPECT_EQ(high[1][0].integer, largest - all.begin());
        EXPECT_EQ(low[1][0].integer, smallest - all.begin());
        EXPECT_EQ(type[0] == 'f' ? static_cast<int64_t>(high[0][0].re) : high[0][0].integer, *largest);
        EXPECT_EQ(type[0] == 'f' ? static_cast<int64_t>(low[0][0].re) : low[0][0].integer, *smallest);
      }
    }
}
