// The frame of a persistent kernel: the loop in which its clusters draw block numbers, and what travels between the
// blocks of a cluster in it.
//
// The first number of a cluster is its own; further ones come from a counter in global memory. The next number is drawn
// when work on one begins, so that the counter's answer is there when the loads' are, and reaches the other blocks of
// the cluster as one more word of the first exchange between them. Words are asynchronous stores; a barrier in the
// receiver's shared memory counts their bytes.
//
// Shared memory from `offset` on: a barrier of 8 bytes per exchange between blocks, then the next number.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include <cstdint>

namespace idc::conversion {

class TicketLoop {
public:
  struct Shape {
    int64_t cluster = 1;                       // blocks of a cluster
    bool fullWarps = true;                     // all lanes of a block's first warp are threads
    llvm::SmallVector<int64_t> exchangedBytes; // that a block receives in each exchange between blocks
    int64_t offset = 0;                        // of the loop's words in shared memory, a multiple of 8
  };
  /// `memory` is the block's shared memory.
  TicketLoop(mlir::OpBuilder &b, mlir::Location loc, Shape shape, mlir::Value memory)
      : b(b), loc(loc), shape(std::move(shape)), memory(memory) {}

  /// End of the loop's words in shared memory.
  int64_t sharedEnd() const { return numberOffset() + 4; }

  /// Makes the barriers ready, in this block's view; a release at cluster scope publishes them.
  void initialise();
  /// Opens the loop: what follows is done for number() until `numbers` are done (i32, at least 1, at most 2^31 - 1).
  /// `cluster` is this cluster's number in the grid, `counter` a 32-bit word of global memory, 0 before the launch.
  void begin(mlir::Value cluster, mlir::Value counter, mlir::Value numbers);
  mlir::Value number() const { return block; }
  /// The thread in its block and the block in its cluster (null without clusters), read again: what is derived from
  /// them need not be kept in registers from one use to the next, or from round to round.
  mlir::Value thread();
  mlir::Value rank();
  /// A value that is the same in all rounds, which only the round itself knows.
  mlir::Value inRound(mlir::Value value);
  /// Ends the round; the loop goes on where the result is true. Op sequences for that case may follow before close().
  mlir::Value endRound();
  void close(mlir::Value goesOn);

  /// The barrier of exchange `i` in the block whose shared memory `memory` is (its own, or a peer's).
  mlir::Value barrier(mlir::Value memory, size_t i);
  /// Sends the scalars of a word of 4, 8 or 16 bytes to `pointer`, whose block counts it at `barrier`.
  void send(mlir::Value word, mlir::Value pointer, mlir::Value barrier);
  /// Sends the next number to every block of the cluster: part of exchange 0.
  void sendNumber();
  size_t exchanges() const { return shape.exchangedBytes.size(); }
  /// Waits until all words of exchange `i` have arrived in this block.
  void wait(size_t i);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  Shape shape;
  mlir::Value memory, numbers;
  mlir::Value block, parity, drawn, next; // of the round
  mlir::scf::WhileOp loop;

  int64_t numberOffset() const { return shape.offset + 8 * static_cast<int64_t>(shape.exchangedBytes.size()); }
  bool hasExchanges() const { return !shape.exchangedBytes.empty(); }
  mlir::Value constant(int64_t value);
  mlir::Value at(mlir::Value memory, int64_t offset);
  /// Ops built by `body` are done by the threads for which `condition` holds.
  void only(mlir::Value condition, llvm::function_ref<void()> body);
  mlir::Value isFirstThread();
  void expect(size_t i);
};

} // namespace idc::conversion
