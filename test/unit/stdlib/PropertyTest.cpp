// What a transform can be trusted by without another implementation: linearity, shifts, impulses, Parseval's equation
// and round trips, with random sizes, batches and data, on the CPU and in the emulator. That inputs are not written to
// is checked by every run.
#include "Execution.h"

#include "LibraryFixture.h"

#include <numeric>

using namespace idc::test;
using namespace idc::frontend::test;
using idc::frontend::SizeMap;
using idc::frontend::TypeMap;
using idc::test::Buffer;

namespace {

const long double roundoff = 0x1p-53L;
const TypeMap f64 = {{"T", "f64"}};

/// A transform of the library and what its inverse is called.
struct Transform {
  const char *file, *name, *inverse;
  SizeMap smallest, spread; // sizes are the smallest and a random number of up to `spread` more
  int64_t base = 2;         // of the lengths; 0: the sizes are lengths
  int reversed = 0;         // 1: the output is in reversed order, -1: the input
  int sign = -1;            // of the exponents
  bool scaled = false;      // by 1/length
};

const Transform fourier[] = {
    {"fft.id", "fft", "ifft", {{"n", 0}}, {{"n", 10}}},
    {"fft.id", "ifft", "fft", {{"n", 0}}, {{"n", 10}}, 2, 0, 1, true},
    {"fft.id", "fft_ct", "ifft", {{"n", 0}}, {{"n", 10}}},
    {"fft.id", "fft_dif", "ifft_dit", {{"n", 0}}, {{"n", 10}}, 2, 1},
    {"fft.id", "ifft_dit", "fft_dif", {{"n", 0}}, {{"n", 10}}, 2, -1, 1, true},
    {"fft.id", "fft_radix4", "", {{"m", 0}}, {{"m", 5}}, 4},
    {"fft.id", "fft2d", "ifft2d", {{"m", 0}, {"n", 0}}, {{"m", 5}, {"n", 5}}},
    {"fft.id", "ifft2d", "fft2d", {{"m", 0}, {"n", 0}}, {{"m", 5}, {"n", 5}}, 2, 0, 1, true},
    {"fft.id", "fft3d", "ifft3d", {{"l", 0}, {"m", 0}, {"n", 0}}, {{"l", 3}, {"m", 3}, {"n", 4}}},
    {"fft.id", "ifft3d", "fft3d", {{"l", 0}, {"m", 0}, {"n", 0}}, {{"l", 3}, {"m", 3}, {"n", 4}}, 2, 0, 1, true},
    {"fft.id", "fft_mixed", "ifft_mixed", {{"N", 1}}, {{"N", 22}}, 0},
    {"fft.id", "ifft_mixed", "fft_mixed", {{"N", 1}}, {{"N", 22}}, 0, 0, 1, true},
};

void PrintTo(const Transform &transform, std::ostream *out) { *out << transform.name; }

class Sample {
public:
  Sample(const Transform &transform, unsigned seed) : transform(transform), generator(seed) {
    sizes = transform.smallest;
    for (auto &[name, size] : sizes) {
      size += below(transform.spread.at(name) + 1);
      sides.push_back(transform.base == 0 ? size : power(transform.base, size));
    }
    length = std::accumulate(sides.begin(), sides.end(), int64_t(1), std::multiplies<>());
    batch = 1 + below(5);
    bits = length > 1 ? 63 - __builtin_clzll(uint64_t(length)) : 0;
  }

  int64_t below(int64_t bound) { return std::uniform_int_distribution<int64_t>(0, bound - 1)(generator); }
  Buffer random(bool complex = true) { return randomReals(size_t(batch * length), unsigned(below(1 << 30)), complex); }

  /// The transform, with natural order in and out.
  Buffer apply(const Executable &executable, const Buffer &x) const {
    Buffer result = executable.run({transform.reversed < 0 ? reversed(x) : x})[0];
    return transform.reversed > 0 ? reversed(result) : result;
  }

  Executable compile(Device device) const { return compile(device, transform.name); }
  Executable compile(Device device, const char *name) const { return {device, transform.file, name, sizes, f64}; }

  std::string describe(Device device) const {
    std::string text = std::string(transform.name) + " on the " + name(device) + ", batch " + std::to_string(batch);
    for (const auto &[name, size] : sizes)
      text += ", " + name + " = " + std::to_string(size);
    return text;
  }

