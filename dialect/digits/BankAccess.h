// What one access of a warp does in shared memory.
#pragma once

#include "dialect/digits/SharedLayout.h"

namespace idc::digits {

/// The words that the lanes of one phase of an access touch: lane `firstLane` the first of `words`, and so on.
struct BankAccess {
  int64_t warp = 0, reg = 0, firstLane = 0;
  std::vector<int64_t> words;
  int conflicts = 1; // highest number of different words that meet in one bank; 1: none meet
};

/// The first of the accesses with the most conflicts, by brute force over warps, registers and phases: a warp's
/// accesses of 8 bytes are served in 2 phases, of 16 bytes in 4.
BankAccess worstBankAccess(const Mapping &mapping, const SharedLayout &layout, int64_t wordBytes, int lanes = 32);

/// Banks that words of so many bytes fall into: word w into bank w modulo their number.
int64_t bankCount(int64_t wordBytes);
/// Lanes whose words are served at the same time.
int64_t lanesPerPhase(int64_t wordBytes);

} // namespace idc::digits
