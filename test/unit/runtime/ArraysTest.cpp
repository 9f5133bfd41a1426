//===- ArraysTest.cpp - operands as NumPy arrays --------------------------===//

#include "host/Arrays.h"
#include "host/Error.h"
#include "host/HalfFloat.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace idc::host;
using idc::npy::Array;
using idc::npy::DType;

namespace {

template <typename T> Array arrayOf(DType type, std::vector<int64_t> shape, const std::vector<T> &values) {
  Array array{type, std::move(shape), std::vector<char>(values.size() * sizeof(T))};
  std::memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}

std::string errorOf(const Array &array, const char *type, int64_t bytes, int64_t elements) {
  try {
    fromArray(array, ElementType::parse(type, bytes), elements, "input");
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

TEST(HalfFloat, AllValuesRoundTrip) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    float half = fromHalf(uint16_t(bits)), brain = fromBFloat16(uint16_t(bits));
    if (std::isnan(half))
      EXPECT_TRUE(std::isnan(fromHalf(toHalf(half))));
    else
      EXPECT_EQ(toHalf(half), bits);
    if (std::isnan(brain))
      EXPECT_TRUE(std::isnan(fromBFloat16(toBFloat16(brain))));
    else
      EXPECT_EQ(toBFloat16(brain), bits);
  }
}

TEST(HalfFloat, RoundsToNearestEven) {
  EXPECT_EQ(toHalf(1 + 0x1p-11f), 0x3c00); // ties go to the even neighbour
  EXPECT_EQ(toHalf(1 + 0x1.8p-10f), 0x3c02);
  EXPECT_EQ(toHalf(1 + 0x1.1p-11f), 0x3c01);
  EXPECT_EQ(toHalf(65519.0f), 0x7bff);
  EXPECT_EQ(toHalf(65520.0f), 0x7c00);
  EXPECT_EQ(toHalf(-1e9f), 0xfc00);
  EXPECT_EQ(toHalf(0x1p-25f), 0);
  EXPECT_EQ(toHalf(0x1.8p-25f), 1);
  EXPECT_EQ(toHalf(0x1.ffep-15f), 0x0400); // the largest below the smallest normal number rounds up to it
  EXPECT_EQ(toBFloat16(1 + 0x1p-8f), 0x3f80);
  EXPECT_EQ(toBFloat16(1 + 0x1.8p-7f), 0x3f82);
}

TEST(Arrays, ConvertBothWays) {
  ElementType type = ElementType::parse("complex<f32>", 8);
  Array array = arrayOf<float>(DType::C8, {6}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  std::vector<char> data = fromArray(array, type, 6, "x");
  EXPECT_EQ(data, array.data);
  Array back = toArray(data, type, 2, 3);
  EXPECT_EQ(back.shape, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(back.data, array.data);
}

TEST(Arrays, BFloat16TravelsAsF4) {
  ElementType type = ElementType::parse("bf16", 2);
  Array array = arrayOf<float>(DType::F4, {4}, {1, -2.5f, 0, 1024});
  std::vector<char> data = fromArray(array, type, 4, "x");
  EXPECT_EQ(data.size(), 8u);
  EXPECT_EQ(toArray(data, type, 1, 4).data, array.data);
}

TEST(Arrays, RecordsHaveALastDimension) {
  ElementType type = ElementType::parse("{a: f32, b: f32}", 8);
  Array array = arrayOf<float>(DType::F4, {3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(toArray(fromArray(array, type, 3, "x"), type, 3, 1).shape, (std::vector<int64_t>{3, 1, 2}));
}

TEST(Arrays, Errors) {
  EXPECT_EQ(errorOf(arrayOf<double>(DType::F8, {2}, {1, 2}), "f32", 4, 2),
            "input needs element type float32, not float64: convert it, in NumPy by .astype(\"float32\")");
  EXPECT_EQ(errorOf(arrayOf<float>(DType::F4, {2}, {1, 2}), "f32", 4, 3), "input needs 3 numbers, not 2");
  EXPECT_EQ(errorOf(arrayOf<uint32_t>(DType::U4, {2}, {16, 17}), "mod<17>", 4, 2),
            "input has the value 17, which is not below the modulus 17");
  EXPECT_EQ(errorOf(arrayOf<float>(DType::F4, {2}, {1, 2}), "{a: f32, b: i32}", 8, 1),
            "input needs records [('a', '<f4'), ('b', '<i4')], not float32");
}

TEST(Arrays, RecordsOfSeveralTypes) {
  // In memory: u at 0, z at 2 and 4, y at 6 and 8, w at 12, v at 16.
  ElementType type = ElementType::parse("{u: bool, r: {z: complex<f16>, y: bf16[2]}, w: u32, v: f64}", 24);
  EXPECT_EQ(type.description,
            "[('u', '|b1'), ('r', [('z', '<f2', (2,)), ('y', '<f4', (2,))]), ('w', '<u4'), ('v', '<f8')]");
  std::vector<char> data(2 * 24, '\0');
  auto put = [&](size_t at, auto value) { std::memcpy(&data[at], &value, sizeof value); };
  for (size_t i : {0, 1}) {
    data[24 * i] = char(i);
    put(24 * i + 2, uint16_t(toHalf(1.5f))), put(24 * i + 4, uint16_t(toHalf(float(i))));
    put(24 * i + 6, uint16_t(toBFloat16(-2))), put(24 * i + 8, uint16_t(toBFloat16(float(i))));
    put(24 * i + 12, uint32_t(7 + i)), put(24 * i + 16, 0.1 + double(i));
  }
  Array array = toArray(data, type, 1, 2);
  EXPECT_EQ(array.shape, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(array.recordBytes, 1 + 4 + 8 + 4 + 8);
  EXPECT_EQ(fromArray(array, type, 2, "x"), data);
  EXPECT_EQ(relativeError(array, array, "y"), 0);
  // The worst field counts: large indices beside a wrong value do not hide it.
  put(16, 0.2);
  EXPECT_GT(relativeError(toArray(data, type, 1, 2), array, "y"), 0.09);

  Array other = idc::npy::recordArray("[('u', '|b1'), ('w', '<u4')]");
  other.shape = {2}, other.data.resize(10);
  EXPECT_EQ(errorOf(other, "{w: u32, u: bool}", 8, 2),
            "input needs records [('w', '<u4'), ('u', '|b1')], not [('u', '|b1'), ('w', '<u4')]");
  EXPECT_EQ(errorOf(other, "{u: bool, w: u32}", 8, 2), "no error"); // padded in memory only
  EXPECT_EQ(errorOf(other, "{u: bool, w: u32}", 8, 3), "input needs 3 records, not 2");
}

TEST(RelativeError, IsTheL2NormRatio) {
  Array expected = arrayOf<double>(DType::F8, {2}, {3, 4});
  EXPECT_DOUBLE_EQ(relativeError(arrayOf<float>(DType::F4, {2}, {3, 4}), expected, "y"), 0);
  EXPECT_DOUBLE_EQ(relativeError(arrayOf<float>(DType::F4, {2}, {3, 4.5}), expected, "y"), 0.1);
  EXPECT_DOUBLE_EQ(relativeError(expected, arrayOf<double>(DType::F8, {2}, {0, 0}), "y"), 5);
  EXPECT_TRUE(std::isnan(relativeError(arrayOf<float>(DType::F4, {2}, {3, NAN}), expected, "y")));
  EXPECT_TRUE(std::isnan(relativeError(expected, arrayOf<double>(DType::F8, {2}, {NAN, 4}), "y")));
}

TEST(RelativeError, Infinities) {
  Array infinite = arrayOf<float>(DType::F4, {2}, {INFINITY, 1}), finite = arrayOf<float>(DType::F4, {2}, {2, 1});
  EXPECT_EQ(relativeError(infinite, infinite, "y"), 0);
  EXPECT_TRUE(std::isnan(relativeError(finite, infinite, "y")));
  EXPECT_FALSE(relativeError(infinite, finite, "y") <= 1e9);
}

TEST(RelativeError, NotANumber) {
  Array both = arrayOf<float>(DType::F4, {3}, {NAN, 3, 4}), one = arrayOf<float>(DType::F4, {3}, {NAN, 3, 4.5});
  EXPECT_EQ(relativeError(both, both, "y"), 0);
  EXPECT_DOUBLE_EQ(relativeError(one, both, "y"), 0.1);
  EXPECT_TRUE(std::isnan(relativeError(both, arrayOf<float>(DType::F4, {3}, {INFINITY, 3, 4}), "y")));
  Array parts = arrayOf<float>(DType::C8, {1}, {NAN, 1}), swapped = arrayOf<float>(DType::C8, {1}, {1, NAN});
  EXPECT_EQ(relativeError(parts, parts, "y"), 0);
  EXPECT_TRUE(std::isnan(relativeError(parts, swapped, "y")));
}

TEST(RelativeError, SeesTheLastBitOfLargeIntegers) {
  Array a = arrayOf<uint64_t>(DType::U8, {1}, {18446744073709551615u}),
        b = arrayOf<uint64_t>(DType::U8, {1}, {18446744073709551614u});
  EXPECT_EQ(relativeError(a, a, "y"), 0);
  EXPECT_GT(relativeError(a, b, "y"), 0);
}

TEST(RelativeError, RefusesWhatCannotBeCompared) {
  Array real = arrayOf<float>(DType::F4, {2}, {1, 2}), complex = arrayOf<float>(DType::C8, {2}, {1, 2, 3, 4});
  EXPECT_THROW(relativeError(real, complex, "y"), Error);
  EXPECT_THROW(relativeError(real, arrayOf<float>(DType::F4, {1}, {1}), "y"), Error);
}

} // namespace
