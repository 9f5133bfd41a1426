// The frame of a cooperative kernel: the rounds in which its blocks work, and what they post for each other.
//
// All blocks are resident. The first `ranks` of them are a team that works on a problem together, the next ones the
// next team; a team takes every teams-th problem, and of each one turn after the other: these are its items, 0, 1, ….
// A round is in two halves: in the first, a block does its part of item i up to what others need of it, which it posts;
// in the second, it finishes item i - 1, for which it waits for the others' posts. So a whole round lies between a post
// and its use.
//
//   round 0: first(0)            round 1: first(1), second(0)     …     round n: second(n - 1)
//
// For a grid that is smaller than a team there is a second form of the kernel, `several`: P blocks are the team, and
// block p plays the ranks p, p + P, p + 2P, …. With r of them it visits an item 2r - 1 times, one visit a round: each
// rank once, then all but the last once more. The first r - 1 visits only post; so a block has posted all its parts of
// an item before it waits. The others are finished in the round that follows:
//
//   r = 3:    first(a)    first(b)    first(c)    first(a), second(c)    first(b), second(a)    …, second(b)
//
// A post is words of 8 bytes: 4 of a value, and above them a tag, the number of the item plus 1. Each is stored and
// loaded whole, so that no order between accesses is needed. Memory is 0 before a launch. A team has four slots, which
// its items use in turn: a block that posts item i has, in the round before, seen all posts of item i - 2, each of
// which came after its block had read the posts of item i - 4.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

#include <cstdint>

namespace idc::conversion {

class CooperativeRounds {
public:
  static constexpr int64_t cellBytes = 8; // of memory that a posted word takes, with its tag

  struct Shape {
    int64_t ranks = 1;    // of a team
    int64_t turns = 1;    // of a problem, a power of two
    int64_t cells = 0;    // words of 4 bytes that a team posts of an item
    bool several = false; // a block may play several ranks
    /// Memory for posts is for so many teams; no device holds more blocks.
    int64_t teams() const;
    int64_t postBytes() const;
  };
  /// `memory`: for posts; `numbers` (i32): problems, at least 1. What follows, up to end(), is done by blocks that have
  /// items.
  CooperativeRounds(mlir::OpBuilder &b, mlir::Location loc, Shape shape, mlir::Value memory, mlir::Value numbers);

  /// An item of the block's team, as one of the block's ranks.
  struct Item {
    mlir::Value index;        // i32
    mlir::Value number, turn; // i32: the problem, and its turn
    mlir::Value visit;        // i32: which of the block to the item; null: the only one
  };
  Item first() { return item({constant(0), firstVisit()}); }

  /// Opens the loop. `carried` are values of the first item; within the loop they are those of the round's.
  void begin(mlir::ValueRange carried);
  llvm::ArrayRef<mlir::Value> carried() const { return values; }
  /// The first half: `body` does the round's item and returns the carried values of the next one, which it makes by
  /// next().
  void firstHalf(llvm::function_ref<llvm::SmallVector<mlir::Value>(Item)> body);
  /// Values that `make` has of the next item, where there is one.
  llvm::SmallVector<mlir::Value> next(mlir::TypeRange types,
                                      llvm::function_ref<llvm::SmallVector<mlir::Value>(Item)> make);
  void secondHalf(llvm::function_ref<void(Item)> body);
  /// Ends the round with a barrier of the block, and the loop.
  void end();

  /// The thread in its block and the block in its team, read again in each half: what is derived from them need not be
  /// kept in registers.
  mlir::Value thread();
  mlir::Value rank(const Item &item);
  /// Which of two places the item has in the memory of the block, i32.
  mlir::Value place(const Item &item);
  /// True (i1) where the next round finishes what this visit begins; null: always.
  mlir::Value isFinished(const Item &item) { return isFinished(item.visit); }

  /// The posts of the item: cell c is 8·c bytes from there.
  mlir::Value posts(const Item &item);
  void post(const Item &item, mlir::Value cell, mlir::Value word);
  /// Waits until all these cells are posted and returns their words (i32).
  llvm::SmallVector<mlir::Value> await(const Item &item, llvm::ArrayRef<mlir::Value> cells);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  Shape shape;
  /// What a round begins.
  struct Visit {
    mlir::Value index, number; // i32: the item, and which visit to it; null: the only one
  };
  mlir::Value memory, team, teams, count;
  mlir::Value players, more; // `several`: blocks of a team, and ranks that the block plays beside its first one
  mlir::scf::IfOp all;       // of a block that has items
  mlir::scf::WhileOp loop;
  Visit round;
  llvm::SmallVector<mlir::Value> values, following;

  mlir::Value constant(int64_t value);
  mlir::Value constant64(int64_t value);
  mlir::Value wide(mlir::Value value);
  mlir::Value firstRank();
  mlir::Value firstVisit();
  mlir::Value lastVisit();
  mlir::Value tag(const Item &item);
  Item item(Visit visit);
  Visit after(Visit visit);
  Visit before(Visit visit);
  mlir::Value isFinished(mlir::Value visit);
};

/// The round that code is for; outside of rounds there is none.
struct TeamRound {
  CooperativeRounds *rounds = nullptr;
  CooperativeRounds::Item item;
};

} // namespace idc::conversion
