// Indices as sums of what threads know: what registers of a tile have in common is computed once, what they differ by
// are constants of the accesses.
//
//   k = 3·t + 144·r for thread t and register r; the element at k / 16 + k % 16 · 40
//   k = 3·t + 144·r,  k / 16 = q + 9·r with q = 3·t / 16,  k % 16 = k - 16·(k / 16)     ->  40·3·t - 639·q + 9·r
//
// Quotients are divided term by term, so that only q is computed, once; the digits of a number add up to it again,
// whatever stands between; and comparisons that bounds decide are none.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <map>
#include <optional>
#include <vector>

namespace idc::conversion {

/// constant + Σ weight · term, terms by their numbers in an IndexSums, ascending, no weight 0.
struct IndexSum {
  int64_t constant = 0;
  std::vector<std::pair<unsigned, int64_t>> terms = {};
  bool isConstant() const { return terms.empty(); }
  bool operator==(const IndexSum &other) const { return constant == other.constant && terms == other.terms; }
};

/// Sums within one block of code: what is emitted for one is there for the next.
class IndexSums {
public:
  IndexSums(mlir::OpBuilder &builder, mlir::Location loc) : b(builder), loc(loc) {}

  /// Bounds of a number, both included.
  struct Bounds {
    int64_t least, most;
  };

  /// A number, i32 or i64; without bounds nothing is known of it.
  IndexSum term(mlir::Value value, std::optional<Bounds> bounds = {});

  static IndexSum add(const IndexSum &x, const IndexSum &y, int64_t timesY = 1);
  static IndexSum scaled(const IndexSum &x, int64_t by) { return add({}, x, by); }
  /// Rounded down, and what is left, for a divisor above 0; numbers without bounds are not negative.
  IndexSum quotient(const IndexSum &x, int64_t by);
  IndexSum remainder(const IndexSum &x, int64_t by);
  /// The digits of a number, lowest first.
  std::vector<IndexSum> digitsOf(const IndexSum &x, llvm::ArrayRef<int32_t> radices);
  std::optional<Bounds> boundsOf(const IndexSum &x) const;

  /// True or false where bounds decide it, else a value, i1.
  struct Condition {
    std::optional<bool> known = {};
    mlir::Value value = {};
    /// Of a comparison: it holds where the difference is within bounds, or outside.
    std::optional<IndexSum> difference = {};
    Bounds where = {0, 0};
    bool isOutside = false;
  };
  Condition compare(mlir::arith::CmpIPredicate predicate, const IndexSum &x, const IndexSum &y);
  /// For x that is not negative.
  Condition isBelow(const IndexSum &x, int64_t most);
  IndexSum select(const Condition &condition, const IndexSum &yes, const IndexSum &no);

  /// The i64 that a sum is.
  mlir::Value value(const IndexSum &x);
  mlir::Value value(const Condition &condition);

  /// The numbers, i64, that a body yields of digits and run-time scalars; nothing where it has ops that are not known
  /// here. `lookUp`: the value of an id.lookup at an index; `parameter`: that of an id.parameter.
  using LookUp = llvm::function_ref<mlir::Value(mlir::Operation *, mlir::Value)>;
  using Parameter = llvm::function_ref<mlir::Value(int64_t)>;
  std::optional<std::vector<IndexSum>> run(mlir::Region &body, llvm::function_ref<IndexSum(int)> digit, LookUp lookUp,
                                           Parameter parameter);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;

  /// A value, or the quotient of a sum that is not negative.
  struct Term {
    mlir::Value value; // of a quotient null until it is needed
    std::optional<Bounds> bounds;
    IndexSum dividend;
    int64_t divisor = 0;
  };
  std::vector<Term> terms;
  std::map<void *, unsigned> ofValue;
  using Key = std::pair<std::vector<std::pair<unsigned, int64_t>>, int64_t>; // terms of a sum, and a number
  std::map<std::pair<Key, int64_t>, unsigned> ofQuotient;                    // the number: the constant; the divisor
  std::map<std::vector<std::pair<unsigned, int64_t>>, Bounds> remainders;    // sums that are remainders
  std::map<Key, mlir::Value> values;                                         // of sums without constants, by width

  friend class IndexBody;

  /// The bounds of a sum where a condition holds or does not.
  std::optional<Bounds> boundsWhere(const Condition &condition, bool holds, const IndexSum &x) const;
  IndexSum quotientTerm(IndexSum dividend, int64_t divisor);
  mlir::Value constant(int64_t value, unsigned width);
  /// The value of a term, or of a sum, modulo 2^width.
  mlir::Value termValue(unsigned term, unsigned width);
  mlir::Value sumValue(const IndexSum &x, unsigned width);
  bool isNarrow(const IndexSum &x) const;
};

} // namespace idc::conversion
