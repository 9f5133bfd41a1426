// Arrays between guard pages show every access beside them that a page border can show.
#include "test/random/Guarded.h"

#include <gtest/gtest.h>

using namespace idc::random;
using Side = GuardedArray::Side;

namespace {

std::string read(const volatile char *from) {
  return callInChild([&] { return *from, 0; });
}
std::string write(volatile char *to) {
  return callInChild([&] { return *to = 1, 0; });
}

TEST(Guarded, ArraysAreUsable) {
  for (Side side : {Side::Low, Side::High})
    for (size_t bytes : {0, 1, 60, 4096, 4100, 20000}) {
      GuardedArray array(bytes, 4, side);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(array.data()) % 4, 0u);
      EXPECT_EQ(callInChild([&] {
                  for (size_t i = 0; i < bytes; ++i)
                    array.data()[i] = char(i);
                  return 0;
                }),
                "");
      for (size_t i = 0; i < bytes; ++i)
        ASSERT_EQ(array.data()[i], char(i)) << "what the child wrote";
      EXPECT_TRUE(array.isIntactBeside());
    }
}

TEST(Guarded, AccessesBesideEndTheCall) {
  GuardedArray low(60, 4, Side::Low), high(60, 4, Side::High);
  EXPECT_NE(read(low.data() - 1), "");
  EXPECT_NE(write(low.data() - 4), "");
  EXPECT_NE(read(high.data() + 60), "");
  EXPECT_NE(write(high.data() + 63), "");
  EXPECT_EQ(read(low.data()), "");
  EXPECT_EQ(read(high.data() + 59), "");
}

TEST(Guarded, WritesOnTheirPagesAreSeen) {
  GuardedArray array(60, 16, Side::High); // 4 bytes before the page
  EXPECT_EQ(write(array.data() + 60), "");
  EXPECT_FALSE(array.isIntactBeside());
  GuardedArray before(60, 16, Side::High);
  EXPECT_EQ(write(before.data() - 1), "");
  EXPECT_FALSE(before.isIntactBeside());
}

TEST(Guarded, ReadOnlyArraysAreNotWritten) {
  GuardedArray array(8, 8, Side::Low);
  array.data()[0] = 3;
  array.makeReadOnly();
  EXPECT_EQ(read(array.data()), "");
  EXPECT_NE(write(array.data()), "");
  EXPECT_EQ(array.data()[0], 3);
}

TEST(Guarded, ReturnedNumbersAreReported) {
  EXPECT_EQ(callInChild([] { return 7; }), "returned 7");
}

} // namespace
