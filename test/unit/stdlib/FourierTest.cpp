// fft.id against FFTW in long double, and the properties of the transform.
#include "LibraryFixture.h"

#include <fftw3.h>

using namespace idc::frontend;
using namespace idc::frontend::test;

namespace {

const long double unit = 0x1p-64L;
const TypeMap f64 = {{"T", "f64"}};

Buffer fftw(const Buffer &x, const std::vector<int> &sides, int sign = FFTW_FORWARD) {
  Buffer result(x.size());
  std::vector<Complex> data(x.size());
  auto *pointer = reinterpret_cast<fftwl_complex *>(data.data());
  fftwl_plan plan = fftwl_plan_dft(static_cast<int>(sides.size()), sides.data(), pointer, pointer, sign, FFTW_ESTIMATE);
  for (size_t i = 0; i < x.size(); ++i)
    data[i] = value(x[i]);
  fftwl_execute(plan);
  fftwl_destroy_plan(plan);
  for (size_t i = 0; i < x.size(); ++i) {
    result[i].re = data[i].real();
    result[i].im = data[i].imag();
  }
  return result;
}

Buffer scaled(const Buffer &x, long double factor) { return combine(factor, x, Buffer(x.size())); }

class Fourier : public AgainstOracle {
protected:
  static Buffer fft(int64_t n, const Buffer &x, const std::string &entry = "fft") {
    return runLibrary("fft.id", entry, {{"n", n}}, f64, {x})[0];
  }
};
INSTANTIATE_TEST_SUITE_P(Library, Fourier, everyProcessor(), processorName);

} // namespace

TEST_P(Fourier, AgreesWithFftw) {
  for (int64_t n : sizes(10, 13)) {
    Buffer x = randomReals(size_t(1) << n, 40 + unsigned(n), true), expected = fftw(x, {1 << n});
    for (const char *entry : {"fft", "fft_ct"})
      EXPECT_LT(relativeError(fft(n, x, entry), expected), limit(4 * unit)) << entry << " n=" << n;
    EXPECT_LT(relativeError(fft(n, x, "fft_dif"), bitReversed(expected, n)), limit(4 * unit)) << "n=" << n;
  }
}

TEST_P(Fourier, InverseAgreesWithFftw) {
  for (int64_t n : sizes(10, 13)) {
    Buffer x = randomReals(size_t(1) << n, 60 + unsigned(n), true);
    Buffer expected = scaled(fftw(x, {1 << n}, FFTW_BACKWARD), std::ldexp(1.0L, -int(n)));
    EXPECT_LT(relativeError(fft(n, x, "ifft"), expected), limit(4 * unit)) << "n=" << n;
    EXPECT_LT(relativeError(fft(n, bitReversed(x, n), "ifft_dit"), expected), limit(4 * unit)) << "n=" << n;
  }
}

TEST_P(Fourier, RadixFour) {
  for (int64_t m : sizes(5, 6)) {
    Buffer x = randomReals(size_t(1) << 2 * m, 80 + unsigned(m), true);
    Buffer y = runLibrary("fft.id", "fft_radix4", {{"m", m}}, f64, {x})[0];
    EXPECT_LT(relativeError(y, fftw(x, {1 << 2 * m})), limit(4 * unit)) << "m=" << m;
  }
}

