#include "host/Scanner.h"

#include <gtest/gtest.h>

using idc::host::Scanner;

namespace {

TEST(Scanner, TakesTokensAndPassesBlanks) {
  Scanner text("  lane ( 5 .. -3)\t");
  EXPECT_EQ(text.column(), 3u);
  EXPECT_FALSE(text.accept("lanes"));
  EXPECT_EQ(text.name(), "lane");
  EXPECT_TRUE(text.accept("("));
  EXPECT_EQ(text.number<uint64_t>(), 5u);
  EXPECT_TRUE(text.accept(".."));
  EXPECT_FALSE(text.number<uint64_t>()) << "a natural number has no sign";
  EXPECT_EQ(text.number<int64_t>(), -3);
  EXPECT_FALSE(text.atEnd());
  EXPECT_TRUE(text.accept(")"));
  EXPECT_TRUE(text.atEnd());
  EXPECT_FALSE(text.accept(")"));
  EXPECT_EQ(text.name(), "");
}

TEST(Scanner, Numbers) {
  EXPECT_EQ(Scanner("18446744073709551615").number<uint64_t>(), UINT64_MAX);
  EXPECT_EQ(Scanner("-9223372036854775808").number<int64_t>(), INT64_MIN);
  for (const char *text : {"", "-", "x", "+1", "18446744073709551616"})
    EXPECT_FALSE(Scanner(text).number<uint64_t>()) << text;
  EXPECT_EQ(Scanner("2.5e-1").number<double>(), 0.25);
  for (const char *text : {"inf", "nan", "-inf", "1e999", ".5"})
    EXPECT_FALSE(Scanner(text).number<double>()) << text;
  Scanner sum("2.5+normal");
  EXPECT_EQ(sum.number<double>(), 2.5);
  EXPECT_TRUE(sum.accept("+"));
}

TEST(Scanner, StopsOutsideOfBracketsOnly) {
  Scanner items(" {a: f32, b: f32} , mod<7>[2], (1,2 ,3");
  EXPECT_EQ(items.until(","), "{a: f32, b: f32}");
  EXPECT_TRUE(items.accept(","));
  EXPECT_EQ(items.until(","), "mod<7>[2]");
  EXPECT_TRUE(items.accept(","));
  EXPECT_EQ(items.until(","), "(1,2 ,3") << "a bracket that is not closed reaches to the end";
  EXPECT_TRUE(items.atEnd());
  EXPECT_EQ(Scanner("a ) b").until("b"), "a )") << "one that was not opened is a sign as others";
}

} // namespace
