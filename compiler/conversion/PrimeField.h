// Arithmetic of prime fields on residues in [0, P).
#pragma once

#include "mlir/IR/Builders.h"

#include <cstdint>

namespace idc::conversion {

/// Emits operations on residues of a prime P that are integers of 32 bits (P <= 2^32) or 64 bits. Products are reduced
/// by a division by the constant P for 32 bits. For 64 bits they are folded where the powers of two 2^64 and 2^96 have
/// residues that cost no multiplication (P = 2^64 - 2^32 + 1), else reduced twice by Montgomery's method (with 2^128
/// mod P folded into the second factor).
class PrimeField {
public:
  PrimeField(mlir::OpBuilder &builder, mlir::Location loc, uint64_t modulus);

  /// The integer type of residues.
  mlir::Type type() const;
  mlir::Value constant(uint64_t residue);
  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  /// The residue of a 64-bit integer.
  mlir::Value from(mlir::Value integer, bool isSigned);
  /// A residue as a 64-bit integer.
  mlir::Value to(mlir::Value residue);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
  uint64_t modulus;
  bool wide;

  mlir::Value folded(mlir::Value low, mlir::Value high);
  mlir::Value montgomery(mlir::Value x, mlir::Value y);
  mlir::Value constant64(uint64_t value);
};

} // namespace idc::conversion
