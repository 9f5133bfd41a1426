// Splits of steps into kernels against all splits, enumerated.
#include "compiler/passes/SplitSteps.h"

#include "gtest/gtest.h"

#include <functional>
#include <map>
#include <random>

using namespace idc::passes;

namespace {

struct Form {
  int first, last, number;
  bool operator==(const Form &other) const {
    return first == other.first && last == other.last && number == other.number;
  }
};
using Split = std::pair<std::vector<Form>, double>;

TEST(SplitSteps, AreTheCheapestOfAll) {
  std::mt19937 random(5);
  for (int steps = 1; steps <= 7; ++steps)
    for (int longest : {1, 3, 7}) {
      // No two splits cost the same.
      std::map<std::pair<int, int>, std::vector<std::pair<Form, double>>> forms;
      for (int last = 1; last <= steps; ++last)
        for (int first = std::max(1, last - longest + 1); first <= last; ++first)
          for (int number = 0; number < 2; ++number)
            forms[{first, last}].emplace_back(Form{first, last, number}, 1 + random() / 4294967296.0);
      // Of forms that cost too much a bound has to do.
      auto kernels = [&](int first, int last, const CostLimit &limit) {
        std::vector<std::pair<Form, double>> known = forms[{first, last}];
        for (auto &[form, cost] : known)
          if (const double bound = 0.9 * cost; limit.isReachedBy(bound))
            cost = bound;
        return known;
      };
      std::vector<Split> all;
      std::function<void(Split)> extend = [&](Split split) {
        int next = split.first.empty() ? 1 : split.first.back().last + 1;
        if (next > steps)
          all.push_back(split);
        for (int last = next; last <= steps; ++last)
          for (const auto &[form, cost] : forms[{next, last}]) {
            Split longer = split;
            longer.first.push_back(form);
            longer.second += cost;
            extend(longer);
          }
      };
      extend({});
      std::sort(all.begin(), all.end(), [](const Split &a, const Split &b) { return a.second < b.second; });
      for (size_t count : {size_t(1), size_t(5), size_t(10000)}) {
        std::vector<Split> found = cheapestSplits<Form>(steps, count, kernels);
        ASSERT_EQ(found.size(), std::min(count, all.size()));
        for (size_t i = 0; i < found.size(); ++i) {
          EXPECT_EQ(found[i].first, all[i].first) << steps << " steps, number " << i;
          EXPECT_DOUBLE_EQ(found[i].second, all[i].second);
        }
      }
    }
}

TEST(SplitSteps, NoStepsTakeOneKernelAndImpossibleOnesNone) {
  auto moves = [](int first, int last, const CostLimit &) {
    return std::vector<std::pair<Form, double>>{{{first, last, 0}, 2}, {{first, last, 1}, 1}, {{first, last, 2}, 3}};
  };
  std::vector<Split> splits = cheapestSplits<Form>(0, 2, moves);
  ASSERT_EQ(splits.size(), 2u);
  EXPECT_EQ(splits[0].first, (std::vector<Form>{{1, 0, 1}}));
  EXPECT_EQ(splits[1].first, (std::vector<Form>{{1, 0, 0}}));
  auto notTheThird = [](int first, int last, const CostLimit &) {
    return first <= 3 && last >= 3 ? std::vector<std::pair<Form, double>>()
                                   : std::vector<std::pair<Form, double>>{{{first, last, 0}, 1}};
  };
  EXPECT_TRUE(cheapestSplits<Form>(5, 3, notTheThird).empty());
}

TEST(SplitSteps, WhatFitsNoKernelIsNotTriedWithMoreSteps) {
  constexpr int steps = 3000, longest = 10;
  int tried = 0;
  auto kernels = [&](int first, int last, const CostLimit &) {
    ++tried;
    return last - first < longest ? std::vector<std::pair<Form, double>>{{{first, last, 0}, 1}}
                                  : std::vector<std::pair<Form, double>>();
  };
  std::vector<Split> splits = cheapestSplits<Form>(steps, 1, kernels);
  ASSERT_EQ(splits.size(), 1u);
  EXPECT_EQ(splits[0].first.size(), static_cast<size_t>(steps / longest));
  EXPECT_LE(tried, steps * (longest + 2)) << "all that fit, one more, and all steps from the first on";
}

} // namespace
