// Arithmetic of prime fields.
#pragma once

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>
#include <functional>
#include <utility>

namespace idc::conversion {

/// An element of a prime field as code holds it: an integer congruent to it, below bound·P.
struct Residue {
  mlir::Value value;
  int64_t bound = 1;
  mlir::Value quotient = {}; // of a factor known beforehand, or null: floor(value·2^w / P), value < P
};

/// Emits operations on elements of the field of a prime P: integers of w = 32 bits (P <= 2^32) or 64 bits.
///
/// Sums and differences are reduced only when they would no longer fit the integer: as many multiples of P fit as
/// 2^w / P. A product with a factor whose quotient is known takes a high product and two low ones and is below 2·P
/// (Shoup's method, for P < 2^(w-1)). Other products are reduced by a division by the constant P for 32 bits. For 64
/// bits they are folded where the powers of two 2^64 and 2^96 have residues that cost no multiplication (P = 2^64 -
/// 2^32 + 1), else reduced twice by Montgomery's method (with 2^(2w) mod P as the second factor). So they are in
/// vectors of 32 bits, too: these have no division. Nor have they products of 128 bits, which are put together from
/// those of halves: one lane after the other, code would be a hundred times as long.
class PrimeField {
public:
  /// `wide` gives the type in which an integer type is computed: itself on a GPU, a vector of it on a CPU.
  PrimeField(
      mlir::OpBuilder &builder, mlir::Location loc, uint64_t modulus,
      std::function<mlir::Type(mlir::Type)> wide = [](mlir::Type type) { return type; });

  /// The integer type of residues.
  mlir::Type type() const;
  /// With its quotient.
  Residue constant(uint64_t residue);
  Residue add(const Residue &x, const Residue &y);
  Residue sub(const Residue &x, const Residue &y);
  Residue mul(const Residue &x, const Residue &y);
  /// The same element, its integer below P.
  mlir::Value canonical(const Residue &x);
  /// The residue of a 64-bit integer.
  Residue from(mlir::Value integer, bool isSigned);
  /// A residue as a 64-bit integer.
  mlir::Value to(const Residue &residue);

  /// floor(residue·2^w / P) for a residue below P.
  static uint64_t quotientOf(uint64_t residue, uint64_t modulus);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  std::function<mlir::Type(mlir::Type)> wide;
  uint64_t modulus;
  bool isLong;   // 64 bits
  int64_t limit; // multiples of P that an integer holds, at most

  Residue halved(const Residue &x);
  /// Reduces the larger operand until the sum of both fits.
  void fit(Residue &x, Residue &y);
  mlir::Value below(mlir::Value x, mlir::Value y);
  mlir::Value folded(mlir::Value low, mlir::Value high);
  bool isOfVectors() const { return mlir::isa<mlir::VectorType>(wide(builder.getI64Type())); }
  /// The w lowest and the w highest bits of a product.
  std::pair<mlir::Value, mlir::Value> product(mlir::Value x, mlir::Value y);
  mlir::Value montgomery(mlir::Value x, mlir::Value y);
  mlir::Value integer(uint64_t value, unsigned bits);
  mlir::Value integer(uint64_t value) { return integer(value, isLong ? 64 : 32); }
};

} // namespace idc::conversion
