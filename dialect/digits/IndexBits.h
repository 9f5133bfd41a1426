// Emitting the XOR-linear part of an index: from what each hardware bit contributes to ANDs, shifts and joins.
//
// Entries of the bit matrix on one diagonal (output bit minus input bit) are served by one AND and one shift. Partial
// results whose output bits are disjoint join by OR (or ADD, which folds into addresses), others by XOR.
#pragma once

#include <cstdint>
#include <vector>

namespace idc::digits {

/// One term of an index: ((x & mask) << shift), a negative shift to the right.
struct Diagonal {
  uint64_t mask;
  int shift;
  bool xorJoin; // some output bit is also written by an earlier diagonal: join by XOR, else OR or ADD will do
};

/// The diagonals of the map in which input bit b contributes the bits columnTargets[b] (by XOR), by descending number
/// of bits served, then ascending shift. An empty list is the zero map.
std::vector<Diagonal> diagonals(const std::vector<uint64_t> &columnTargets);

/// The value of the joined diagonals for input x (what the emitted code computes).
uint64_t evaluate(const std::vector<Diagonal> &terms, uint64_t x);

} // namespace idc::digits
