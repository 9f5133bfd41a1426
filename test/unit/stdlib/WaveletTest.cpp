// haar.id against the definition of the Haar basis.
#include "LibraryFixture.h"

using namespace idc::frontend;
using namespace idc::frontend::test;

namespace {

const TypeMap f64 = {{"T", "f64"}};

/// Inner products with the Haar functions: the constant, then for each scale the 2^scale shifted steps.
Buffer naiveHaar(const Buffer &x) {
  const size_t size = x.size();
  Buffer result(size);
  for (const Scalar &element : x)
    result[0].re += element.re / std::sqrt(static_cast<long double>(size));
  for (size_t k = 1; k < size; ++k) {
    size_t count = size_t(1) << (63 - __builtin_clzll(k)), width = size / count, begin = (k - count) * width;
    for (size_t i = 0; i < width; ++i)
      result[k].re += (i < width / 2 ? 1 : -1) * x[begin + i].re / std::sqrt(static_cast<long double>(width));
  }
  return result;
}

} // namespace

class Wavelet : public AgainstOracle {};
INSTANTIATE_TEST_SUITE_P(Library, Wavelet, everyProcessor(), processorName);

TEST_P(Wavelet, AgreesWithTheBasis) {
  for (int64_t n : sizes(10, 11)) {
    Buffer x = randomReals(size_t(1) << n, unsigned(n));
    Buffer y = runLibrary("haar.id", "haar", {{"n", n}}, f64, {x})[0];
    EXPECT_LT(relativeError(y, naiveHaar(x)), limit(0x1p-60L)) << "n=" << n;
    EXPECT_LT(std::abs(norm(y) - norm(x)), limit(1e-17L) * norm(x));
    EXPECT_LT(relativeError(runLibrary("haar.id", "ihaar", {{"n", n}}, f64, {y})[0], x), limit(0x1p-60L)) << "n=" << n;
  }
}

TEST_P(Wavelet, TwoDimensions) {
  for (int64_t m : sizes(3, 5))
    for (int64_t n : sizes(4, 6)) {
      const size_t rows = size_t(1) << m, columns = size_t(1) << n;
      Buffer x = randomReals(rows * columns, 5), expected = x;
      for (size_t r = 0; r < rows; ++r) {
        Buffer line = naiveHaar(Buffer(expected.begin() + r * columns, expected.begin() + (r + 1) * columns));
        std::copy(line.begin(), line.end(), expected.begin() + r * columns);
      }
      for (size_t c = 0; c < columns; ++c) {
        Buffer line;
        for (size_t r = 0; r < rows; ++r)
          line.push_back(expected[r * columns + c]);
        line = naiveHaar(line);
        for (size_t r = 0; r < rows; ++r)
          expected[r * columns + c] = line[r];
      }
      Buffer y = runLibrary("haar.id", "haar2d", {{"m", m}, {"n", n}}, f64, {x})[0];
      EXPECT_LT(relativeError(y, expected), limit(0x1p-60L)) << m << " " << n;
      EXPECT_LT(relativeError(runLibrary("haar.id", "ihaar2d", {{"m", m}, {"n", n}}, f64, {y})[0], x), limit(0x1p-60L));
    }
}
