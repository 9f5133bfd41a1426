#include "dialect/digits/BufferView.h"

#include <gtest/gtest.h>

#include <numeric>
#include <optional>
#include <random>

using namespace idc::digits;

namespace {

/// A sequence by its elements: where each lies in the buffer, or nowhere.
struct Elements {
  std::vector<int> radices;
  std::vector<std::optional<int64_t>> at; // by index

  int64_t count() const { return static_cast<int64_t>(at.size()); }
};

int64_t product(const std::vector<int> &radices) {
  return std::accumulate(radices.begin(), radices.end(), int64_t(1), std::multiplies<int64_t>());
}

std::vector<int> digitsOf(int64_t index, const std::vector<int> &radices) {
  std::vector<int> digits;
  for (int radix : radices) {
    digits.push_back(static_cast<int>(index % radix));
    index /= radix;
  }
  return digits;
}

Elements whole(const std::vector<int> &radices) {
  Elements all{radices, {}};
  for (int64_t i = 0; i < product(radices); ++i)
    all.at.emplace_back(i);
  return all;
}

void expectEqual(const BufferView &view, const Elements &elements) {
  ASSERT_EQ(view.radices, elements.radices);
  for (int64_t i = 0; i < elements.count(); ++i) {
    std::vector<int> digits = digitsOf(i, view.radices);
    bool inside = true;
    for (const BufferView::Bound &bound : view.bounds)
      inside &= bound.index.at(digits) < bound.limit;
    ASSERT_EQ(inside, elements.at[i].has_value()) << i;
    if (inside) {
      ASSERT_EQ(view.address.at(digits), *elements.at[i]) << i;
    }
  }
}

Elements part(const Elements &from, int digit, int value) {
  Elements to{from.radices, {}};
  to.radices.erase(to.radices.begin() + (digit - 1));
  for (int64_t i = 0; i < from.count(); ++i)
    if (digitsOf(i, from.radices)[digit - 1] == value)
      to.at.push_back(from.at[i]);
  return to;
}

Elements moved(const Elements &from, const Permutation &map) {
  Elements to{map.apply(from.radices), std::vector<std::optional<int64_t>>(from.at.size())};
  for (int64_t i = 0; i < from.count(); ++i)
    to.at[map.destinationIndex(from.radices, i)] = from.at[i];
  return to;
}

Elements resized(const Elements &from, int lowest, const std::vector<int> &now) {
  Elements to{now, {}};
  to.radices.insert(to.radices.end(), from.radices.begin() + lowest, from.radices.end());
  int64_t before = product({from.radices.begin(), from.radices.begin() + lowest});
  for (int64_t above = 0; above < from.count() / before; ++above)
    for (int64_t k = 0; k < product(now); ++k)
      to.at.push_back(k < before ? from.at[above * before + k] : std::nullopt);
  return to;
}

TEST(BufferView, LongerRows) {
  BufferView view = BufferView::whole({5, 3});
  ASSERT_TRUE(view.resize(1, {2, 2, 2}));
  EXPECT_EQ(view.address.weight, (std::vector<int64_t>{1, 2, 4, 5}));
  ASSERT_EQ(view.bounds.size(), 1u);
  EXPECT_EQ(view.bounds[0].index.weight, (std::vector<int64_t>{1, 2, 4, 0}));
  EXPECT_EQ(view.bounds[0].limit, 5);
  EXPECT_EQ(view.problem, 15);
}

TEST(BufferView, ShorterRowsHaveNoBound) {
  BufferView view = BufferView::whole({2, 2, 2, 3});
  ASSERT_TRUE(view.resize(3, {5}));
  EXPECT_EQ(view.address.weight, (std::vector<int64_t>{1, 8}));
  EXPECT_TRUE(view.bounds.empty());
}

TEST(BufferView, DigitsThatCountNoEqualDistances) {
  BufferView view = BufferView::whole({2, 3, 5});
  view.move(Permutation::reverse(3, 2, 1)); // lowest digits now 3 steps of 2, then 2 steps of 1
  EXPECT_FALSE(view.resize(2, {7}));
  EXPECT_EQ(view.radices, (std::vector<int>{3, 2, 5}));
  EXPECT_TRUE(view.resize(1, {4}));
  BufferView backwards = BufferView::whole({3, 5});
  backwards.move(Permutation::complement(2, 1));
  EXPECT_TRUE(backwards.resize(1, {4})); // one digit always does
}

TEST(BufferView, OtherDigitsOfRowsWithGaps) {
  const std::vector<int> before{2, 2, 3, 4}, now{2, 3, 2, 4};
  BufferView view = BufferView::whole(before, {{{12, 1}, {4, 14}}, 0, 56, false});
  ASSERT_TRUE(view.resize(4, now)); // the rows stay what they are
  EXPECT_EQ(view.address.weight, (std::vector<int64_t>{1, 2, 6, 14}));
  EXPECT_EQ(view.radices, now);
  EXPECT_TRUE(view.bounds.empty());
  EXPECT_FALSE(view.resize(4, {2, 2, 3, 3})); // fewer elements: they are counted over the gaps
}

TEST(BufferView, AddressOrder) {
  BufferView view = BufferView::whole({2, 3, 5});
  view.move(Permutation::fromSources({3, 1, 2}).then(Permutation::complement(3, 2)));
  view.repeat(7);
  EXPECT_EQ(view.addressOrder(), (std::vector<int>{2, 3, 1, 4}));
}

TEST(BufferView, AgreesWithEnumeration) {
  std::mt19937 random(1);
  auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
  int resizes = 0, refused = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    std::vector<int> radices;
    for (int i = below(4); i >= 0; --i)
      radices.push_back(2 + below(3));
    BufferView view = BufferView::whole(radices);
    Elements elements = whole(radices);
    for (int step = 0; step < 4; ++step) {
      int n = static_cast<int>(view.radices.size());
      int what = below(4);
      if (what == 0 && n > 0) {
        int digit = 1 + below(n), value = below(view.radices[digit - 1]);
        view.part(digit, value);
        elements = part(elements, digit, value);
      } else if (what == 1) {
        std::vector<int> sources(n);
        std::iota(sources.begin(), sources.end(), 1);
        std::shuffle(sources.begin(), sources.end(), random);
        Permutation map = Permutation::fromSources(sources);
        if (n > 0 && below(3) == 0)
          map = map.then(Permutation::complement(n, 1 + below(n)));
        view.move(map);
        elements = moved(elements, map);
      } else if (what == 2 && elements.count() < 100) {
        int radix = 2 + below(2);
        view.repeat(radix);
        Elements once = elements;
        elements.radices.push_back(radix);
        for (int i = 1; i < radix; ++i)
          elements.at.insert(elements.at.end(), once.at.begin(), once.at.end());
      } else if (what == 3 && elements.count() < 500) {
        int lowest = below(n + 1);
        std::vector<int> now;
        for (int i = below(4); i > 0; --i)
          now.push_back(2 + below(2));
        ++resizes;
        if (view.resize(lowest, now))
          elements = resized(elements, lowest, now);
        else
          ++refused;
      }
      expectEqual(view, elements);
      if (HasFatalFailure())
        return;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_GT(resizes, 2 * refused);
}

// A device's elements are counted by the digits that do not number devices.
TEST(BufferView, IsDividedByDigits) {
  const std::vector<int> radices{2, 3, 2, 2}; // least significant first
  BufferView view = BufferView::divided(radices, {1, 4});
  EXPECT_EQ(view.problem, 6);
  EXPECT_EQ(view.address.weight, (std::vector<int64_t>{0, 1, 3, 0}));
  EXPECT_EQ(view.device.weight, (std::vector<int64_t>{1, 0, 0, 2}));
  view.move(Permutation::reverse(4, 4, 1));
  EXPECT_EQ(view.device.weight, (std::vector<int64_t>{2, 0, 0, 1}));
  view.part(1, 1);
  EXPECT_EQ(view.device.constant, 2);
  EXPECT_EQ(view.address.weight, (std::vector<int64_t>{3, 1, 0}));
  view.forget(2, {6});
  EXPECT_EQ(view.address.weight, (std::vector<int64_t>{0, 0}));
  EXPECT_EQ(view.device.weight, (std::vector<int64_t>{0, 1}));
}

} // namespace
