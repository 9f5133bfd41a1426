// Numbers of bodies whose bits are sums, modulo 2, of the bits of digits: maps that are linear over GF(2).
#pragma once

#include "id/IdDialect.h"

#include "dialect/digits/Gf2.h"

#include "mlir/IR/Builders.h"

#include <optional>

namespace idc::id {

/// k -> the XOR of the columns that the bits of k select, and of an offset.
struct BitMap {
  digits::gf2::Matrix columns; // of the bits of k
  digits::gf2::Vector offset = 0;

  /// The map that a body without arguments is, which counts k by digits of radix 2; nothing for others. Nothing is
  /// tried: k may be of any length. Digits above these must not be named.
  static std::optional<BitMap> of(mlir::Region &body, llvm::ArrayRef<int32_t> radices);

  uint64_t at(uint64_t k) const { return digits::gf2::apply(columns, k) ^ offset; }
  /// The map that is undone by this one, which has as many bits in as out; nothing where several k have one number.
  std::optional<BitMap> inverse() const;
  bool operator==(const BitMap &o) const { return columns == o.columns && offset == o.offset; }
};

/// Fills the body of a gather or scatter of so many bits, all of `map`.
void writeBits(mlir::OpBuilder &builder, mlir::Location loc, mlir::Region &body, const BitMap &map);

} // namespace idc::id
