//===- ValueTableTest.cpp - the elements of an operand as a table ---------===//

#include "host/ValueTable.h"

#include <cstring>
#include <gtest/gtest.h>
#include <sstream>

using namespace idc::host;
using idc::npy::Array;
using idc::npy::DType;

namespace {

/// 0, 1, 2, …
Array counted(int64_t count) {
  Array array{DType::I4, {count}, {}};
  for (int32_t i = 0; i < count; ++i)
    array.data.insert(array.data.end(), reinterpret_cast<const char *>(&i), reinterpret_cast<const char *>(&i + 1));
  return array;
}

std::string tableOf(const Array &values, const std::vector<int> &radices) {
  std::ostringstream out;
  printTable(out, values, radices);
  return out.str();
}

TEST(ValueTable, HasHighDigitsAsRows) {
  EXPECT_EQ(tableOf(counted(16), {2, 2, 2, 2}),
            "  i_4 \\ i_3…i_1  0 0 0  0 0 1  0 1 0  0 1 1  1 0 0  1 0 1  1 1 0  1 1 1\n"
            "              0      0      1      2      3      4      5      6      7\n"
            "              1      8      9     10     11     12     13     14     15\n");
  EXPECT_EQ(tableOf(counted(3), {3}), "  i_1  0  1  2\n"
                                      "       0  1  2\n");
  EXPECT_EQ(tableOf(counted(6), {2, 3}), "  i_2 i_1  0 0  0 1  1 0  1 1  2 0  2 1\n"
                                         "             0    1    2    3    4    5\n");
}

TEST(ValueTable, LeavesOutTheMiddleOfLongOnes) {
  const std::string text = tableOf(counted(1000), {5, 2, 2, 2, 25});
  EXPECT_NE(text.find("i_5…i_2 \\ i_1"), std::string::npos) << text;
  EXPECT_NE(text.find("…  (950 elements are not shown)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("24 1 1 1  995  996  997  998  999\n"), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 12);
}

TEST(ValueTable, HasNoMoreColumnsThanALineHolds) {
  Array values{DType::C16, {8}, std::vector<char>(8 * 16)};
  for (size_t i = 0; i < 16; ++i) {
    const double part = -1.0 / double(3 + i);
    std::memcpy(&values.data[8 * i], &part, 8);
  }
  const std::string text = tableOf(values, {2, 2, 2});
  EXPECT_EQ(text.find("  i_3 \\ i_2 i_1 "), 0u) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3) << text;
}

TEST(ValueTable, ShowsElementsWithoutDigitsAndOfManyNumbers) {
  EXPECT_EQ(tableOf(counted(1), {}), "  0\n");
  EXPECT_EQ(tableOf(counted(4), {2}), "  i_1\n    0  [0, 1]\n    1  [2, 3]\n");
  EXPECT_EQ(tableOf(counted(17), {17}).find("  i_1\n    0   0\n    1   1\n"), 0u);
}

} // namespace
