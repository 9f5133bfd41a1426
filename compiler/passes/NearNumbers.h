// Gathers whose elements lie beside those that they are gathered to.
#pragma once

#include "id/IdDialect.h"

#include <algorithm>
#include <optional>

namespace idc::passes {

/// How far from element k of the result the element lies that is gathered there, over all k: no more than `below`
/// before it, and `above` behind.
struct Nearness {
  int64_t below = 0, above = 0;
  bool wraps = false; // counted around the end of the sequence, modulo its length

  /// The farther of both.
  int64_t atEnds() const { return std::max(below, above); }
};

/// The nearness of a gather that keeps the digits of its sequence, where both distances are known to be at most `most`.
/// By intervals of distances, in which conditions on k bound it; else, where they are few enough, by all numbers.
std::optional<Nearness> nearnessOf(id::GatherOp gather, int64_t most);

/// Bytes of the widest value in tiles that overlap, at most, and how many times as many elements a tile has as at its
/// ends, at least; twice as many where longer tiles are possible.
constexpr int64_t mostTileBytes = 32768, tileToEnds = 8;
/// Bytes of the widest value of a step in tiles, at least. Of narrower ones the trip to memory takes less than to count
/// in tiles.
constexpr int64_t leastTiledBytes = 2;
/// The most elements that such a tile has at either end.
int64_t mostAtEnds(mlir::Type element);

/// Elements of a sequence, by their numbers: from the first to the last.
struct Numbers {
  int64_t first, last;
};

/// What has to be added to k for the element that a gather takes for k, where that is known to be the same for all
/// these elements of its result.
std::optional<int64_t> distanceAt(id::GatherOp gather, Numbers elements);

/// Whether nothing is made of the elements of a gather's result that have these numbers: steps on each element alone
/// take it, and choose otherwise there.
bool areUnused(id::GatherOp gather, Numbers elements);

/// The operand of which a step that chooses among its operands' elements takes these, of its lowest digits, all of
/// them; nothing where that is not known, or are several.
std::optional<unsigned> operandAt(id::PointwiseOp step, size_t lowest, Numbers elements);

} // namespace idc::passes
