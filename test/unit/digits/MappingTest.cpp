#include "dialect/digits/Mapping.h"

#include <gtest/gtest.h>

using namespace idc::digits;

namespace {

Mapping parse(const std::string &text, const std::vector<int> &radices = {}) {
  Mapping m;
  std::string error;
  EXPECT_TRUE(Mapping::parse(text, radices, m, error)) << error;
  return m;
}

std::string parseError(const std::string &text, const std::vector<int> &radices = {}) {
  Mapping m;
  std::string error;
  EXPECT_FALSE(Mapping::parse(text, radices, m, error)) << text;
  return error;
}

TEST(Mapping, RoundTrip) {
  for (const char *text : {"reg(13..9) lane(5..1) warp(8..6)", "reg(4, 2, 7..6) lane(5, 3) block(1)",
                           "lane((3^7), 2..1)", "reg(2, _, 1) turn(3)", "rank(1)", ""})
    EXPECT_EQ(parse(text).str(), text);
  EXPECT_EQ(parse(" warp ( 8..6 )reg(13 .. 9) lane(5 4 3..1)").str(), "reg(13..9) lane(5..1) warp(8..6)");
  EXPECT_EQ(parse("reg((3))").str(), "reg(3)");
}

TEST(Mapping, Malformed) {
  EXPECT_NE(parseError("rank(_:0)").find("expected a digit number"), std::string::npos);
  EXPECT_NE(parseError("regs(1)").find("expected reg, lane"), std::string::npos);
  EXPECT_NE(parseError("reg 1").find("expected '('"), std::string::npos);
  EXPECT_NE(parseError("reg(1").find("expected ')'"), std::string::npos);
  EXPECT_NE(parseError("reg(1) reg(2)").find("given twice"), std::string::npos);
  EXPECT_NE(parseError("reg(0)").find("digit number"), std::string::npos);
  EXPECT_NE(parseError("reg(1..3)").find("from high to low"), std::string::npos);
  EXPECT_NE(parseError("reg((1^2)", {}).find("expected ')'"), std::string::npos);
  EXPECT_NE(parseError("reg((1^1))").find("twice"), std::string::npos);
  EXPECT_NE(parseError("reg((1^2))", {2, 3}).find("radix 2"), std::string::npos);
  EXPECT_NE(parseError("reg(99999999999)").find("digit number"), std::string::npos);
}

TEST(Mapping, Check) {
  EXPECT_EQ(parse("reg(13..9) lane(5..1) warp(8..6)").check(), "");
  EXPECT_EQ(parse("reg(2) lane(5, _, 1)").check(), "");
  EXPECT_EQ(parse("reg(2) lane(3, 2)").check(), "digit 2 is held twice");
  EXPECT_EQ(parse("reg((1^2)) lane(2, 1)").check(), "the columns of reg and lane are dependent");
  EXPECT_EQ(parse("reg((1^2))").check(), "the columns reach only 1 of 2 digits of radix 2");
  EXPECT_EQ(parse("reg((1^2)) lane((2^3)) warp(3)").check(), "");
  EXPECT_EQ(parse("reg(1) lane(2) warp(3)", {3, 2, 5}).check(), "");
  Mapping m;
  m.push(Field::Reg, 1, 3);
  m.push(Field::Lane, 2, 2);
  m[Field::Lane].push_back({{1, 2}, 2});
  EXPECT_EQ(m.check(), "digit 1 has two radices");
  m[Field::Lane].back() = {{3, 2}, 2};
  EXPECT_EQ(m.check(), "the digits of an XOR column must be distinct and ascending");
}

TEST(Mapping, Queries) {
  const Mapping m = parse("reg(4, 2) lane((1^5), 1, 3)", {2, 2, 3, 2});
  EXPECT_EQ(m.extent(Field::Lane), 12);
  EXPECT_EQ(m.extent(Field::Warp), 1);
  EXPECT_FALSE(m.isDigitForm());
  EXPECT_EQ(m.digits(), (std::vector<int>{1, 2, 3, 4, 5}));
  EXPECT_TRUE(m.missing(5).empty());
  EXPECT_EQ(m.missing(7), (std::vector<int>{6, 7}));
  Place place;
  ASSERT_TRUE(m.find(4, place));
  EXPECT_EQ(place.field, Field::Reg);
  EXPECT_EQ(place.position, 1);
  EXPECT_FALSE(m.find(5, place));
  EXPECT_EQ(m.radix(3), 3);

  std::vector<int64_t> values;
  m.contribute(Field::Lane, 2 + 3 * 1 + 6 * 1, values); // t3 = 2, then digit 1, then digits 1 and 5
  EXPECT_EQ(values, (std::vector<int64_t>{0, 0, 2, 0, 1}));
}

TEST(Mapping, Threads) {
  Mapping mapping = parse("reg(1) lane(6..2) warp(8..7)");
  EXPECT_EQ(mapping.numThreads(), 128);
  mapping.splitThreads(8);
  EXPECT_EQ(mapping.str(), "reg(1) lane(4..2) warp(8..5)");
  mapping.splitThreads(32);
  EXPECT_EQ(mapping.str(), "reg(1) lane(6..2) warp(8..7)");
  // Radix 3: 27 lanes, as 81 are more than 32. A column that does not fit is not skipped.
  mapping = parse("lane(5..1)", {3, 3, 3, 3, 2});
  mapping.splitThreads(32);
  EXPECT_EQ(mapping.str(), "lane(3..1) warp(5..4)");
  EXPECT_EQ(mapping.threads().size(), 5u);
}

TEST(Mapping, Without) {
  Mapping m = parse("reg(4, 1, 7..6) lane(5, 3) block(2)");
  EXPECT_EQ(m.without({}), m);
  EXPECT_EQ(m.without({1, 3}).str(), "reg(4, 7..6) lane(5) block(2)");
  EXPECT_EQ(m.without({2, 9}).str(), "reg(4, 1, 7..6) lane(5, 3)");
  EXPECT_EQ(parse("reg((1^2), 2)").without({1}).str(), "reg((1^2), 2)") << "not a column of its own";
  EXPECT_EQ(m.without({1}).check(), "");
}

TEST(Mapping, Projected) {
  // Axes 1 to 9, digit 10 of the batch; the sequence has axes 4, 6 and 8.
  Mapping m = parse("reg(5..4) lane(10, 3..1) rank(9..8) block(7..6)");
  EXPECT_EQ(m.projected({4, 6, 8}, 9).str(), "reg(1) lane(4) rank(_, 3) block(2)");
  EXPECT_EQ(m.projected({8, 4, 6}, 9).str(), "reg(2) lane(4) rank(_, 1) block(3)") << "in another order";
  EXPECT_EQ(m.projected({}, 9).str(), "lane(1) rank(_, _)");
  EXPECT_EQ(m.projected({1, 2, 3, 4, 5, 6, 7, 8, 9}, 9), m);
  EXPECT_EQ(parse("reg(2) turn(_, 1)", {3, 5}).projected({2}, 2).extent(Field::Reg), 5);
  // As many blocks as before, also where the text is read again.
  m = parse("reg(2) rank(1, 3)", {3, 5, 2}).projected({2}, 3);
  EXPECT_EQ(m.str(), "reg(1) rank(_:3, _)");
  EXPECT_EQ(parse(m.str(), {5}), m);
  EXPECT_EQ(m.extent(Field::Rank), 6);
  EXPECT_EQ(parse("turn(2, 1)", {3, 5}).projected({1}, 2).extent(Field::Turn), 15) << "radices stay";
}

TEST(Mapping, CountAccess) {
  // 32 lanes of consecutive 8-byte elements: one run of 256 bytes.
  AccessCount count = countAccess(parse("reg(7..6) lane(5..1)"), {1, 2, 3, 4, 5, 6, 7}, 8, 0);
  EXPECT_EQ(count.minRun, 256);
  EXPECT_EQ(count.sectors, 8);
  EXPECT_EQ(count.usefulBytes, 256);
  // Two registers per vector.
  count = countAccess(parse("reg(7, 1) lane(6..2)"), {1, 2, 3, 4, 5, 6, 7}, 8, 1);
  EXPECT_EQ(count.minRun, 512);
  EXPECT_EQ(count.sectors, 16);
  // The same without vectors: 8 bytes of every 16.
  count = countAccess(parse("reg(7, 1) lane(6..2)"), {1, 2, 3, 4, 5, 6, 7}, 8, 0);
  EXPECT_EQ(count.minRun, 8);
  EXPECT_EQ(count.sectors, 16);
  EXPECT_EQ(count.usefulBytes, 256);
  // A strided pass: runs of 4 elements of 8 bytes.
  count = countAccess(parse("reg(3) lane(7..4, 2..1)"), {1, 2, 3, 4, 5, 6, 7}, 8, 0);
  EXPECT_EQ(count.minRun, 32);
  // Another address order, and digits the buffer does not have.
  count = countAccess(parse("lane(5..1)"), {5, 4, 3}, 4, 0);
  EXPECT_EQ(count.minRun, 32);
  EXPECT_EQ(count.usefulBytes, 32);
  // Radix 3: lanes 0…26.
  count = countAccess(parse("lane(3..1) warp(4)", {3, 3, 3, 3}), {1, 2, 3, 4}, 4, 0);
  EXPECT_EQ(count.minRun, 108);
  EXPECT_EQ(count.sectors, 5) << "the third warp starts inside a sector";
}

} // namespace
