// real.id against FFTW in long double.
#include "LibraryFixture.h"

#include <fftw3.h>

using namespace idc::frontend;
using namespace idc::frontend::test;

namespace {

const long double unit = 0x1p-64L;
const TypeMap f64 = {{"T", "f64"}};

Buffer ofReals(const std::vector<long double> &values) {
  Buffer result(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    result[i].re = values[i];
  return result;
}

/// FFTW's transform of real values, of any kind, in as many dimensions as there are sides.
Buffer fftwReal(const Buffer &x, const std::vector<int> &sides, fftw_r2r_kind kind) {
  std::vector<long double> data = reals(x);
  std::vector<fftw_r2r_kind> kinds(sides.size(), kind);
  fftwl_plan plan = fftwl_plan_r2r(static_cast<int>(sides.size()), sides.data(), data.data(), data.data(), kinds.data(),
                                   FFTW_ESTIMATE);
  fftwl_execute(plan);
  fftwl_destroy_plan(plan);
  return ofReals(data);
}

/// FFTW's half spectrum of real values: the last side becomes half of it plus 1.
Buffer fftwSpectrum(const Buffer &x, const std::vector<int> &sides) {
  std::vector<long double> data = reals(x);
  const size_t last = static_cast<size_t>(sides.back());
  std::vector<Complex> spectrum(data.size() / last * (last / 2 + 1));
  fftwl_plan plan = fftwl_plan_dft_r2c(static_cast<int>(sides.size()), sides.data(), data.data(),
                                       reinterpret_cast<fftwl_complex *>(spectrum.data()), FFTW_ESTIMATE);
  fftwl_execute(plan);
  fftwl_destroy_plan(plan);
  Buffer result(spectrum.size());
  for (size_t i = 0; i < spectrum.size(); ++i) {
    result[i].re = spectrum[i].real();
    result[i].im = spectrum[i].imag();
  }
  return result;
}

class Real : public AgainstOracle {
protected:
  static constexpr int exhaustive = 64;

  /// Lengths, odd and even, prime and not; for the evaluator all up to `exhaustive`, then some.
  static std::vector<int> lengths() {
    if (GetParam())
      return {1, 2, 9, 24, 50};
    std::vector<int> some(exhaustive);
    std::iota(some.begin(), some.end(), 1);
    for (int length = exhaustive + 1; length <= 300; length += 17)
      some.push_back(length);
    return some;
  }
  static Buffer transform(const std::string &entry, int length, const Buffer &x) {
    return runLibrary("real.id", entry, {{"N", length}}, f64, {x})[0];
  }
};
INSTANTIATE_TEST_SUITE_P(Library, Real, everyProcessor(), processorName);

} // namespace

TEST_P(Real, SpectrumAgreesWithFftw) {
  for (int length : lengths()) {
    Buffer x = randomReals(static_cast<size_t>(length), 200 + unsigned(length)), spectrum = fftwSpectrum(x, {length});
    EXPECT_LT(relativeError(transform("rfft", length, x), spectrum), limit(8 * unit)) << "N=" << length;
    Buffer back = runLibrary("real.id", "irfft", {{"N", length}}, f64, {spectrum})[0];
    EXPECT_LT(relativeError(back, x), limit(8 * unit)) << "N=" << length;
  }
}

TEST_P(Real, FormsGiveTheSame) {
  for (int length : {1, 2, 3, 4, 12, 37, 50}) {
    Buffer x = randomReals(static_cast<size_t>(length), 400 + unsigned(length)), spectrum = fftwSpectrum(x, {length});
    const SizeMap sizes = {{"N", length}, {"form", 1}};
    EXPECT_LT(relativeError(runLibrary("real.id", "rfft", sizes, f64, {x})[0], spectrum), limit(8 * unit)) << length;
    EXPECT_LT(relativeError(runLibrary("real.id", "irfft", sizes, f64, {spectrum})[0], x), limit(8 * unit)) << length;
    EXPECT_LT(relativeError(runLibrary("real.id", "dht", sizes, f64, {x})[0], fftwReal(x, {length}, FFTW_DHT)),
              limit(8 * unit))
        << length;
  }
  for (auto [l, m, n] : {std::array<int, 3>{1, 1, 1}, {2, 5, 7}, {4, 32, 16}}) {
    Buffer x = randomReals(static_cast<size_t>(m * n), 13), spectrum = fftwSpectrum(x, {m, n});
    SizeMap sides = {{"M", m}, {"N", n}, {"form", 1}};
    EXPECT_LT(relativeError(runLibrary("real.id", "rfft2d", sides, f64, {x})[0], spectrum), limit(8 * unit));
    EXPECT_LT(relativeError(runLibrary("real.id", "irfft2d", sides, f64, {spectrum})[0], x), limit(8 * unit));
    x = randomReals(static_cast<size_t>(l * m * n), 14), spectrum = fftwSpectrum(x, {l, m, n});
    sides["L"] = l;
    EXPECT_LT(relativeError(runLibrary("real.id", "rfft3d", sides, f64, {x})[0], spectrum), limit(8 * unit));
    EXPECT_LT(relativeError(runLibrary("real.id", "irfft3d", sides, f64, {spectrum})[0], x), limit(8 * unit));
  }
}

TEST_P(Real, TwoAndThreeDimensions) {
  for (auto [l, m, n] : {std::array<int, 3>{1, 1, 1}, {3, 4, 6}, {2, 5, 7}, {4, 3, 12}}) {
    Buffer x = randomReals(static_cast<size_t>(m * n), 11), spectrum = fftwSpectrum(x, {m, n});
    SizeMap sides = {{"M", m}, {"N", n}};
    EXPECT_LT(relativeError(runLibrary("real.id", "rfft2d", sides, f64, {x})[0], spectrum), limit(8 * unit));
    EXPECT_LT(relativeError(runLibrary("real.id", "irfft2d", sides, f64, {spectrum})[0], x), limit(8 * unit));
    x = randomReals(static_cast<size_t>(l * m * n), 12), spectrum = fftwSpectrum(x, {l, m, n});
    sides["L"] = l;
    EXPECT_LT(relativeError(runLibrary("real.id", "rfft3d", sides, f64, {x})[0], spectrum), limit(8 * unit));
    EXPECT_LT(relativeError(runLibrary("real.id", "irfft3d", sides, f64, {spectrum})[0], x), limit(8 * unit));
  }
}

TEST_P(Real, CosineAndSineTransformsAgreeWithFftw) {
  const std::pair<const char *, fftw_r2r_kind> kinds[] = {
      {"dct1", FFTW_REDFT00}, {"dct2", FFTW_REDFT10}, {"dct3", FFTW_REDFT01}, {"dct4", FFTW_REDFT11}, {"dht", FFTW_DHT},
      {"dst1", FFTW_RODFT00}, {"dst2", FFTW_RODFT10}, {"dst3", FFTW_RODFT01}, {"dst4", FFTW_RODFT11}};
  for (int length : lengths())
    for (auto [entry, kind] : kinds) {
      if (kind == FFTW_REDFT00 && length < 2)
        continue; // has two ends
      Buffer x = randomReals(static_cast<size_t>(length), 300 + unsigned(length));
      // FFTW's own transforms of the first kind lose digits with the length (its manual says so).
      EXPECT_LT(relativeError(transform(entry, length, x), fftwReal(x, {length}, kind)), limit(64 * unit))
          << entry << " N=" << length;
    }
}

TEST(RealTransforms, CosineOfTheFirstKindHasTwoEnds) {
  EXPECT_NE(libraryError("real.id", "dct1", {{"N", 1}}, f64).find("has both ends: N >= 2"), std::string::npos);
}
