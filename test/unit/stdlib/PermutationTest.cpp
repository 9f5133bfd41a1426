// transpose.id and bit_reverse.id.
#include "LibraryFixture.h"

using namespace idc::frontend;
using namespace idc::frontend::test;

class Permutation : public AgainstOracle {};
INSTANTIATE_TEST_SUITE_P(Library, Permutation, everyProcessor(), processorName);

TEST_P(Permutation, BitReverse) {
  for (int64_t n : sizes(10, 13))
    for (const char *type : {"i32", "f32", "u64"}) {
      Buffer x = counting(size_t(1) << n);
      Buffer y = runLibrary("bit_reverse.id", "bit_reverse", {{"n", n}}, {{"T", type}}, {x})[0];
      Buffer expected = bitReversed(x, n);
      if (*type == 'f') {
        EXPECT_EQ(reals(y), reals(expected)) << type << " n=" << n;
      } else {
        EXPECT_EQ(integers(y), integers(expected)) << type << " n=" << n;
      }
    }
}

TEST_P(Permutation, Transpose) {
  for (int64_t m : sizes(5, 6))
    for (int64_t n : sizes(5, 7)) {
      const size_t rows = size_t(1) << m, columns = size_t(1) << n;
      Buffer x = counting(rows * columns);
      Buffer y = runLibrary("transpose.id", "transpose", {{"m", m}, {"n", n}}, {{"T", "complex<f32>"}}, {x})[0];
      for (size_t r = 0; r < rows; ++r)
        for (size_t c = 0; c < columns; ++c)
          EXPECT_EQ(y[c * rows + r].re, x[r * columns + c].re);
    }
}

TEST_P(Permutation, Rotate) {
  const size_t planes = 2, rows = 4, columns = 8;
  Buffer x = counting(planes * rows * columns);
  Buffer y = runLibrary("transpose.id", "rotate", {{"l", 1}, {"m", 2}, {"n", 3}}, {{"T", "i64"}}, {x})[0];
  for (size_t p = 0; p < planes; ++p)
    for (size_t r = 0; r < rows; ++r)
      for (size_t c = 0; c < columns; ++c)
        EXPECT_EQ(y[(c * planes + p) * rows + r].integer, x[(p * rows + r) * columns + c].integer);
}
