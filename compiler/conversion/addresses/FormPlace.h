// A thread's digits of any radices: sums of them, linear forms, are addresses, and its problem is one of the batch.
#pragma once

#include "compiler/conversion/ThreadPlace.h"
#include "compiler/conversion/addresses/ThreadDigits.h"

#include <map>

namespace idc::conversion {

class FormPlace : public ThreadPlace {
public:
  explicit FormPlace(TileCode &code) : ThreadPlace(code), numbers(code.b, code.loc) {}

  ThreadDigits numbers;   // count digits
  int64_t devices = 1;    // that have a part of the tiles each
  mlir::Value slot;       // i64: which of the tiles of a block this thread works on; null: there is one
  int64_t sideBySide = 0; // tiles of a block, where what they exchange lies side by side; 0: each has its own memory
  mlir::Value problem;    // i64: the one whose batch digits are 0
  mlir::Value first;      // i64: a problem that the block has in any case
  /// What the numbers of thread, rank, block and turn are below.
  struct Extents {
    int64_t threads, ranks, blocks, turns = 1;
  };
  /// Lets the thread, its rank and its device, where there are such, and these numbers (i32 or i64) count digits, and
  /// nothing else.
  void count(const Extents &extents, mlir::Value block, mlir::Value turn = {});

  mlir::Value digit(int digit, const digits::Mapping &mapping) override { return numbers.digit(digit, mapping); }
  std::pair<mlir::Value, mlir::Value> entry(const std::string &table, const TwiddleFactor &factor,
                                            const digits::Mapping &mapping, mlir::Type scalar) override;
  void inside(mlir::Block *branch, llvm::function_ref<void()> emit) override;

  /// A thread's problem, for tiles that hold batch digits in the same way.
  struct Problem {
    mlir::Value index, inBatch;
  };
  /// The problem of this thread in a tile of `n` digits, for registers whose batch digits make up `inRegisters`.
  /// Threads beyond the batch work on one of the block's, so that all meet at the barriers.
  Problem problemOf(const digits::Mapping &mapping, int n, int64_t inRegisters);

private:
  std::map<std::string, Problem> problems; // that have been found, by where their digits are
};

} // namespace idc::conversion
