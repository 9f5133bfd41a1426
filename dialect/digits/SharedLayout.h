// Shared-memory layouts: where the digits of a tile land in shared memory so that neither the stores of one mapping nor
// the loads of another meet in a bank.
//
// Radix 2: an XOR swizzle, solved by the segment construction of the linear-layout literature. With S and D the spaces
// reached by the lanes of one access phase of the source and of the destination, a layout is free of conflicts when its
// row ("segment") vectors span a common complement of both: C ∪ {a_i ⊕ b_i}, C a complement of S+D, a_i and b_i bases
// of S and D modulo S∩D. Bank bits hold S as it is, so a source lane's bits are its bank and the swizzle reads
//
//   bank bit i = t(a_i) ⊕ t(b_i),   row bit i = t(b_i),   every other digit one row bit of its own.
//
// Other radices: a mixed-radix number with padding after at most two digits, found by search. An additive layout has
// the same conflicts for every register and warp, so the search looks at one access of each side. What goes to the
// memory of other blocks travels by sectors of 32 bytes: there the layout keeps a store's words together first.
#pragma once

#include "dialect/digits/Mapping.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace idc::digits {

/// Where each tile digit lands in shared memory, in words of one access. With `padded` false, word = XOR over digits of
/// value * column (columns are bit masks; radix 2 only); with `padded` true, word = sum of value * column.
struct SharedLayout {
  bool padded = false;
  std::vector<std::pair<int, uint32_t>> columns; // (digit, column), ascending by digit; others do not move the word
  int64_t words = 0;                             // size of the scratch
  uint32_t column(int digit) const;
  /// The word of the element with these digit values (digitValues[d-1]; 0 beyond the end).
  int64_t word(const std::vector<int64_t> &digitValues) const;
  /// What a number adds to the word: the sum over terms of (number / divisor) * factor.
  struct Term {
    int64_t divisor, factor;
  };
  /// The terms of a number that consists of these digits and radices, lowest first; digits whose words follow those of
  /// the digit below need none. Only with `padded`.
  std::vector<Term> terms(const std::vector<int> &digits, const std::vector<int64_t> &radices) const;
};

/// The conflict-free swizzle between two mappings of the same radix-2 digits, for accesses of `wordBytes` bytes. Digits
/// on the destination's rank get no column: the layout addresses one block's shared memory. At most 2^30 words.
SharedLayout swizzledLayout(const Mapping &source, const Mapping &destination, int64_t wordBytes);

/// The padded layout with the fewest conflicts, then the smallest scratch, of those searched, whose padding is at most
/// half of the words; any radices, single digits. `betweenBlocks`: stores go to the blocks that the destination's rank
/// names; their sectors are counted instead of their conflicts, four for one conflict of a load. `order`: of all
/// digits, those with the lowest words first; without one, the orders of both sides and the ascending one are tried.
SharedLayout paddedLayout(const Mapping &source, const Mapping &destination, int64_t wordBytes, int lanes = 32,
                          bool betweenBlocks = false, const std::vector<int> &order = {});

/// Highest number of different words that meet in one bank in any access phase of a warp (1: conflict-free), by brute
/// force over warps and registers. A warp's accesses of 8 bytes are served in 2 phases, of 16 bytes in 4.
int countConflicts(const Mapping &mapping, const SharedLayout &layout, int64_t wordBytes, int lanes = 32);

} // namespace idc::digits
