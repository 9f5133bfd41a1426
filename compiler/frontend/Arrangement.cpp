#include "compiler/frontend/Arrangement.h"

#include <algorithm>

namespace idc::frontend {

int Arrangement::place(int tag) const {
  auto at = std::find(tags.begin(), tags.end(), tag);
  return at == tags.end() ? 0 : static_cast<int>(at - tags.begin()) + 1;
}

void Arrangement::completeTags(int anchor) {
  for (const auto &tag : radices) { // ascending: batch digits first, then own digits from low to high
    if (place(tag.first))
      continue;
    if (tag.first > 0)
      insertTag(tags, tag.first, anchor);
    else
      tags.push_back(tag.first);
  }
}

static int insertionPlace(const std::vector<int> &tags, int digit, int anchor) {
  int above = 0, below = 0, aboveTag = 0, belowTag = 0;
  for (size_t i = 0; i < tags.size(); ++i) {
    int place = static_cast<int>(i) + 1;
    if (tags[i] > digit && (above == 0 || tags[i] < aboveTag)) {
      above = place;
      aboveTag = tags[i];
    }
    if (tags[i] > 0 && tags[i] < digit && tags[i] > belowTag) {
      below = place;
      belowTag = tags[i];
    }
  }
  if (above && (!below || aboveTag == digit + 1))
    return above;
  return below ? below + 1 : std::min(anchor, static_cast<int>(tags.size()) + 1);
}

void insertTag(std::vector<int> &tags, int digit, int anchor) {
  tags.insert(tags.begin() + insertionPlace(tags, digit, anchor) - 1, digit);
}

std::vector<int> shiftedUp(std::vector<int> tags, const std::vector<int> &digits) {
  for (int digit : digits)
    for (int &tag : tags)
      if (tag >= digit)
        ++tag;
  return tags;
}

std::vector<int> shiftedDown(const std::vector<int> &tags, const std::vector<int> &digits) {
  std::vector<int> result;
  for (int tag : tags) {
    if (tag > 0 && std::binary_search(digits.begin(), digits.end(), tag))
      continue;
    int lower = static_cast<int>(std::lower_bound(digits.begin(), digits.end(), tag) - digits.begin());
    result.push_back(tag > 0 ? tag - lower : tag);
  }
  return result;
}

void splitInsert(Split &split, int digit) {
  int low = 1;
  std::pair<std::string, int> *pushed = nullptr;
  for (auto part = split.rbegin(); part != split.rend(); ++part) {
    if (part->second == 0 && low == digit) {
      ++part->second;
      return;
    }
    if (low <= digit && digit < low + part->second)
      pushed = &*part;
    low += part->second;
  }
  if (!pushed) {
    if (split.empty())
      split.push_back({"", 0});
    pushed = &split.front();
  }
  ++pushed->second;
}

void splitRemove(Split &split, int digit) {
  int low = 1;
  for (auto part = split.rbegin(); part != split.rend(); ++part) {
    if (digit < low + part->second) {
      --part->second;
      return;
    }
    low += part->second;
  }
}

Split splitPermuted(const Split &split, const digits::Permutation &permutation) {
  std::vector<int> dimensionOf(permutation.size() + 1, 0), firstOf(split.size(), 0);
  int low = 1;
  for (size_t i = split.size(); i > 0; low += split[--i].second) {
    firstOf[i - 1] = low;
    for (int d = low; d < low + split[i - 1].second; ++d)
      dimensionOf[d] = static_cast<int>(i - 1);
  }
  bool inside = true;
  for (int place = 1; place <= permutation.size(); ++place)
    inside &= dimensionOf[permutation.source(place)] == dimensionOf[place];
  if (inside)
    return split;
  Split moved;
  for (int place = 1; place <= permutation.size();) {
    int dimension = dimensionOf[permutation.source(place)];
    int count = split[dimension].second;
    if (place + count - 1 > permutation.size())
      return {{"", permutation.size()}};
    for (int k = 0; k < count; ++k)
      if (permutation.source(place + k) != firstOf[dimension] + k)
        return {{"", permutation.size()}};
    moved.insert(moved.begin(), split[dimension]);
    place += count;
  }
  for (const auto &part : split)
    if (part.second == 0)
      moved.insert(moved.begin(), part);
  return moved;
}

} // namespace idc::frontend
