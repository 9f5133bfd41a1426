// Bodies that compute an element's number from its digits, evaluated when compiling, and the numbers that are known.
#pragma once

#include "id/IdDialect.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>
#include <vector>

namespace idc::id {

/// A body, made ready to be evaluated often: of integers of 64 bits and of bools, which are 0 and 1, and of what only
/// chooses among its arguments.
class IndexCode {
public:
  /// The code of a body without arguments that yields a number; nothing for one with run-time scalars, or other ops.
  static std::optional<IndexCode> of(mlir::Region &body);
  /// The code of a node's body whose results are arguments, chosen by conditions on digits: its numbers are those of
  /// the arguments.
  static std::optional<IndexCode> ofChoice(mlir::Region &body);

  /// The number yielded for digits, least significant first; nothing where the body divides by zero.
  std::optional<int64_t> at(llvm::ArrayRef<int64_t> digits) {
    return evaluate(digits) ? std::optional(result(0)) : std::nullopt;
  }
  /// Finds all that the body yields; false where it divides by zero.
  bool evaluate(llvm::ArrayRef<int64_t> digits);
  size_t numResults() const { return results.size(); }
  int64_t result(size_t number) const { return values[static_cast<size_t>(results[number])]; }
  /// The ops that an evaluation takes.
  size_t size() const { return steps.size(); }
  /// The digits that it names.
  int highestDigit() const;

private:
  enum class Kind { Constant, Digit, Add, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr, Compare, Select, Lookup };
  struct Step {
    Kind kind;
    int64_t constant; // Constant; Digit: its number; Compare: the predicate; Lookup: where its table begins
    int operands[3];
  };
  std::vector<Step> steps;
  std::vector<int64_t> values;
  std::vector<int> results; // steps
  std::vector<int64_t> tables;
  llvm::DenseMap<mlir::Value, int> numbers;
  llvm::DenseSet<mlir::Value> chosen; // arguments, and what is chosen among them

  bool add(mlir::Operation &op);
  bool addAll(mlir::Region &body);
  void append(mlir::Value value, Step step);
};

/// The number of elements that digits count.
int64_t elementsOf(llvm::ArrayRef<int32_t> radices);

/// True when two bodies are known to yield the same number for all values of the digits of these radices, the lowest of
/// `count` digits.
bool yieldAlike(mlir::Region &a, mlir::Region &b, llvm::ArrayRef<int32_t> radices, int count);

/// How many numbers are tried.
constexpr int64_t maxTried = 1 << 20;

/// The number that digits count, the first the least significant.
mlir::Value numberOf(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<mlir::Value> digits,
                     llvm::ArrayRef<int32_t> radices);

/// The number that the lowest digits, of these radices, count, in a body.
mlir::Value numberOfLowest(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<int32_t> radices);

/// Puts the digits of a number in place of these, the first the least significant.
void countTo(int64_t number, llvm::MutableArrayRef<int64_t> digits, llvm::ArrayRef<int32_t> radices);

/// Puts the next digits in place of these, counting up; false behind the last.
bool countUp(llvm::MutableArrayRef<int64_t> digits, llvm::ArrayRef<int32_t> radices);

/// k -> (factor * k + offset) mod length.
struct AffineNumbers {
  int64_t factor, offset, length;
  int64_t at(int64_t k) const { return (factor * k + offset) % length; }
};

/// The affine map that `numberAt` is, on 0 … count - 1, to numbers below `length`, if it is one.
std::optional<AffineNumbers> affineNumbers(int64_t count, int64_t length,
                                           llvm::function_ref<std::optional<int64_t>(int64_t)> numberAt);

/// The same of a body that is written as a sum of multiples of digits, which count k, or its remainder by `length`: of
/// any length, as nothing is tried.
std::optional<AffineNumbers> affineBody(mlir::Region &body, llvm::ArrayRef<int32_t> radices, int64_t length);

/// Fills the body of a gather or scatter: the affine map of the number that the digits of these radices count.
void writeAffine(mlir::OpBuilder &builder, mlir::Location loc, mlir::Region &body, llvm::ArrayRef<int32_t> radices,
                 const AffineNumbers &map);

} // namespace idc::id
