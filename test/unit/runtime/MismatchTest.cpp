//===- MismatchTest.cpp - where an output misses its reference ------------===//

#include "host/Mismatch.h"
#include "host/Arrays.h"
#include "host/NumberText.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <random>

using namespace idc::host;
using idc::npy::Array;
using idc::npy::DType;

namespace {

template <typename T> Array arrayOf(DType type, const std::vector<T> &values) {
  Array array{type, {int64_t(values.size() * sizeof(T) / size_t(idc::npy::size(type)))}, {}};
  array.data.resize(values.size() * sizeof(T));
  std::memcpy(array.data.data(), values.data(), array.data.size());
  return array;
}

/// Elements 0 … 7, of which those numbered are 100 larger.
std::string mismatchOf(const std::vector<int> &wrong, const Elements &elements, int64_t count = 8) {
  std::vector<float> actual, expected;
  for (int64_t i = 0; i < count; ++i)
    actual.push_back(float(i)), expected.push_back(float(i));
  for (int i : wrong)
    actual[size_t(i)] += 100;
  return describeMismatch(arrayOf(DType::F4, actual), arrayOf(DType::F4, expected), elements, 1e-5);
}

TEST(NumberText, IsShortAndWithoutNoise) {
  EXPECT_EQ(realText(0.70710678), "0.707107");
  EXPECT_EQ(realText(-0.0), "0");
  EXPECT_EQ(realText(-NAN), "nan");
  EXPECT_EQ(realText(1.0L / 3, 12), "0.333333333333");
  EXPECT_EQ(complexText(1, -2), "1-2i");
  EXPECT_EQ(complexText(0, 1), "1i");
  EXPECT_EQ(complexText(0, 0), "0");
  EXPECT_EQ(complexText(3, 1e-17), "3");
  EXPECT_EQ(complexText(1e-17, -3), "-3i");
  EXPECT_EQ(complexText(INFINITY, 1), "inf+1i");
  EXPECT_EQ(complexText(1, NAN), "1+nani");
}

TEST(Mismatch, SaysWhichDigitsWrongElementsShare) {
  const Elements binary{1, 8, 0, {2, 2, 2}}, mixed{1, 12, 0, {3, 4}};
  EXPECT_EQ(mismatchOf({}, binary), "");
  EXPECT_EQ(mismatchOf({4, 5, 6, 7}, binary), "  wrong: 4 of 8 elements; those with digit 3 = 1\n"
                                              "  first: element 4, i_3…i_1 = 1 0 0: got 104, expected 4\n");
  EXPECT_EQ(mismatchOf({1, 7}, binary), "  wrong: 2 of 8 elements; all have digit 1 = 1\n"
                                        "  first: element 1, i_3…i_1 = 0 0 1: got 101, expected 1\n");
  EXPECT_EQ(mismatchOf({0, 7}, binary), "  wrong: 2 of 8 elements\n"
                                        "  first: element 0, i_3…i_1 = 0 0 0: got 100, expected 0\n");
  EXPECT_EQ(mismatchOf({5}, binary), "  wrong: 1 of 8 elements\n"
                                     "  first: element 5, i_3…i_1 = 1 0 1: got 105, expected 5\n");
  EXPECT_EQ(mismatchOf({1, 2, 3, 5, 6, 7}, binary),
            "  wrong: 6 of 8 elements; the right ones are those with digit 2 = 0 and digit 1 = 0\n"
            "  first: element 1, i_3…i_1 = 0 0 1: got 101, expected 1\n");
  EXPECT_EQ(mismatchOf({1, 2, 4, 5, 7, 8, 10, 11}, mixed, 12),
            "  wrong: 8 of 12 elements; those with digit 1 not 0\n"
            "  first: element 1, i_2 i_1 = 0 1: got 101, expected 1\n");
  EXPECT_EQ(mismatchOf({0, 3, 4}, mixed, 12), "  wrong: 3 of 12 elements; all have digit 2 = 0 or 1 and digit 1 not 2\n"
                                              "  first: element 0, i_2 i_1 = 0 0: got 100, expected 0\n");
}

TEST(Mismatch, NamesProblemsOfABatch) {
  EXPECT_EQ(mismatchOf({5, 7}, {2, 4, 0, {2, 2}}),
            "  wrong: 2 of 8 elements, in 1 of 2 problems; those with digit 1 = 1\n"
            "  first: element 1 of problem 1, i_2 i_1 = 0 1: got 105, expected 5\n");
  EXPECT_EQ(mismatchOf({5}, {1, 8, 17, {}}), "  wrong: 1 of 8 elements\n"
                                             "  first: element 5 of problem 17: got 105, expected 5\n");
}

TEST(Mismatch, NamesPartsOfElements) {
  const Array conjugate = arrayOf<float>(DType::C8, {1, 2, 3, -4}), right = arrayOf<float>(DType::C8, {1, 2, 3, 4});
  EXPECT_EQ(describeMismatch(conjugate, right, {1, 2, 0, {2}}, 1e-5),
            "  wrong: 1 of 2 elements; only the imaginary part\n"
            "  first: element 1, i_1 = 1: got 3-4i, expected 3+4i\n");
  Array records = idc::npy::recordArray("[('a', '<f4'), ('b', '<i4')]");
  records.shape = {2};
  const int32_t bits[] = {0, 7, 0, 9};
  records.data.assign(reinterpret_cast<const char *>(bits), reinterpret_cast<const char *>(bits) + sizeof bits);
  Array other = records;
  other.data[12] = 8;
  EXPECT_EQ(describeMismatch(other, records, {1, 2, 0, {2}}, 1e-5),
            "  wrong: 1 of 2 elements; only the field 'b'\n"
            "  first: element 1, i_1 = 1: got {a: 0, b: 8}, expected {a: 0, b: 9}\n");
}

TEST(Mismatch, ShowsAsManyDigitsAsTellNumbersApart) {
  EXPECT_EQ(
      describeMismatch(arrayOf<double>(DType::F8, {1.00000001}), arrayOf<double>(DType::F8, {1}), {1, 1, 0, {}}, 1e-9),
      "  wrong: 1 of 1 elements\n  first: element 0: got 1.00000001, expected 1\n");
}

TEST(Mismatch, ExistsWheneverTheErrorIsTooLarge) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 200; ++trial) {
    std::vector<double> actual, expected;
    for (int i = 0; i < 16; ++i) {
      expected.push_back(trial % 3 ? normal(random) : 0);
      actual.push_back(expected.back() + normal(random) * 1e-3);
    }
    const Array a = arrayOf(DType::C16, actual), e = arrayOf(DType::C16, expected);
    const double error = relativeError(a, e, "y");
    EXPECT_NE(describeMismatch(a, e, {1, 8, 0, {2, 2, 2}}, error * 0.999), "");
  }
  const Array none = arrayOf<float>(DType::F4, {NAN, 1}), one = arrayOf<float>(DType::F4, {1, 1});
  EXPECT_NE(describeMismatch(none, one, {1, 2, 0, {2}}, 1), "");
  EXPECT_EQ(describeMismatch(none, none, {1, 2, 0, {2}}, 1), "");
}

} // namespace
