// How the tiles of a kernel that is not a chain's fill blocks of the machine.
#pragma once

#include "compiler/passes/Target.h"

#include "id/IdDialect.h"

#include <array>

namespace idc::conversion {

/// The threads that hold the widest tile.
int64_t mostThreads(id::KernelOp kernel);
/// True where threads exchange.
bool exchanges(id::KernelOp kernel);
/// True where they do, or move what is not their own.
bool meets(id::KernelOp kernel);
/// True where two passes have a ring between them.
bool hasRing(id::KernelOp kernel);
/// The tiles of a problem that the first and the second pass of a kernel with a ring have.
using PassTiles = std::array<int64_t, 2>;
PassTiles passTilesOf(id::KernelOp kernel);

/// Where a tile needs few threads and has no batch digits among them, a block holds several; threads of a tile follow
/// each other without gaps.
struct TileBlocks {
  bool oneTile = true; // a block holds one at a time
  bool inNumbers =
      false;         // the tiles of a block are those of several block numbers of a problem, not of several problems
  int64_t tiles = 1; // of a block, as far as shared memory has room (after id-place-barriers)
  int64_t tileThreads = 1;
  int64_t batchProblems = 1; // of a tile
  int64_t blocks = 1;        // block numbers of a problem
  /// Blocks, or clusters, that have the tiles of as many problems as one holds.
  int64_t blocksPerGroup() const { return inNumbers ? (blocks + tiles - 1) / tiles : blocks; }
};
TileBlocks tileBlocksOf(id::KernelOp kernel, const passes::Target &target);

} // namespace idc::conversion
