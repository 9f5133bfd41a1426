// What the evaluator computes for whole algorithms, against definitions.
#include "FrontendFixture.h"

#include <algorithm>

using namespace idc::frontend;
using namespace idc::frontend::test;

TEST(Evaluate, RootsOfUnityAreExactAtQuarterTurns) {
  Scalar w = rootOfUnity(8, 2);
  EXPECT_EQ(w.re, 0.0L);
  EXPECT_EQ(w.im, -1.0L);
  EXPECT_EQ(rootOfUnity(8, 4).re, -1.0L);
  EXPECT_EQ(rootOfUnity(8, 4).im, 0.0L);
  EXPECT_EQ(rootOfUnity(4, 3).im, 1.0L);
  EXPECT_EQ(rootOfUnity(1024, -256).im, 1.0L);
  for (int64_t e = 0; e < 48; ++e) {
    Scalar a = rootOfUnity(48, e);
    long double angle = -2 * 3.14159265358979323846264338327950288L * static_cast<long double>(e) / 48;
    EXPECT_NEAR(static_cast<double>(a.re), static_cast<double>(std::cos(angle)), 1e-15);
    EXPECT_NEAR(static_cast<double>(a.im), static_cast<double>(std::sin(angle)), 1e-15);
  }
}

TEST(Evaluate, FourierTransforms) {
  for (int64_t n = 0; n <= 8; ++n)
    for (const char *entry : {"fft", "fft_ct"}) {
      Buffer x = randomReals(size_t(1) << n, 7, true);
      auto program = fromFile("fft.id", entry, {{"n", n}}, {{"T", "f64"}});
      EXPECT_LT(distance(run(*program, {x})[0], naiveDft(x)), 1e-15L) << entry << " n=" << n;
    }
}

TEST(Evaluate, InverseFourierTransform) {
  Buffer x = randomReals(64, 3, true);
  Buffer forward = run(*fromFile("fft.id", "fft", {{"n", 6}}), {x})[0];
  EXPECT_LT(distance(run(*fromFile("fft.id", "ifft", {{"n", 6}}), {forward})[0], x), 1e-17L);
}

TEST(Evaluate, LargeTransformIsQuick) {
  Buffer x(size_t(1) << 16);
  x[1].re = 1;
  Buffer y = run(*fromFile("fft.id", "fft", {{"n", 16}}), {x})[0];
  for (int64_t k = 0; k < (1 << 16); k += 1001)
    EXPECT_LT(std::abs(y[k].im - rootOfUnity(1 << 16, k).im), 1e-17L);
}

TEST(Evaluate, TwoDimensions) {
  const size_t rows = 4, columns = 8;
  Buffer x = randomReals(rows * columns, 11, true), expected = x;
  for (size_t r = 0; r < rows; ++r) {
    Buffer line = naiveDft(Buffer(expected.begin() + r * columns, expected.begin() + (r + 1) * columns));
    std::copy(line.begin(), line.end(), expected.begin() + r * columns);
  }
  for (size_t c = 0; c < columns; ++c) {
    Buffer line;
    for (size_t r = 0; r < rows; ++r)
      line.push_back(expected[r * columns + c]);
    line = naiveDft(line);
    for (size_t r = 0; r < rows; ++r)
      expected[r * columns + c] = line[r];
  }
  auto program = fromFile("algorithms.id", "fft2", {{"m", 2}, {"n", 3}});
  EXPECT_LT(distance(run(*program, {x})[0], expected), 1e-15L);
}

TEST(Evaluate, MixedRadices) {
  for (int64_t a = 0; a <= 3; ++a)
    for (int64_t b = 0; b <= 2; ++b) {
      size_t size = size_t(1) << a;
      for (int64_t i = 0; i < b; ++i)
        size *= 3;
      Buffer x = randomReals(size, 5, true);
      auto program = fromFile("algorithms.id", "fft_mixed", {{"a", a}, {"b", b}}, {{"T", "f64"}});
      EXPECT_LT(distance(run(*program, {x})[0], naiveDft(x)), 1e-15L) << "a=" << a << " b=" << b;
    }
}

