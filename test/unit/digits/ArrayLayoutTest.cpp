// Places of elements against their definition, and what is said of all of them against looking at each.
#include "dialect/digits/ArrayLayout.h"
#include "dialect/digits/BufferView.h"

#include <gtest/gtest.h>
#include <set>

using namespace idc::digits;

namespace {

ArrayLayout layout(std::vector<ArrayLayout::Dimension> dimensions, int64_t offset, int64_t batch) {
  ArrayLayout made;
  made.dimensions = std::move(dimensions);
  made.offset = offset;
  made.batchStride = batch;
  return made;
}

TEST(ArrayLayout, Dense) {
  ArrayLayout dense = ArrayLayout::dense(12);
  EXPECT_TRUE(dense.isDense());
  for (int64_t i = 0; i < 40; ++i)
    EXPECT_EQ(dense.at(i), i);
  EXPECT_EQ(dense.reach(), 12);
  EXPECT_EQ(dense.mostProblems(), -1);
  EXPECT_EQ(dense.runLength(16), 4);
  EXPECT_EQ(dense.pointerAlignment(4), 16);
  dense.planar = true;
  EXPECT_FALSE(dense.isDense());
}

TEST(ArrayLayout, RowsWithPadding) {
  ArrayLayout rows = layout({{4, 1}, {3, 6}}, 2, 20);
  EXPECT_EQ(rows.elements(), 12);
  EXPECT_EQ(rows.at(0), 2);
  EXPECT_EQ(rows.at(5), 2 + 1 + 6);
  EXPECT_EQ(rows.at(12 + 11), 2 + 20 + 3 + 12);
  EXPECT_EQ(rows.reach(), 16);
  EXPECT_EQ(rows.runLength(8), 2);
  EXPECT_FALSE(rows.isDense());
}

TEST(ArrayLayout, PointersNeedWhatAccessesNeed) {
  EXPECT_EQ(layout({{8, 3}}, 0, 24).pointerAlignment(8), 8);
  EXPECT_EQ(layout({{8, 3}}, 0, 24).pointerAlignment(12), 4);
  EXPECT_EQ(layout({{8, 3}}, 0, 24).runLength(4), 1);
  EXPECT_EQ(layout({{1, 5}, {8, 1}}, 4, 24).pointerAlignment(4), 16);
  EXPECT_EQ(layout({{1, 5}, {8, 1}}, 4, 24).runLength(8), 4);
}

/// Every layout of two small dimensions, with the distances 1 .. 9.
TEST(ArrayLayout, OverlapByLookingAtEveryElement) {
  int nested = 0, limited = 0;
  for (int64_t a = 1; a < 10; ++a)
    for (int64_t b = 1; b < 10; ++b)
      for (int64_t batch = 1; batch < 10; ++batch) {
        ArrayLayout tried = layout({{3, a}, {2, b}}, 0, batch);
        std::set<int64_t> places;
        for (int64_t i = 0; i < 6; ++i)
          places.insert(tried.at(i));
        if (!tried.isNested())
          continue; // sufficient only
        ++nested;
        EXPECT_EQ(places.size(), 6u);
        EXPECT_EQ(*places.rbegin() + 1, tried.reach());
        int64_t most = tried.mostProblems();
        limited += most > 0;
        int64_t checked = most < 0 ? 20 : most;
        for (int64_t i = 0; i < 6 * checked; ++i)
          places.insert(tried.at(i));
        EXPECT_EQ(static_cast<int64_t>(places.size()), std::max<int64_t>(6, 6 * checked)) << a << b << batch;
      }
  EXPECT_GT(nested, 100);
  EXPECT_GT(limited, 10);
}

TEST(ArrayLayout, RunsByLookingAtEveryElement) {
  for (int64_t stride : {1, 2})
    for (int64_t row : {8, 12, 13, 16})
      for (int64_t offset : {0, 1, 2, 4})
        for (int64_t batch : {32, 33, 36, 64}) {
          ArrayLayout tried = layout({{8, stride}, {4, row * stride}}, offset, batch * 2);
          const int64_t run = tried.runLength(8);
          for (int64_t i = 0; i < 64; ++i) {
            if (i % run == 0) {
              EXPECT_EQ(tried.at(i) % run, 0);
            } else {
              EXPECT_EQ(tried.at(i), tried.at(i - 1) + 1);
            }
          }
        }
}

TEST(ArrayLayout, ViewsOfBuffers) {
  ArrayLayout rows = layout({{6, 2}, {4, 15}}, 3, 70);
  std::vector<int> radices{3, 2, 2, 2};
  BufferView view = BufferView::whole(radices, rows);
  EXPECT_EQ(view.problem, 70);
  for (int64_t i = 0; i < 24; ++i)
    EXPECT_EQ(view.address.at({int(i % 3), int(i / 3 % 2), int(i / 6 % 2), int(i / 12)}), rows.at(i));
  EXPECT_TRUE(view.resize(2, {5}));
  EXPECT_FALSE(view.resize(2, {7})); // across the end of a row
}

} // namespace
