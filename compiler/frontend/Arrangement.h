// The digits of a sequence by what they are: tags (own digits of the running algorithm are positive, batch digits
// negative) and the split into dimensions. Private to the elaborator.
#pragma once

#include "dialect/digits/Permutation.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace idc::frontend {

/// Dimensions, most significant first: name and number of digits.
using Split = std::vector<std::pair<std::string, int>>;

/// The digits of one step: tags by place, least significant first, with their radices.
struct Arrangement {
  std::vector<int> tags;
  std::map<int, int> radices;

  /// The place of a tag, from 1; 0 when it is absent.
  int place(int tag) const;
  /// Places the tags that have a radix and no place yet: batch digits on top, own digits by insertTag().
  void completeTags(int anchor);
};

/// Puts the own digit `digit` where it pushes up the next higher own digit, else above the next lower one, else at the
/// place `anchor`.
void insertTag(std::vector<int> &tags, int digit, int anchor);
/// Own digits renumbered to make room for `digits` (ascending).
std::vector<int> shiftedUp(std::vector<int> tags, const std::vector<int> &digits);
/// Own digits renumbered after `digits` (ascending) have been removed.
std::vector<int> shiftedDown(const std::vector<int> &tags, const std::vector<int> &digits);

/// A new digit joins an empty dimension at its place, else the dimension whose digit it pushes up, else the highest.
void splitInsert(Split &split, int digit);
/// A removed digit leaves its dimension.
void splitRemove(Split &split, int digit);
/// The split after a permutation: kept when every dimension keeps its digits, moved when whole dimensions move, else
/// one dimension without a name.
Split splitPermuted(const Split &split, const digits::Permutation &permutation);

} // namespace idc::frontend
