// Integers of bodies that are sums of multiples of digits, and the bodies that depend on digits through their number.
#pragma once

#include "id/IdDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <utility>

namespace idc::id {

/// A sum of multiples of digits, and a constant.
struct LinearForm {
  llvm::SmallVector<int64_t> multiples; // of digit i + 1
  int64_t constant = 0;

  /// The forms of the numbers of a body that have one, of so many digits: of others, and where 64 bits are too few,
  /// there is none.
  static llvm::DenseMap<mlir::Value, LinearForm> ofAll(mlir::Region &body, size_t digits);
  /// The same of digits of these radices, which tell of quotients and remainders that they are made of some of them.
  static llvm::DenseMap<mlir::Value, LinearForm> ofAll(mlir::Region &body, llvm::ArrayRef<int32_t> radices);

  bool isConstant() const;

  /// The least and the greatest value; nothing where 64 bits are too few.
  std::optional<std::pair<int64_t, int64_t>> range(llvm::ArrayRef<int32_t> radices) const;

  /// The factor of k that it is, but for its constant, where the digits count k; nothing where it is none.
  std::optional<int64_t> factor(llvm::ArrayRef<int32_t> radices) const;
};

/// factor * number + offset, in a body.
mlir::Value multipleOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value number, int64_t factor,
                       int64_t offset);

/// Clones the ops of a body, but for the terminator, as what they are for one element, in a body of other digits: there
/// `number` is what its lowest digits, of these radices, count, and those above them are those above the `lowest`
/// lowest ones. `values`: of its arguments, then of all.
void cloneAt(mlir::OpBuilder &builder, mlir::Location loc, mlir::Region &body, llvm::ArrayRef<int32_t> radices,
             mlir::Value number, int64_t lowest, mlir::IRMapping &values);

/// The number that a body without arguments yields for such an element.
mlir::Value numberAt(mlir::OpBuilder &builder, mlir::Location loc, mlir::Region &body, llvm::ArrayRef<int32_t> radices,
                     mlir::Value number, int64_t lowest);

/// True when what a body does depends on digits, of these radices, through the number that they count alone.
bool dependsOnNumber(mlir::Region &body, llvm::ArrayRef<int32_t> radices);

/// Tells such a body, of digits of the radices `before`, the number by digits of the radices `after`, which count as
/// many.
void renumber(mlir::Region &body, llvm::ArrayRef<int32_t> before, llvm::ArrayRef<int32_t> after);

} // namespace idc::id
