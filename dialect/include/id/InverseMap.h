// Maps of numbers whose inverse is known, of any length, as nothing is tried.
#pragma once

#include "id/BitForm.h"
#include "id/IndexCode.h"

#include <variant>

namespace idc::id {

/// What undoes a map of the numbers below a length to each other.
class InverseMap {
public:
  /// That of a body of digits of the radices `from`, which yields numbers of elements that digits of the radices `to`
  /// count: an affine map mod their number, whose factor has no divisor in common with it, or one that is linear over
  /// bits. Nothing for other bodies, and for maps that give one number twice.
  static std::optional<InverseMap> of(mlir::Region &body, llvm::ArrayRef<int32_t> from, llvm::ArrayRef<int32_t> to);

  /// Fills the body of a gather or scatter, of digits of the radices `to`.
  void write(mlir::OpBuilder &builder, mlir::Location loc, mlir::Region &body) const;

private:
  std::variant<AffineNumbers, BitMap> map;
  llvm::SmallVector<int32_t> to;

  InverseMap(std::variant<AffineNumbers, BitMap> map, llvm::ArrayRef<int32_t> to) : map(std::move(map)), to(to) {}
};

} // namespace idc::id
