// The digits that a thread has by its numbers (thread, rank, block, turn): parts of numbers that count the columns of a
// mapping's fields. Equal parts are computed once.
#pragma once

#include "compiler/conversion/addresses/IndexSums.h"

#include "dialect/digits/Mapping.h"

#include <map>

namespace idc::conversion {

class ThreadDigits {
public:
  ThreadDigits(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  /// `number` (i32 or i64), below `extent`, counts the columns of a field, low first, in their radices; of `lane`, all
  /// columns of the thread number.
  void count(digits::Field field, mlir::Value number, int64_t extent);
  /// Forgets all numbers.
  void clear() { numbers.clear(), parts.clear(); }

  /// A digit in a tile of this mapping, i64; 0 for one that no number counts.
  mlir::Value digit(int digit, const digits::Mapping &mapping);
  /// The same as what it is of its number; those of registers have the values `inRegister` (registerDigits).
  IndexSum digit(int digit, const digits::Mapping &mapping, llvm::ArrayRef<int64_t> inRegister, IndexSums &sums) const;
  /// The sum over the digits that are counted of their value times `weightOf` them, of i64 or, where it fits, i32;
  /// neighbours whose weights continue each other are one number.
  mlir::Value sum(const digits::Mapping &mapping, llvm::function_ref<int64_t(int)> weightOf, bool narrow = false);
  /// Where the blocks of a cluster or a team have the same tile: true in one of them; where turns have, in the last,
  /// when all of it is known. Null where they have not.
  mlir::Value isFirstHolder(const digits::Mapping &mapping);
  /// Calls `visit` for every column that is counted.
  void forEachColumn(const digits::Mapping &mapping, llvm::function_ref<void(const digits::Column &)> visit) const;

  /// What is computed while one of these is alive is not known afterwards: it was in a branch.
  class Branch {
  public:
    explicit Branch(ThreadDigits &digits) : digits(digits), before(digits.parts) {}
    ~Branch() { digits.parts = std::move(before); }

  private:
    ThreadDigits &digits;
    std::map<std::tuple<digits::Field, int64_t, int64_t>, mlir::Value> before;
  };

private:
  struct Number {
    digits::Field field;
    mlir::Value value;
    int64_t extent; // it is below
    std::vector<digits::Column> columnsOf(const digits::Mapping &mapping) const {
      return field == digits::Field::Lane ? mapping.threads() : mapping[field];
    }
  };

  mlir::OpBuilder &b;
  mlir::Location loc;
  llvm::SmallVector<Number> numbers;
  std::map<std::tuple<digits::Field, int64_t, int64_t>, mlir::Value> parts; // by field, weight and range

  mlir::Value constant(int64_t value);
  /// (number / weight) mod range.
  mlir::Value part(const Number &number, int64_t weight, int64_t range);
};

} // namespace idc::conversion