TEST_P(Fourier, TwoAndThreeDimensions) {
  for (int64_t m : sizes(4, 6))
    for (int64_t n : sizes(5, 7)) {
      Buffer x = randomReals(size_t(1) << (m + n), 7, true);
      Buffer y = runLibrary("fft.id", "fft2d", {{"m", m}, {"n", n}}, f64, {x})[0];
      EXPECT_LT(relativeError(y, fftw(x, {1 << m, 1 << n})), limit(4 * unit)) << "m=" << m << " n=" << n;
      EXPECT_LT(relativeError(runLibrary("fft.id", "ifft2d", {{"m", m}, {"n", n}}, f64, {y})[0], x), limit(8 * unit));
    }
  for (int64_t l : sizes(3, 4))
    for (int64_t m : sizes(2, 3))
      for (int64_t n : sizes(4, 5)) {
        SizeMap sizes = {{"l", l}, {"m", m}, {"n", n}};
        Buffer x = randomReals(size_t(1) << (l + m + n), 8, true);
        Buffer y = runLibrary("fft.id", "fft3d", sizes, f64, {x})[0];
        EXPECT_LT(relativeError(y, fftw(x, {1 << l, 1 << m, 1 << n})), limit(4 * unit)) << l << m << n;
        EXPECT_LT(relativeError(runLibrary("fft.id", "ifft3d", sizes, f64, {y})[0], x), limit(8 * unit));
      }
}

TEST_P(Fourier, AnyLength) {
  std::vector<int> lengths = {243, 1000, 1536, 2187};
  if (!GetParam())
    for (int length = 1; length <= 36; ++length)
      lengths.push_back(length);
  for (int length : lengths) {
    Buffer x = randomReals(size_t(length), unsigned(length), true);
    SizeMap size = {{"N", length}};
    for (auto [forward, backward] : {std::pair("fft_mixed", "ifft_mixed"), std::pair("fft_any", "ifft_any")}) {
      Buffer y = runLibrary("fft.id", forward, size, f64, {x})[0];
      EXPECT_LT(relativeError(y, fftw(x, {length})), limit(8 * unit)) << forward << " N=" << length;
      EXPECT_LT(relativeError(runLibrary("fft.id", backward, size, f64, {y})[0], x), limit(8 * unit)) << length;
    }
  }
}

TEST_P(Fourier, AnyLengthInTwoAndThreeDimensions) {
  for (auto [m, n] : {std::pair(1, 7), {12, 1}, {9, 10}, {20, 15}, {37, 6}, {4, 41}}) {
    Buffer x = randomReals(size_t(m) * size_t(n), unsigned(m + n), true);
    SizeMap size = {{"M", m}, {"N", n}};
    Buffer y = runLibrary("fft.id", "fft2d_any", size, f64, {x})[0];
    EXPECT_LT(relativeError(y, fftw(x, {m, n})), limit(8 * unit)) << "M=" << m << " N=" << n;
    EXPECT_LT(relativeError(runLibrary("fft.id", "ifft2d_any", size, f64, {y})[0], x), limit(8 * unit)) << m << n;
  }
  for (auto [l, m, n] : {std::tuple(1, 5, 3), {6, 1, 4}, {5, 4, 9}, {6, 10, 7}}) {
    Buffer x = randomReals(size_t(l) * size_t(m) * size_t(n), unsigned(l + m + n), true);
    SizeMap size = {{"L", l}, {"M", m}, {"N", n}};
    Buffer y = runLibrary("fft.id", "fft3d_any", size, f64, {x})[0];
    EXPECT_LT(relativeError(y, fftw(x, {l, m, n})), limit(8 * unit)) << l << " " << m << " " << n;
    EXPECT_LT(relativeError(runLibrary("fft.id", "ifft3d_any", size, f64, {y})[0], x), limit(8 * unit)) << l << m << n;
  }
}

TEST_P(Fourier, LengthsWithLargePrimeFactors) {
  // Rader's form, Bluestein's, the prime-factor form, a square; evaluated also one beyond the values of a kernel.
  std::vector<int> lengths = {37, 83, 721, 1369};
  if (!GetParam()) {
    for (int length = 38; length <= 82; ++length)
      lengths.push_back(length);
    lengths.insert(lengths.end(), {1009, 1025, 1283, 2053, 4097, 9991});
  }
  for (int length : lengths) {
    Buffer x = randomReals(size_t(length), unsigned(length), true), expected = fftw(x, {length});
    SizeMap size = {{"N", length}};
    Buffer y = runLibrary("fft.id", "fft_any", size, f64, {x})[0];
    EXPECT_LT(relativeError(y, expected), limit(16 * unit)) << "N=" << length;
    EXPECT_LT(relativeError(runLibrary("fft.id", "ifft_any", size, f64, {y})[0], x), limit(16 * unit)) << length;
    for (int form : {1, 2, 3})
      if (!GetParam() && (length == 37 || length == 83 || length == 721)) {
        size["form"] = form;
        y = runLibrary("fft.id", "fft_mixed", size, f64, {x})[0];
        EXPECT_LT(relativeError(y, expected), limit(16 * unit)) << "N=" << length << " form=" << form;
        EXPECT_LT(relativeError(runLibrary("fft.id", "ifft_mixed", size, f64, {y})[0], x), limit(16 * unit)) << length;
      }
  }
}

