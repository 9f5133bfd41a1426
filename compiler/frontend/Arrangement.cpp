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
  tags.insert(tags.begin() + (insertionPlace(tags, digit, anchor) - 1), digit);
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

std::string dimensionsHint(const Split &split) {
  std::string names;
  for (const auto &[name, count] : split)
    if (!name.empty())
      names += (names.empty() ? "; here are " : ", ") + name;
  return names.empty() ? "; here none has a name: index() numbers the elements, digits(hi, lo) some digits" : names;
}

void splitInsert(Split &split, int digit, int count) {
  if (split.empty())
    split.push_back({"", 0});
  int low = 1;
  std::pair<std::string, int> *joined = &split.front();
  for (auto part = split.rbegin(); part != split.rend(); ++part) {
    bool empty = part->second == 0 && low == digit;
    if (empty || (low <= digit && digit < low + part->second))
      joined = &*part;
    if (empty)
      break;
    low += part->second;
  }
  joined->second += count;
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

int lowestDigit(const Split &split, size_t index) {
  int low = 1;
  for (size_t below = index + 1; below < split.size(); ++below)
    low += split[below].second;
  return low;
}

static int countDigits(const Split &split) { return split.empty() ? 0 : lowestDigit(split, 0) + split[0].second - 1; }

Replacement replaceDimensions(const Split &split, const std::vector<size_t> &named, const std::vector<int> &counts) {
  Replacement result;
  result.split = split;
  for (size_t i = 0; i < named.size(); ++i)
    result.split[named[i]].second = counts[i];
  for (size_t i = named.size(); i > 0; --i)
    for (int k = 0; k < counts[i - 1]; ++k)
      result.fresh.push_back(lowestDigit(result.split, named[i - 1]) + k);
  result.kept.assign(static_cast<size_t>(countDigits(split)), 0);
  for (size_t i = 0; i < split.size(); ++i)
    if (std::find(named.begin(), named.end(), i) == named.end())
      for (int k = 0; k < split[i].second; ++k)
        result.kept[static_cast<size_t>(lowestDigit(split, i) + k - 1)] = lowestDigit(result.split, i) + k;
  return result;
}

Replacement replaceRun(const Split &split, int place, int old, int now) {
  Replacement result;
  for (int k = 0; k < now; ++k)
    result.fresh.push_back(place + k);
  for (int digit = 1, count = countDigits(split); digit <= count; ++digit)
    result.kept.push_back(digit < place ? digit : digit < place + old ? 0 : digit - old + now);
  result.split = split;
  if (old == 0) {
    splitInsert(result.split, place, now);
    return result;
  }
  // The highest and the lowest dimension that lose digits, with those between them.
  size_t first = split.size(), last = 0;
  for (size_t i = 0; i < split.size(); ++i) {
    int low = lowestDigit(split, i), high = low + split[i].second - 1;
    if (std::max(low, place) > std::min(high, place + old - 1))
      continue;
    first = std::min(first, i);
    last = i;
  }
  for (size_t i = first + 1; i <= last; ++i)
    result.split[first].second += split[i].second;
  result.split[first].second += now - old;
  if (first < last)
    result.split[first].first.clear();
  result.split.erase(result.split.begin() + static_cast<std::ptrdiff_t>(first + 1),
                     result.split.begin() + static_cast<std::ptrdiff_t>(last + 1));
  return result;
}

Replacement replaceByNone(const Split &split, const std::vector<int> &digits) {
  Replacement result;
  for (int digit = 1, next = 1, count = countDigits(split); digit <= count; ++digit)
    result.kept.push_back(std::binary_search(digits.begin(), digits.end(), digit) ? 0 : next++);
  result.split = split;
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit)
    splitRemove(result.split, *digit);
  return result;
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

Split splitReordered(const Split &split, const std::vector<size_t> &order) {
  Split result;
  for (size_t i = 0; i < split.size(); ++i)
    if (std::find(order.begin(), order.end(), i) == order.end())
      result.push_back(split[i]);
  for (size_t i : order)
    result.push_back(split[i]);
  return result;
}

} // namespace idc::frontend
