// The frame of a kernel of two passes with a ring between them: which tile of which pass a block does, and how blocks
// wait for each other.
//
// A block draws a ticket when it starts. Of every T1 + T2 tickets T1 are tiles of the first pass and T2 of the second,
// evenly mixed, where a problem has so many: the k-th of the first is its tile k, the k-th of the second tile k -
// delay. Tiles of problem b lie in slot b mod slots. Per slot two counters say how many tiles were written to it and
// read from it since the launch began. Before it writes, a block of the first pass waits until the slot's last problem
// has been read; before it reads, one of the second waits until its own has been written. Both wait for smaller tickets
// only, whose blocks have started.
//
// Memory: the ticket counter, then per slot "written" and "read", 32 bits each, all 0 before the launch. Shared memory:
// the ticket, at `offset`.
#pragma once

#include "compiler/conversion/TileBlocks.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include <cstdint>
#include <optional>

namespace idc::conversion {

class RingPasses {
public:
  struct Shape {
    PassTiles tiles = {1, 1}; // of one problem
    int64_t slots = 1, delay = 0;
    int64_t offset = 0; // a multiple of 4

    int64_t tilesTogether() const { return tiles[0] + tiles[1]; }
    /// Tickets behind those of as many tiles as a batch has, of which the second pass needs some.
    int64_t ticketsBehind() const { return (delay * tilesTogether() + tiles[1] - 1) / tiles[1]; }
  };
  static int64_t counterBytes(int64_t slots) { return 4 * (1 + 2 * slots); }

  /// `memory` is the block's shared memory, `counters` and `batch` (i64) the launch's.
  RingPasses(mlir::OpBuilder &b, mlir::Location loc, Shape shape, mlir::Value memory, mlir::Value counters,
             mlir::Value batch);

  int64_t sharedEnd() const { return shape.offset + 4; }

  void drawTicket();
  /// Builds what the blocks of pass 0 or 1 do.
  void pass(int number, llvm::function_ref<void()> body);
  /// In a pass: its tiles of one problem.
  int64_t tiles() const { return shape.tiles[static_cast<size_t>(current)]; }
  /// In a pass (i32): the tile among those of the batch, and the same in the ring.
  mlir::Value tile() const { return number; }
  mlir::Value tileInRing() const { return inRing; }
  /// The tile's problem and the slot of the ring that has it (i64), and its number there (i32).
  mlir::Value problem() const { return wideProblem; }
  mlir::Value slotOfProblem() const { return wideSlot; }
  mlir::Value tileOfProblem() const { return inProblem; }
  /// The first thread waits until the slot is free (pass 0) or full (pass 1); a block barrier must follow.
  void wait();
  /// Says that the block has written (pass 0) or read (pass 1) its tile; a block barrier must precede.
  void signal();

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  Shape shape;
  mlir::Value memory, counters, ticket;
  std::array<mlir::Value, 2> numbers; // i32: tiles of the batch
  int current = 0;                    // pass
  mlir::Value number, inRing, inProblem, slot, generation, wideProblem, wideSlot;

  mlir::Value constant(int64_t value);
  /// Whether the ticket is of a pass, and which of its tickets it is.
  std::pair<mlir::Value, mlir::Value> ofPass(int which);
  /// "written" or "read" of the pass's slot.
  mlir::Value counter(int which);
  void byFirstThread(llvm::function_ref<void()> body);
};

/// The shape of a kernel with a ring, without the offset.
std::optional<RingPasses::Shape> ringOf(id::KernelOp kernel);

} // namespace idc::conversion