TEST(FourierEvaluated, FormsOfLengthsWithSmallPrimeFactors) {
  EXPECT_NE(libraryError("fft.id", "fft_mixed", {{"N", 60}, {"form", 2}}, f64).find("has one form"), std::string::npos);
}

TEST_P(Fourier, RoundTrips) {
  for (int64_t n : sizes(10, 13)) {
    Buffer x = randomReals(size_t(1) << n, 3, true);
    EXPECT_LT(relativeError(fft(n, fft(n, x), "ifft"), x), limit(8 * unit)) << "n=" << n;
    EXPECT_LT(relativeError(fft(n, fft(n, x, "fft_dif"), "ifft_dit"), x), limit(8 * unit)) << "n=" << n;
  }
}

TEST_P(Fourier, ImpulseShiftLinearityParseval) {
  const int64_t n = 8, size = 1 << n;
  for (int64_t position : {0, 1, 100, 255}) {
    Buffer impulse(size);
    impulse[position].re = 1;
    Buffer y = fft(n, impulse);
    for (int64_t k = 0; k < size; ++k)
      EXPECT_LT(std::abs(value(y[k]) - value(rootOfUnity(size, position * k))), limit(8 * unit));
  }
  Buffer x = randomReals(size, 1, true), w = randomReals(size, 2, true), shifted(size);
  for (int64_t i = 0; i < size; ++i)
    shifted[(i + 5) % size] = x[i];
  Buffer y = fft(n, x), z = fft(n, shifted);
  for (int64_t k = 0; k < size; ++k)
    EXPECT_LT(std::abs(value(z[k]) - value(y[k]) * value(rootOfUnity(size, 5 * k))), limit(1e-16L));
  Complex a(0.75L, -2.5L);
  EXPECT_LT(relativeError(fft(n, combine(a, x, w)), combine(a, y, fft(n, w))), limit(8 * unit));
  EXPECT_NEAR(double(norm(y) / norm(x)), 16.0, double(limit(1e-17L)));
}

TEST_P(Fourier, Convolution) {
  for (int64_t n : sizes(7, 11)) {
    const size_t size = size_t(1) << n;
    Buffer x = randomReals(size, 4, true), w = randomReals(size, 5, true), expected(size);
    for (size_t i = 0; i < size; ++i)
      for (size_t j = 0; j < size; ++j) {
        Complex term = value(x[i]) * value(w[j]);
        expected[(i + j) % size].re += term.real();
        expected[(i + j) % size].im += term.imag();
      }
    Buffer y = runLibrary("fft.id", "convolve", {{"n", n}}, f64, {x, w})[0];
    EXPECT_LT(relativeError(y, expected), limit(16 * unit)) << "n=" << n;
  }
}

TEST_P(Fourier, HadamardIsItsOwnInverse) {
  for (int64_t n : sizes(8, 11)) {
    Buffer x = randomReals(size_t(1) << n, 6);
    auto transformed = [&](const Buffer &of) {
      return runLibrary("hadamard.id", "hadamard", {{"n", n}}, f64, {of})[0];
    };
    EXPECT_LT(relativeError(transformed(transformed(x)), scaled(x, std::ldexp(1.0L, int(n)))), limit(8 * unit));
  }
}
