// Where a thread is among all that work on a kernel's tiles: its numbers, and the digits of its elements that are no
// registers.
#pragma once

#include "compiler/conversion/TileCode.h"

#include <functional>

namespace idc::conversion {

class ThreadPlace {
public:
  explicit ThreadPlace(TileCode &code) : code(code), b(code.b), loc(code.loc) {}
  virtual ~ThreadPlace() = default;

  mlir::Value thread; // i32: counts a tile's lanes and warps; null where threads do not meet
  mlir::Value rank;   // i32: of the block in its cluster or team; null without
  mlir::Value device; // i32: of several that have a part of the tiles each; null without
  mlir::Value batch;  // i64: problems; null where none is beyond

  /// Reads these numbers again; null where they stay in registers from one use to the next.
  std::function<void()> readAgain;
  void beforeUse() {
    if (readAgain)
      readAgain();
  }

  /// A digit in a tile of this mapping, i64 of the machine's width.
  virtual mlir::Value digit(int digit, const digits::Mapping &mapping) = 0;
  /// A constant i64 of the machine's width.
  virtual mlir::Value integer(int64_t value) { return code.constant64(value); }
  /// The table's entry at the digits of `factor` in a tile of this mapping, a pair of numbers of type `scalar`.
  virtual std::pair<mlir::Value, mlir::Value> entry(const std::string &table, const TwiddleFactor &factor,
                                                    const digits::Mapping &mapping, mlir::Type scalar) = 0;

  /// Emits at the start of a branch; what is found of the thread there is not known outside.
  virtual void inside(mlir::Block *branch, llvm::function_ref<void()> emit);
  /// The same where a condition holds.
  void where(mlir::Value condition, llvm::function_ref<void()> emit);
  /// True in the first threads of a tile.
  mlir::Value isBelow(int64_t threads);

protected:
  TileCode &code;
  mlir::OpBuilder &b;
  mlir::Location loc;

  /// The two numbers of a table's entry.
  std::pair<mlir::Value, mlir::Value> loadEntry(mlir::Value pointer, mlir::Type scalar);
};

/// Ends a branch that threads do not take for which there is a value of these types.
void yieldPoison(TileCode &code, llvm::ArrayRef<mlir::Type> types);

} // namespace idc::conversion
