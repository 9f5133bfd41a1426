//===- SketchTest.cpp - a small summary of a large result -----------------===//

#include "host/Sketch.h"
#include "host/Error.h"
#include "host/RandomInput.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

using namespace idc::host;

namespace {

struct Data {
  ElementType type;
  int64_t elements;
  std::vector<char> bytes;

  Data(const char *name, int64_t elements, uint64_t seed = 0)
      : type(ElementType::parse(name)), elements(elements), bytes(size_t(elements * type.bytes)) {
    fillRandom(bytes.data(), elements, type, seed, 0);
  }
  template <typename T> T get(size_t i) const {
    T value;
    std::memcpy(&value, &bytes[i * sizeof(T)], sizeof(T));
    return value;
  }
  template <typename T> void set(size_t i, T value) { std::memcpy(&bytes[i * sizeof(T)], &value, sizeof(T)); }
  Sketch sketch() const { return Sketch::of(bytes.data(), elements, type); }
};

TEST(Sketch, EstimatesTheDistance) {
  for (uint64_t seed = 1; seed < 20; ++seed) {
    Data x("f64", 100000, seed), y = x, noise("f64", 100000, seed + 100);
    double difference = 0, norm = 0;
    for (size_t i = 0; i < 100000; ++i) {
      double error = 1e-9 * noise.get<double>(i);
      y.set(i, x.get<double>(i) + error);
      difference += error * error;
      norm += x.get<double>(i) * x.get<double>(i);
    }
    EXPECT_NEAR(relativeError(y.sketch(), x.sketch()) / std::sqrt(difference / norm), 1, 0.25);
  }
}

TEST(Sketch, OneWrongNumberShows) {
  for (const char *type : {"f32", "complex<f32>"}) {
    Data x(type, 3 << 20), y = x;
    EXPECT_EQ(relativeError(y.sketch(), x.sketch()), 0);
    for (size_t i : {size_t(0), size_t(1) << 20, (size_t(3) << 20) - 1}) {
      Data wrong = x;
      wrong.set(i, x.get<float>(i) + 1);
      double numbers = double(wrong.bytes.size() / sizeof(float));
      EXPECT_NEAR(relativeError(wrong.sketch(), x.sketch()) * std::sqrt(numbers), 1, 0.2);
    }
  }
}

TEST(Sketch, ExchangedNumbersShow) {
  Data x("f32", 1000), y = x;
  y.set(3, x.get<float>(700));
  y.set(700, x.get<float>(3));
  EXPECT_GT(relativeError(y.sketch(), x.sketch()), 1e-3);
}

TEST(Sketch, IntegersAreExact) {
  for (const char *type : {"i32", "u32", "mod<998244353>"}) {
    Data x(type, 100000), y = x, z = x;
    EXPECT_EQ(relativeError(y.sketch(), x.sketch()), 0) << type;
    y.set(99999, x.get<uint32_t>(99999) ^ 1);
    EXPECT_TRUE(std::isinf(relativeError(y.sketch(), x.sketch()))) << type;
    z.set(5, x.get<uint32_t>(6));
    z.set(6, x.get<uint32_t>(5));
    EXPECT_TRUE(std::isinf(relativeError(z.sketch(), x.sketch()))) << type;
  }
  Data x("bool", 100), y = x;
  y.bytes[50] ^= 1;
  EXPECT_TRUE(std::isinf(relativeError(y.sketch(), x.sketch())));
}

TEST(Sketch, RecordsWithoutTheirPadding) {
  Data x("{a: bool, b: f64}", 1000), y = x;
  y.bytes[3] = 'x'; // padding
  EXPECT_EQ(relativeError(y.sketch(), x.sketch()), 0);
  y.bytes[16] ^= 1;
  EXPECT_TRUE(std::isinf(relativeError(y.sketch(), x.sketch())));
}

TEST(Sketch, NotANumberHasToBeInItsPlace) {
  Data x("f64", 1000);
  x.set(10, std::numeric_limits<double>::quiet_NaN());
  Data same = x, moved = x;
  same.set(10, std::numeric_limits<double>::infinity());
  EXPECT_EQ(relativeError(same.sketch(), x.sketch()), 0);
  moved.set(10, 1.0);
  moved.set(11, std::numeric_limits<double>::quiet_NaN());
  EXPECT_TRUE(std::isinf(relativeError(moved.sketch(), x.sketch())));
}

TEST(Sketch, Files) {
  std::string path = ::testing::TempDir() + "idc-sketch.npy";
  Sketch sketch = Data("{a: i32, b: f32}", 100).sketch();
  sketch.write(path);
  Sketch copy = Sketch::read(path);
  EXPECT_EQ(copy.hash, sketch.hash);
  EXPECT_EQ(copy.sums, sketch.sums);
  idc::npy::write(path, {idc::npy::DType::U8, {2}, std::vector<char>(16)});
  EXPECT_THROW(Sketch::read(path), Error);
}

} // namespace
