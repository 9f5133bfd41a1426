// Integers of bodies modulo a length: sums of multiples of digits and of run-time scalars.
#pragma once

#include "id/IdDialect.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace idc::id {

/// A number modulo `length` that is a sum of multiples. Remainders by multiples of the length that stand within the sum
/// change nothing and are left out:
///
///   ((k - s + c) mod n + s + d) mod n    is    (k + c + d) mod n
struct ResidueSum {
  /// A run-time scalar of at most 32 bits, how it becomes a number, and its multiple.
  struct Scalar {
    uint64_t number;
    mlir::IntegerType type;
    bool isSigned;
    int64_t multiple;
  };

  int64_t length;
  llvm::SmallVector<int64_t> multiples; // of digit i + 1
  llvm::SmallVector<Scalar> scalars;
  int64_t constant = 0; // from 0 to length - 1
  int remainders = 0;   // that were left out, that of the whole sum included

  /// The sum that the number which a body yields is, of so many digits; nothing where it is none.
  static std::optional<ResidueSum> of(mlir::Region &body, size_t digits, int64_t length);

  /// Fills a body: the number from 0 to length - 1. `radices`: of all digits, the lowest `lowest` of which count
  /// elements. False, and nothing is written, where 64 bits are too few.
  bool write(mlir::OpBuilder &builder, mlir::Location loc, mlir::Region &body, llvm::ArrayRef<int32_t> radices,
             size_t lowest) const;
};

} // namespace idc::id
