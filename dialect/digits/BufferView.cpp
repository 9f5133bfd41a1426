#include "dialect/digits/BufferView.h"

#include <algorithm>
#include <cstdlib>

namespace idc::digits {

int64_t LinearForm::at(const std::vector<int> &digits) const {
  int64_t value = constant;
  for (size_t i = 0; i < digits.size(); ++i)
    value += weight[i] * digits[i];
  return value;
}

/// Does the same to the address, the device and what is bounded.
template <typename Change> static void forEachForm(BufferView &view, Change change) {
  change(view.address);
  change(view.device);
  for (BufferView::Bound &bound : view.bounds)
    change(bound.index);
}

static std::vector<int64_t> rowMajor(const std::vector<int> &radices, int64_t step) {
  std::vector<int64_t> weights;
  for (int radix : radices) {
    weights.push_back(step);
    step *= radix;
  }
  return weights;
}

static int64_t product(const std::vector<int> &radices) {
  int64_t count = 1;
  for (int radix : radices)
    count *= radix;
  return count;
}

BufferView BufferView::whole(const std::vector<int> &radices) {
  return whole(radices, ArrayLayout::dense(product(radices)));
}

BufferView BufferView::whole(const std::vector<int> &radices, const ArrayLayout &layout) {
  BufferView view;
  view.problem = layout.batchStride;
  view.radices = radices;
  view.address.constant = layout.offset;
  auto dimension = layout.dimensions.begin();
  int64_t inDimension = 1; // elements of the digits so far
  for (int radix : radices) {
    while (inDimension == dimension->size) {
      ++dimension;
      inDimension = 1;
    }
    view.address.weight.push_back(inDimension * dimension->stride);
    inDimension *= radix;
  }
  view.device.weight.resize(radices.size(), 0);
  return view;
}

BufferView BufferView::divided(const std::vector<int> &radices, const std::vector<int> &deviceDigits) {
  BufferView view;
  view.radices = radices;
  view.device.weight.resize(radices.size(), 0);
  int64_t devices = 1;
  for (int digit : deviceDigits) {
    view.device.weight[digit - 1] = devices;
    devices *= radices[digit - 1];
  }
  view.problem = 1;
  for (size_t i = 0; i < radices.size(); ++i) {
    const bool isOwn = view.device.weight[i] == 0;
    view.address.weight.push_back(isOwn ? view.problem : 0);
    view.problem *= isOwn ? radices[i] : 1;
  }
  return view;
}

void BufferView::part(int digit, int64_t value) {
  forEachForm(*this, [&](LinearForm &form) {
    form.constant += value * form.weight[digit - 1];
    form.weight.erase(form.weight.begin() + (digit - 1));
  });
  radices.erase(radices.begin() + (digit - 1));
}

void BufferView::move(const Permutation &map) {
  forEachForm(*this, [&](LinearForm &form) {
    std::vector<int64_t> moved;
    for (int place = 1; place <= map.size(); ++place) {
      int64_t weight = form.weight[map.source(place) - 1];
      if (map.complemented(place)) {
        form.constant += weight * (radices[map.source(place) - 1] - 1);
        weight = -weight;
      }
      moved.push_back(weight);
    }
    form.weight = std::move(moved);
  });
  radices = map.apply(radices);
}

void BufferView::repeat(int radix) {
  forEachForm(*this, [](LinearForm &form) { form.weight.push_back(0); });
  radices.push_back(radix);
}

/// `with` in the place of the elements from `first` on, before `end`.
template <class List> static void replace(List &list, int first, int end, const List &with) {
  list.erase(list.begin() + first, list.begin() + end);
  list.insert(list.begin() + first, with.begin(), with.end());
}

void BufferView::recount(int lowest, const std::vector<int> &now) {
  forEachForm(*this, [&](LinearForm &form) { replace(form.weight, 0, lowest, rowMajor(now, form.weight[0])); });
  replace(radices, 0, lowest, now);
}

void BufferView::forget(int lowest, const std::vector<int> &now) {
  forEachForm(*this, [&](LinearForm &form) { replace(form.weight, 0, lowest, std::vector<int64_t>(now.size(), 0)); });
  replace(radices, 0, lowest, now);
}

bool BufferView::resize(int lowest, const std::vector<int> &now) {
  const std::vector<int> before(radices.begin(), radices.begin() + lowest);
  // The lowest digits that are the same in both count the same elements.
  const auto same =
      static_cast<int>(std::mismatch(before.begin(), before.end(), now.begin(), now.end()).first - before.begin());
  std::vector<int> counted(before.begin() + same, before.end()), others(now.begin() + same, now.end());
  // So do the highest ones where no element is added or left out.
  if (product(counted) == product(others))
    while (!counted.empty() && !others.empty() && counted.back() == others.back()) {
      counted.pop_back();
      others.pop_back();
      --lowest;
    }
  bool inRow = true;
  forEachForm(*this, [&](LinearForm &form) {
    if (!counted.empty()) {
      const std::vector<int64_t> row = rowMajor(counted, form.weight[same]);
      inRow = inRow && std::equal(row.begin(), row.end(), form.weight.begin() + same);
    }
  });
  if (!inRow)
    return false;
  // One element has no distance to a next one, and none is needed: the others lie outside.
  forEachForm(*this, [&](LinearForm &form) {
    replace(form.weight, same, lowest, rowMajor(others, counted.empty() ? 0 : form.weight[same]));
  });
  replace(radices, same, lowest, others);
  if (product(now) > product(before)) {
    Bound bound{{}, product(before)};
    bound.index.weight = rowMajor(now, 1);
    bound.index.weight.resize(radices.size(), 0);
    bounds.push_back(std::move(bound));
  }
  return true;
}

std::vector<int> BufferView::addressOrder() const {
  std::vector<int> order;
  for (size_t digit = 1; digit <= radices.size(); ++digit)
    order.push_back(static_cast<int>(digit));
  auto distance = [&](int digit) { return std::abs(address.weight[digit - 1]); };
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return distance(b) == 0 ? distance(a) != 0 : distance(a) != 0 && distance(a) < distance(b);
  });
  return order;
}

} // namespace idc::digits
