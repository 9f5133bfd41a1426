// Accesses by way of shared memory, for a block that holds whole problems: all that it loads or stores of a buffer is
// one stretch, which its threads copy in the order of addresses, 16 bytes each; elements are taken from the copy, and
// put there, at the distances that they have in the buffer.
//
//   memory   …|problem 5|problem 6|problem 7|…     the stretch of a block of three problems
//   copy    ___|problem 5|problem 6|problem 7|     begins where a sector does
//
// The stretch begins and ends anywhere in a sector: what is no 16 bytes of it there goes in smaller pieces.
#pragma once

#include "compiler/conversion/addresses/ViewAccesses.h"

namespace idc::conversion {

class StagedAccesses {
public:
  /// `buffers`: the memory of the kernel's buffers.
  StagedAccesses(TileCode &code, FormPlace &place, const llvm::DenseMap<mlir::Value, BufferMemory> &buffers,
                 Bodies &bodies)
      : code(code), b(code.b), loc(code.loc), place(place), buffers(buffers), bodies(bodies) {}

  mlir::Value thread;      // i32: in its block, of whatever tile
  int64_t threads = 1;     // of the block
  int64_t problems = 1;    // of the block, where they are in the batch
  int64_t sectorBytes = 1; // that memory moves together

  /// Copies the stretch of a load to shared memory.
  void fetch(id::LoadOp op);
  /// The tile, from the copy. Fails with an error at the op.
  mlir::FailureOr<Tile> load(id::LoadOp op);
  /// Puts a tile into the copy.
  mlir::LogicalResult store(id::StoreOp op, const Tile &tile);
  /// Copies the stretch of a store from shared memory.
  void send(id::StoreOp op);

private:
  TileCode &code;
  mlir::OpBuilder &b;
  mlir::Location loc;
  FormPlace &place;
  const llvm::DenseMap<mlir::Value, BufferMemory> &buffers;
  Bodies &bodies;

  /// What a block has of a buffer. Numbers are i32 and count bytes from where the first of its sectors begins.
  struct Stretch {
    mlir::Value memory, copy;    // where that is
    mlir::Value low, high;       // it begins and ends
    mlir::Value lowest, highest; // its vectors do
    int64_t piece;               // bytes that all of these are multiples of, at most a vector
    int64_t bytes;               // that it has at most, with what is before it in its sector
    bool isShifted;              // it may begin within a sector
  };
  Stretch stretchOf(mlir::Operation *op, mlir::Value buffer);
  /// The copy as the memory of a buffer.
  llvm::DenseMap<mlir::Value, BufferMemory> copyOf(mlir::Operation *op, mlir::Value buffer);
  /// The vectors that a thread copies: calls `visit` with where each is, and whether it is in the stretch.
  void forEachVector(const Stretch &stretch, llvm::function_ref<void(mlir::Value at, mlir::Value inside)> visit);
  /// Copies what the stretch has before its first vector and behind its last one.
  void copyEnds(const Stretch &stretch, mlir::Value from, mlir::Value to);
};

} // namespace idc::conversion
