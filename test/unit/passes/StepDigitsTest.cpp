// Digits of runs of steps against their union, step by step.
#include "compiler/passes/StepDigits.h"

#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace idc::passes;

namespace {

TEST(StepDigits, RunsAreTheUnionsOfTheirSteps) {
  std::mt19937 random(3);
  StepDigits steps;
  for (int count = 1; count <= 40; ++count) {
    std::vector<int> digits;
    for (unsigned i = random() % 4; i-- > 0;)
      digits.push_back(static_cast<int>(1 + random() % 62));
    steps.append(digits);
    ASSERT_EQ(steps.size(), static_cast<size_t>(count));
    EXPECT_EQ(steps[count - 1], digits);
    for (int first = 1; first <= count; ++first) {
      DigitSet all = 0;
      int widest = 0;
      for (int last = first; last <= count; ++last) {
        all |= digitSetOf(steps[last - 1]);
        widest = std::max(widest, static_cast<int>(steps[last - 1].size()));
        EXPECT_EQ(steps.ofRun(first, last), all) << first << " " << last;
        EXPECT_EQ(steps.widestOfRun(first, last), widest) << first << " " << last;
      }
      for (int size : {0, 1, 3, 8, 62}) {
        int end = first;
        while (end < count && digitsIn(steps.ofRun(first, end + 1)).size() <= static_cast<size_t>(size))
          ++end;
        EXPECT_EQ(steps.endOfRun(first, count, size), end) << first << " " << count << " " << size;
      }
    }
    EXPECT_EQ(steps.ofRun(count + 1, count), DigitSet(0));
  }
}

TEST(StepDigits, SetsAreListedInOrder) {
  EXPECT_EQ(digitsIn(digitSetOf({7, 1, 62, 7})), (std::vector<int>{1, 7, 62}));
  EXPECT_EQ(digitsIn(0), std::vector<int>{});
}

} // namespace