  /// The product over the dimensions of the root of unity of that side to the power of j·k.
  Complex root(int64_t j, int64_t k) const {
    Complex result = 1;
    for (auto side = sides.rbegin(); side != sides.rend(); ++side) {
      result *= value(idc::frontend::rootOfUnity(*side, -transform.sign * ((j % *side) * (k % *side) % *side)));
      j /= *side;
      k /= *side;
    }
    return result;
  }
  /// The index of j + s in every dimension.
  int64_t shifted(int64_t j, int64_t s) const {
    int64_t result = 0, weight = 1;
    for (auto side = sides.rbegin(); side != sides.rend(); ++side) {
      result += (j + s) % *side * weight;
      j /= *side;
      s /= *side;
      weight *= *side;
    }
    return result;
  }

  const Transform &transform;
  SizeMap sizes;
  std::vector<int64_t> sides; // most significant first
  int64_t length = 1, batch = 1, bits = 0;

private:
  static int64_t power(int64_t base, int64_t exponent) { return exponent == 0 ? 1 : base * power(base, exponent - 1); }
  Buffer reversed(const Buffer &x) const {
    Buffer result;
    for (int64_t problem = 0; problem < batch; ++problem) {
      Buffer one = bitReversed(Buffer(x.begin() + problem * length, x.begin() + (problem + 1) * length), bits);
      result.insert(result.end(), one.begin(), one.end());
    }
    return result;
  }
  std::mt19937 generator;
};

class FourierProperties : public ::testing::TestWithParam<Transform> {
protected:
  static constexpr unsigned samples = 3;
};

TEST_P(FourierProperties, ImpulsesShiftsLinearityParseval) {
  for (Device device : devices)
    for (unsigned seed = 1; seed <= samples; ++seed) {
      Sample sample(GetParam(), seed);
      SCOPED_TRACE(sample.describe(device));
      Executable executable = sample.compile(device);
      const int64_t length = sample.length, batch = sample.batch;
      const long double scale = GetParam().scaled ? 1.0L / static_cast<long double>(length) : 1;
      const long double limit = 16 * roundoff;

      // An impulse in another place of every problem.
      Buffer impulses(size_t(batch * length)), roots = impulses;
      for (int64_t problem = 0; problem < batch; ++problem) {
        int64_t j = sample.below(length);
        impulses[size_t(problem * length + j)].re = 1;
        for (int64_t k = 0; k < length; ++k) {
          Complex root = sample.root(j, k) * scale;
          roots[size_t(problem * length + k)].re = root.real();
          roots[size_t(problem * length + k)].im = root.imag();
        }
      }
      EXPECT_LE(relativeError(sample.apply(executable, impulses), roots), limit);

      Buffer x = sample.random(), w = sample.random();
      Buffer y = sample.apply(executable, x), z = sample.apply(executable, w);
      // The sum is rounded before it is transformed, like everything else.
      Complex a(0.75L, -2.5L);
      EXPECT_LE(relativeError(sample.apply(executable, combine(a, x, w)), combine(a, y, z)), limit);
      EXPECT_NEAR(double(norm(y) / norm(x) / std::sqrt(static_cast<long double>(length)) / scale), 1, double(limit));

      // A shift in time is a multiplication in frequency, and the other way round.
      const int64_t s = sample.below(length);
      Buffer later = x, turned = y, modulated = x, moved = y;
      for (int64_t problem = 0; problem < batch; ++problem)
        for (int64_t j = 0; j < length; ++j) {
          size_t from = size_t(problem * length + j), to = size_t(problem * length + sample.shifted(j, s));
          later[to] = x[from];
          Complex root = sample.root(s, j), turn = value(y[from]) * root, back = value(x[from]) * std::conj(root);
          turned[from].re = turn.real();
          turned[from].im = turn.imag();
          modulated[from].re = back.real();
          modulated[from].im = back.imag();
          moved[to] = y[from];
        }
      EXPECT_LE(relativeError(sample.apply(executable, later), turned), limit);
      EXPECT_LE(relativeError(sample.apply(executable, modulated), moved), limit);
    }
}

TEST_P(FourierProperties, RoundTrips) {
  if (!*GetParam().inverse)
    return; // has none in the library
  for (Device device : devices)
    for (unsigned seed = 11; seed < 11 + samples; ++seed) {
      Sample sample(GetParam(), seed);
      SCOPED_TRACE(sample.describe(device));
      Buffer x = sample.random();
      Buffer y = sample.compile(device).run({x})[0];
      EXPECT_LE(relativeError(sample.compile(device, GetParam().inverse).run({y})[0], x), 16 * roundoff);
    }
}

INSTANTIATE_TEST_SUITE_P(Library, FourierProperties, ::testing::ValuesIn(fourier),
                         [](const auto &info) { return info.param.name; });

// Other linear transforms: their inverse, and what is left when it is their own.
const Transform linear[] = {
    {"hadamard.id", "hadamard", "hadamard", {{"n", 0}}, {{"n", 11}}, 2, 0, 0, true},
    {"haar.id", "haar", "ihaar", {{"n", 0}}, {{"n", 11}}},
    {"haar.id", "ihaar", "haar", {{"n", 0}}, {{"n", 11}}},
    {"haar.id", "haar2d", "ihaar2d", {{"m", 0}, {"n", 0}}, {{"m", 5}, {"n", 5}}},
    {"haar.id", "ihaar2d", "haar2d", {{"m", 0}, {"n", 0}}, {{"m", 5}, {"n", 5}}},
};

class LinearProperties : public ::testing::TestWithParam<Transform> {};

TEST_P(LinearProperties, LinearityNormAndRoundTrip) {
  for (Device device : devices)
    for (unsigned seed = 1; seed <= 3; ++seed) {
      Sample sample(GetParam(), seed);
      SCOPED_TRACE(sample.describe(device));
      Executable there = sample.compile(device), back = sample.compile(device, GetParam().inverse);
      const long double gain = GetParam().scaled ? std::sqrt(static_cast<long double>(sample.length)) : 1;
      Buffer x = sample.random(false), w = sample.random(false);
      Buffer y = there.run({x})[0], z = there.run({w})[0];
      EXPECT_LE(relativeError(there.run({combine(1.5L, x, w)})[0], combine(1.5L, y, z)), 16 * roundoff);
      EXPECT_NEAR(double(norm(y) / norm(x) / gain), 1, double(16 * roundoff));
      EXPECT_LE(relativeError(back.run({y})[0], combine(gain * gain, x, Buffer(x.size()))), 16 * roundoff);
    }
}

INSTANTIATE_TEST_SUITE_P(Library, LinearProperties, ::testing::ValuesIn(linear),
                         [](const auto &info) { return info.param.name; });

struct ExactPair {
  const char *name, *inverse, *type;
  int64_t prime;
};
const ExactPair exactPairs[] = {{"ntt", "intt", "mod<998244353>", 998244353},
                                {"ntt_dif", "intt_dit", "mod<998244353>", 998244353},
                                {"intt", "ntt", "mod<65537>", 65537},
                                {"intt_dit", "ntt_dif", "mod<65537>", 65537}};

TEST(FieldProperties, LinearityAndRoundTrip) {
  std::mt19937 generator(5);
  for (Device device : devices)
    for (const ExactPair &pair : exactPairs) {
      const int64_t n = std::uniform_int_distribution<int64_t>(0, 10)(generator), batch = 1 + n % 4;
      const TypeMap types = {{"T", pair.type}};
      Executable there(device, "ntt.id", pair.name, {{"n", n}}, types),
          back(device, "ntt.id", pair.inverse, {{"n", n}}, types);
      const size_t size = size_t(batch) << n;
      auto combination = [&](const Buffer &x, const Buffer &w) {
        Buffer result(size);
        for (size_t i = 0; i < size; ++i)
          result[i].integer = (1234 * x[i].integer + w[i].integer) % pair.prime;
        return result;
      };
      Buffer x = randomIntegers(size, 1, 0, pair.prime - 1), w = randomIntegers(size, 2, 0, pair.prime - 1);
      Buffer y = there.run({x})[0], z = there.run({w})[0];
      EXPECT_EQ(integers(there.run({combination(x, w)})[0]), integers(combination(y, z))) << pair.name << " n=" << n;
      EXPECT_EQ(integers(back.run({y})[0]), integers(x)) << pair.name << " n=" << n;
    }
}

} // namespace
