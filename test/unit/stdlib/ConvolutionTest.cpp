// convolution.id against FFTW in long double and against sums.
#include "LibraryFixture.h"

#include <fftw3.h>

using namespace idc::frontend;
using namespace idc::frontend::test;

namespace {

const long double unit = 0x1p-64L;
const TypeMap f64 = {{"T", "f64"}};

std::vector<Complex> spectrumOf(std::vector<Complex> x, int sign = FFTW_FORWARD) {
  // A plan that is only estimated leaves its data as they are.
  auto *pointer = reinterpret_cast<fftwl_complex *>(x.data());
  fftwl_plan plan = fftwl_plan_dft_1d(static_cast<int>(x.size()), pointer, pointer, sign, FFTW_ESTIMATE);
  fftwl_execute(plan);
  fftwl_destroy_plan(plan);
  return x;
}

/// Part `number` of a buffer of parts of `size` elements.
std::vector<Complex> part(const Buffer &buffer, size_t size, size_t number = 0) {
  std::vector<Complex> values;
  for (size_t i = 0; i < size; ++i)
    values.push_back(value(buffer[number * size + i]));
  return values;
}

void put(const std::vector<Complex> &values, Buffer &buffer, size_t number = 0) {
  for (size_t i = 0; i < values.size(); ++i) {
    buffer[number * values.size() + i].re = values[i].real();
    buffer[number * values.size() + i].im = values[i].imag();
  }
}

/// The signal x filtered by the spectrum h.
std::vector<Complex> filtered(const std::vector<Complex> &x, const std::vector<Complex> &h) {
  std::vector<Complex> y = spectrumOf(x);
  for (size_t i = 0; i < y.size(); ++i)
    y[i] *= h[i] / Complex(static_cast<long double>(y.size()));
  return spectrumOf(y, FFTW_BACKWARD);
}

std::vector<Complex> power(const std::vector<Complex> &x, const std::vector<Complex> &window) {
  std::vector<Complex> y = x;
  for (size_t i = 0; i < y.size(); ++i)
    y[i] *= window[i];
  y = spectrumOf(y);
  for (Complex &z : y)
    z = std::norm(z);
  return y;
}

class Convolution : public AgainstOracle {};
INSTANTIATE_TEST_SUITE_P(Library, Convolution, everyProcessor(), processorName);

} // namespace

TEST_P(Convolution, FilterAgreesWithFftw) {
  for (int64_t n : sizes(9, 12)) {
    const size_t size = size_t(1) << n;
    Buffer x = randomReals(size, 1, true), h = randomReals(size, 2, true), expected(size);
    put(filtered(part(x, size), part(h, size)), expected);
    Buffer y = runLibrary("convolution.id", "filter", {{"n", n}}, f64, {x, h})[0];
    EXPECT_LT(relativeError(y, expected), limit(8 * unit)) << "n=" << n;
  }
}

TEST_P(Convolution, OneFilterForAllSignals) {
  for (int64_t n : sizes(5, 7))
    for (int64_t m : {0, 3}) {
      const size_t size = size_t(1) << n, count = size_t(1) << m;
      Buffer x = randomReals(size * count, 3, true), w = randomReals(size, 4, true), h(size), expected(size * count);
      put(spectrumOf(part(w, size)), h);
      for (size_t i = 0; i < count; ++i)
        put(filtered(part(x, size, i), part(h, size)), expected, i);
      const SizeMap sizes = {{"m", m}, {"n", n}};
      EXPECT_LT(relativeError(runLibrary("convolution.id", "filter_all", sizes, f64, {x, h})[0], expected),
                limit(16 * unit))
          << "m=" << m << " n=" << n;
      EXPECT_LT(relativeError(runLibrary("convolution.id", "convolve_all", sizes, f64, {x, w})[0], expected),
                limit(16 * unit))
          << "m=" << m << " n=" << n;
    }
}

TEST_P(Convolution, FilteringIsCyclicConvolution) {
  const int64_t n = 5;
  const size_t size = size_t(1) << n;
  Buffer x = randomReals(size, 5, true), w = randomReals(size, 6, true), expected(size);
  std::vector<Complex> sums(size);
  for (size_t i = 0; i < size; ++i)
    for (size_t j = 0; j < size; ++j)
      sums[(i + j) % size] += value(x[i]) * value(w[j]);
  put(sums, expected);
  Buffer y = runLibrary("convolution.id", "convolve_all", {{"m", 0}, {"n", n}}, f64, {x, w})[0];
  EXPECT_LT(relativeError(y, expected), limit(16 * unit));
}

TEST_P(Convolution, PowerSpectraAgreeWithFftw) {
  for (int64_t n : sizes(7, 10)) {
    const size_t size = size_t(1) << n, count = 4;
    Buffer x = randomReals(size * count, 7, true), w = randomReals(size, 8), expected(size * count);
    for (size_t i = 0; i < count; ++i)
      put(power(part(x, size, i), part(w, size)), expected, i);
    EXPECT_LT(
        relativeError(runLibrary("convolution.id", "power_spectra", {{"m", 2}, {"n", n}}, f64, {x, w})[0], expected),
        limit(16 * unit))
        << "n=" << n;
    Buffer first(x.begin(), x.begin() + static_cast<int64_t>(size)),
        spectrum(expected.begin(), expected.begin() + static_cast<int64_t>(size));
    EXPECT_LT(relativeError(runLibrary("convolution.id", "power_spectrum", {{"n", n}}, f64, {first, w})[0], spectrum),
              limit(16 * unit))
        << "n=" << n;
  }
}

TEST_P(Convolution, LinearOfAnyLengths) {
  for (auto [n, m] : std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {1, 7}, {5, 3}, {8, 9}, {100, 29}}) {
    Buffer x = randomReals(static_cast<size_t>(n), 9, true), w = randomReals(static_cast<size_t>(m), 10, true);
    std::vector<Complex> sums(static_cast<size_t>(n + m - 1));
    for (size_t i = 0; i < x.size(); ++i)
      for (size_t j = 0; j < w.size(); ++j)
        sums[i + j] += value(x[i]) * value(w[j]);
    Buffer expected(sums.size());
    put(sums, expected);
    Buffer y = runLibrary("convolution.id", "linear_convolve", {{"N", n}, {"M", m}}, f64, {x, w})[0];
    EXPECT_LT(relativeError(y, expected), limit(16 * unit)) << n << " " << m;
  }
}