TEST(Evaluate, Transpose) {
  auto program = fromFile("algorithms.id", "transpose", {{"m", 2}, {"n", 3}}, {{"T", "i32"}});
  Buffer y = run(*program, {counting(32)})[0];
  for (size_t r = 0; r < 4; ++r)
    for (size_t c = 0; c < 8; ++c)
      EXPECT_EQ(y[c * 4 + r].integer, static_cast<int64_t>(r * 8 + c));
}

TEST(Evaluate, NumberTheoreticTransformConvolves) {
  const uint64_t q = 998244353;
  const size_t size = 16;
  Buffer x = randomIntegers(size, 2, 0, q - 1);
  Buffer y = run(*fromFile("algorithms.id", "ntt", {{"n", 4}}), {x})[0];
  // The root of order 16 from the least primitive root, 3.
  auto power = [&](uint64_t base, uint64_t exponent) {
    uint64_t result = 1;
    for (; exponent; exponent >>= 1, base = base * base % q)
      if (exponent & 1)
        result = result * base % q;
    return result;
  };
  uint64_t w = power(3, (q - 1) / size);
  for (size_t k = 0; k < size; ++k) {
    uint64_t sum = 0;
    for (size_t j = 0; j < size; ++j)
      sum = (sum + static_cast<uint64_t>(x[j].integer) * power(w, j * k)) % q;
    EXPECT_EQ(static_cast<uint64_t>(y[k].integer), sum);
  }
}

TEST(Evaluate, BitonicSort) {
  for (int64_t n = 0; n <= 7; ++n) {
    Buffer x = randomIntegers(size_t(1) << n, 13, -50, 50);
    Buffer y = run(*fromFile("algorithms.id", "bitonic_sort", {{"n", n}}, {{"T", "i32"}}), {x})[0];
    std::sort(x.begin(), x.end(), [](const Scalar &a, const Scalar &b) { return a.integer < b.integer; });
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(y[i].integer, x[i].integer);
  }
}

TEST(Evaluate, ExclusiveScanWraps) {
  for (int64_t n = 0; n <= 7; ++n) {
    Buffer x = randomIntegers(size_t(1) << n, 17, 0, 4294967295);
    Buffer y = run(*fromFile("algorithms.id", "exclusive_scan", {{"n", n}}, {{"T", "u32"}}), {x})[0];
    uint32_t sum = 0;
    for (size_t i = 0; i < x.size(); ++i) {
      EXPECT_EQ(static_cast<uint32_t>(y[i].integer), sum);
      sum += static_cast<uint32_t>(x[i].integer);
    }
  }
}

TEST(Evaluate, ScanOfDigitsInTheMiddle) {
  // Digits 3..2 of 4: four columns of a strided dimension, and the digit below stays where it was.
  const char *text = R"(
    node reduce<T>(x: T[2]) -> (T, T) { return (x[0] + x[1], x[0]); }
    node expand<T>(before: T, left: T) -> T[2] { return [before, before + left]; }
    func nothing<T>(x: T) -> T { return 0; }
    algorithm scan<T>(x: T[2^n]) -> T[2^n] {
      if n == 0 { return x |> nothing; }
      let (sum, left) = x |> reduce @ 1;
      return (scan(sum), left) |> expand @ 1;
    }
    algorithm middle<T = i64>(x: T[2^n]) -> T[2^n] { return x |> scan @ n-1..2; }
    algorithm crossed<T = i64>(x: T[2^n]) -> T[2^n] { return x |> scan @ (1, n); })";
  Buffer x = randomIntegers(16, 23, 0, 99);
  Buffer y = run(*fromText(text, "middle", {{"n", 4}}), {x})[0];
  Buffer z = run(*fromText(text, "crossed", {{"n", 4}}), {x})[0];
  for (size_t i = 0; i < 16; ++i) {
    int64_t sum = 0;
    for (size_t k = 0; k < (i >> 1 & 3); ++k)
      sum += x[(i & 9) | k << 1].integer;
    EXPECT_EQ(y[i].integer, sum);
    // (1, n): digit 1 is the high one of the scanned index, digit n the low one.
    size_t own = (i & 1) * 2 + (i >> 3);
    sum = 0;
    for (size_t k = 0; k < own; ++k)
      sum += x[(i & 6) | (k & 1) << 3 | k >> 1].integer;
    EXPECT_EQ(z[i].integer, sum);
  }
}

