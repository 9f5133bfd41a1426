// How the blocks of a launch share its work and what they do to each other meanwhile: the body of a kernel by each way
// to launch it. docs/protocols.md says why they are right.
#pragma once

#include "compiler/conversion/KernelParts.h"

namespace idc::conversion {

/// One block number per block or cluster.
mlir::LogicalResult emitGrid(TileCode &code, KernelFrame &frame);
/// The same of tiles of any digits, several of which may share a block.
mlir::LogicalResult emitTileBlocks(TileCode &code, KernelFrame &frame);
/// Block numbers until there are none left, drawn from a counter.
mlir::LogicalResult emitPersistent(TileCode &code, KernelFrame &frame);
/// The same of tiles of any digits.
mlir::LogicalResult emitPersistentTiles(TileCode &code, KernelFrame &frame);
/// Two passes with a ring between them.
mlir::LogicalResult emitRing(TileCode &code, KernelFrame &frame);
/// Rounds of teams of blocks that wait for each other.
mlir::LogicalResult emitTeams(TileCode &code, KernelFrame &frame);

/// The block numbers of the batch, or those of its clusters (i32).
mlir::Value blockNumbers(TileCode &code, const KernelFrame &frame);

/// Tells the launcher how tiles of any digits fill blocks.
void describeTiles(KernelFrame &frame);
/// The body of a kernel whose tiles have any digits, for one block number (i32), that of a cluster with clusters. The
/// thread and its rank are known to the parts.
mlir::LogicalResult emitTiles(TileCode &code, const KernelFrame &frame, FormParts &parts, mlir::Value number);

} // namespace idc::conversion
