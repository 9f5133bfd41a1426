// The two mappings between which an exchange goes through shared memory.
#pragma once

#include "id/IdDialect.h"

#include <utility>
#include <vector>

namespace idc::passes {

/// What an exchange writes to shared memory and reads from it, as the layout and the bank counter see them: without the
/// digits in which the elements of one word differ, threads numbered without regard to warps where the layout is a sum,
/// and what the blocks of a cluster give to all of them held by threads. What the rank of `target` holds says which
/// block's memory a word goes to.
struct ExchangeSides {
  digits::Mapping source, target;
  int64_t wordBytes = 4;
  bool betweenBlocks = false; // the blocks of a cluster give away what they hold
};

ExchangeSides sidesOf(id::ExchangeOp exchange);

/// The digits of the input of which computed places have one value only, with that value: no other elements are read.
std::vector<std::pair<int, int64_t>> fixedDigits(id::ExchangeOp exchange);

/// The highest number of different words that meet in a bank in one access of either side; 1 is free of conflicts.
int countConflicts(const ExchangeSides &sides, const digits::SharedLayout &layout);

} // namespace idc::passes
