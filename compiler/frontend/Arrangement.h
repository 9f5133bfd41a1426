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

/// What a message adds where a dimension was looked for by its name: those that are there.
std::string dimensionsHint(const Split &split);

/// `count` new digits, of which `digit` is the lowest, join an empty dimension at their place, else the dimension whose
/// digit they push up, else the highest.
void splitInsert(Split &split, int digit, int count);
/// A removed digit leaves its dimension.
void splitRemove(Split &split, int digit);
/// The lowest digit of dimension `index`: where its first one would be when it has none.
int lowestDigit(const Split &split, size_t index);

/// Own digits after some of them have been replaced by others, which may be more or fewer.
struct Replacement {
  std::vector<int> fresh; // numbers of the new digits, the least significant first
  std::vector<int> kept;  // by old digit - 1: its number now; 0: replaced
  Split split;
};
/// The digits of whole dimensions (`named`: indices of `split`, none twice) by `counts` others. The dimensions stay
/// where they are; the digits of the first one named are the most significant of the new ones.
Replacement replaceDimensions(const Split &split, const std::vector<size_t> &named, const std::vector<int> &counts);
/// The adjacent digits `place` … `place + old - 1` by `now` others, which stay in their dimension; several dimensions
/// become one without a name.
Replacement replaceRun(const Split &split, int place, int old, int now);
/// No other digits for `digits` (ascending).
Replacement replaceByNone(const Split &split, const std::vector<int> &digits);

/// The split after a permutation: kept when every dimension keeps its digits, moved when whole dimensions move, else
/// one dimension without a name.
Split splitPermuted(const Split &split, const digits::Permutation &permutation);
/// The dimensions in the order of their indices `order`, below those that it lacks.
Split splitReordered(const Split &split, const std::vector<size_t> &order);

} // namespace idc::frontend
