#include "dialect/digits/ArrayLayout.h"

#include <algorithm>

namespace idc::digits {

using Dimension = ArrayLayout::Dimension;

ArrayLayout ArrayLayout::dense(int64_t elements) {
  ArrayLayout layout;
  layout.dimensions.push_back({elements, 1});
  layout.batchStride = elements;
  return layout;
}

int64_t ArrayLayout::elements() const {
  int64_t count = 1;
  for (const Dimension &dimension : dimensions)
    count *= dimension.size;
  return count;
}

int64_t ArrayLayout::at(int64_t element) const {
  int64_t place = offset;
  for (const Dimension &dimension : dimensions) {
    place += element % dimension.size * dimension.stride;
    element /= dimension.size;
  }
  return place + element * batchStride;
}

int64_t ArrayLayout::reach() const {
  int64_t last = 0;
  for (const Dimension &dimension : dimensions)
    last += (dimension.size - 1) * dimension.stride;
  return last + 1;
}

/// Dimensions of more than one element by ascending stride.
static std::vector<Dimension> ascending(std::vector<Dimension> dimensions) {
  dimensions.erase(std::remove_if(dimensions.begin(), dimensions.end(), [](Dimension d) { return d.size == 1; }),
                   dimensions.end());
  std::sort(dimensions.begin(), dimensions.end(), [](Dimension a, Dimension b) { return a.stride < b.stride; });
  return dimensions;
}

bool ArrayLayout::isNested() const {
  int64_t last = 0; // place of the last element of the dimensions below
  for (const Dimension &dimension : ascending(dimensions)) {
    if (dimension.stride <= last)
      return false;
    last += (dimension.size - 1) * dimension.stride;
  }
  return true;
}

int64_t ArrayLayout::mostProblems() const {
  int64_t last = 0, most = -1;
  for (const Dimension &dimension : ascending(dimensions)) {
    if (dimension.stride > batchStride) { // problems lie below this dimension: all of them must
      if (most < 0 && batchStride <= last)
        return 0;
      int64_t room = (dimension.stride - 1 - last) / batchStride + 1;
      most = most < 0 ? room : std::min(most, room);
    }
    last += (dimension.size - 1) * dimension.stride;
  }
  return most < 0 && batchStride <= last ? 0 : most;
}

int64_t ArrayLayout::runLength(int64_t most) const {
  // The innermost dimension has stride 1, and whatever moves beyond it moves by multiples.
  int64_t all = offset | batchStride;
  bool neighbours = false;
  for (const Dimension &dimension : dimensions) {
    if (dimension.size == 1)
      continue;
    if (!neighbours && dimension.stride != 1)
      return 1;
    all |= neighbours ? dimension.stride : dimension.size;
    neighbours = true;
  }
  if (!neighbours)
    return 1;
  return all ? std::min(most, all & -all) : most;
}

int64_t ArrayLayout::pointerAlignment(int64_t bytes) const {
  constexpr int64_t widest = 16;
  auto inner = std::find_if(dimensions.begin(), dimensions.end(), [](Dimension d) { return d.size > 1; });
  if (inner == dimensions.end() || inner->stride == 1)
    return widest;
  return std::min(widest, bytes & -bytes);
}

} // namespace idc::digits