TEST(Evaluate, TridiagonalResidual) {
  for (int64_t n = 1; n <= 8; ++n) {
    size_t size = size_t(1) << n;
    Buffer a = randomReals(size, 1), b = randomReals(size, 2), c = randomReals(size, 3), d = randomReals(size, 4);
    for (Scalar &value : b)
      value.re += value.re < 0 ? -3 : 3;
    Buffer x = run(*fromFile("algorithms.id", "tridiagonal", {{"n", n}}), {a, b, c, d})[0];
    for (size_t i = 0; i < size; ++i) {
      long double left = b[i].re * x[i].re - d[i].re;
      if (i > 0)
        left += a[i].re * x[i - 1].re;
      if (i + 1 < size)
        left += c[i].re * x[i + 1].re;
      EXPECT_LT(std::abs(left), 1e-16L);
    }
  }
}

TEST(Evaluate, Broadcasting) {
  Buffer x = counting(32), rows = counting(8), columns = counting(4);
  auto byRow = fromFile("algorithms.id", "filter_rows", {{"m", 2}, {"n", 3}});
  auto byColumn = fromFile("algorithms.id", "filter_columns", {{"m", 2}, {"n", 3}});
  Buffer y = run(*byRow, {x, rows})[0], z = run(*byColumn, {x, columns})[0];
  for (size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(y[i].re, x[i].re * static_cast<long double>(i % 8));
    EXPECT_EQ(z[i].re, x[i].re * static_cast<long double>(i / 8));
  }
}

TEST(Evaluate, Hadamard) {
  Buffer x = randomIntegers(32, 9, -9, 9);
  Buffer y = run(*fromFile("hadamard.id", "hadamard", {{"n", 5}}, {{"T", "i64"}}), {x})[0];
  for (size_t k = 0; k < 32; ++k) {
    int64_t sum = 0;
    for (size_t j = 0; j < 32; ++j)
      sum += __builtin_popcountll(j & k) % 2 ? -x[j].integer : x[j].integer;
    EXPECT_EQ(y[k].integer, sum);
  }
}

TEST(Evaluate, ScalarParameters) {
  const char *text = R"(
    func axpy<T>(x: T, y: T, a: T) -> T { return a * x + y; }
    algorithm f<T = f32>(x: T[2^n], y: T[2^n], a: T) -> T[2^n] { let b = a * 2; return (x, y) |> axpy(b - 1); })";
  Scalar a;
  a.re = 3;
  Buffer y = run(*fromText(text, "f", {{"n", 2}}), {counting(4), counting(4)}, {a})[0];
  for (size_t i = 0; i < 4; ++i)
    EXPECT_EQ(y[i].re, 6 * static_cast<long double>(i));
}

TEST(Evaluate, ScalarParametersOfRecords) {
  const char *text = R"(
    type Line<T> = { slope: T, offset: T };
    type Setting = { line: Line<f32>, on: bool };
    func apply(x: f32, s: Setting, k: i32) -> f32 { return select(s.on, s.line.slope * x + s.line.offset, f32(k)); }
    algorithm f(x: f32[2^n], s: Setting, k: i32) -> f32[2^n] { return x |> apply(s, k); })";
  auto elaborated = fromText(text, "f", {{"n", 1}});
  std::vector<std::string> names;
  for (const ScalarParameter &scalar : elaborated->program->scalars)
    names.push_back(scalar.name + ": " + spell(*scalar.type));
  EXPECT_EQ(names, (std::vector<std::string>{"s.line.slope: f32", "s.line.offset: f32", "s.on: bool", "k: i32"}));
  Scalar slope, offset, on, k;
  slope.re = 3;
  offset.re = 0.5;
  on.integer = 1;
  Buffer y = run(*elaborated, {counting(2)}, {slope, offset, on, k})[0];
  EXPECT_EQ(y[1].re, 3.5);
}

TEST(Evaluate, WrongInputsAreErrors) {
  auto program = fromFile("hadamard.id", "hadamard", {{"n", 3}});
  std::vector<Buffer> outputs;
  std::string error;
  EXPECT_FALSE(evaluate(*program->program, {}, {}, outputs, error));
  EXPECT_FALSE(evaluate(*program->program, {Buffer(7)}, {}, outputs, error));
  EXPECT_NE(error.find("wrong number"), std::string::npos);
}
