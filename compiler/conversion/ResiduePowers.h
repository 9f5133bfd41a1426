// Powers in prime fields: products of a body that are made by a loop.
//
// A quotient is a product with the power P - 2, which takes two products for each bit of P. Written one after the other
// they would be most of the code of a kernel that divides, and its compilation would take minutes. So a value that is
// reached from another one by more than a few products, none of which is needed for anything else, is made by a loop
// that takes the exponent bit by bit.
#pragma once

#include "compiler/conversion/PrimeField.h"

#include "mlir/IR/Region.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace idc::conversion {

struct ResiduePowers {
  struct Power {
    mlir::Value base;
    uint64_t exponent;
  };
  llvm::DenseMap<mlir::Operation *, Power> loops; // products that loops make
  llvm::DenseSet<mlir::Operation *> inside;       // products that nothing but these loops would need
};

/// Finds the products of a body that loops shall make.
ResiduePowers findPowers(mlir::Region &body);

/// x^exponent, exponent > 0, for a canonical x. On a GPU a loop in place; on a CPU, whose back end takes long for
/// products of vectors, a call of a function that the module gets once.
mlir::Value emitPower(mlir::OpBuilder &builder, mlir::Location loc, uint64_t modulus,
                      const std::function<mlir::Type(mlir::Type)> &wide, mlir::Value x, uint64_t exponent);

/// x^exponent modulo P for x < P.
uint64_t powerOf(uint64_t x, uint64_t exponent, uint64_t modulus);

} // namespace idc::conversion
