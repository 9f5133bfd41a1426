// Roots of unity looked up by a run-time exponent, whatever its form: one table of powers, or the product of entries of
// several for a root of high order.
#pragma once

#include "compiler/conversion/Codelet.h"
#include "compiler/conversion/TwiddleTables.h"

#include "dialect/digits/Polynomial.h"

#include "id/IdDialect.h"

namespace idc::conversion {

class RootLookup {
public:
  /// The value of a digit at run time, i64, and how many it has.
  struct Digits {
    llvm::function_ref<mlir::Value(int)> value;
    llvm::function_ref<int64_t(int)> radix;
  };

  RootLookup(mlir::OpBuilder &b, mlir::Location loc, Codelet &codelet, TwiddleTables &tables)
      : b(b), loc(loc), codelet(codelet), tables(tables) {}

  /// A polynomial in digits modulo `root`, i64.
  mlir::Value exponent(int64_t root, const digits::Polynomial &exponent, const Digits &digits);
  /// Any i64, signed, modulo `root`.
  mlir::Value reduced(int64_t root, mlir::Value exponent);

  /// omega(root, exponent) for 0 <= exponent < root: a pair of reals, or an element of a prime field.
  Complex complex(int64_t root, mlir::Value exponent, mlir::Type real);
  Residue residue(int64_t root, mlir::Value exponent, id::ModType type);

  /// The entry of a table at `index` (i64), `bytes` each.
  mlir::Value entryPointer(const std::string &table, mlir::Value index, int64_t bytes);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  Codelet &codelet;
  TwiddleTables &tables;

  mlir::Value constant(int64_t value);
  mlir::Value remainder(mlir::Value x, mlir::Value modulus);
  mlir::Value byteOffset(mlir::Value pointer, mlir::Value bytes);
  mlir::Value addWideTerm(mlir::Value sum, int64_t root, const digits::Polynomial::Monomial &monomial,
                          int64_t coefficient, const Digits &digits);
  template <typename Number, typename Entry, typename Multiply>
  Number product(int64_t root, mlir::Value exponent, Entry entry, Multiply multiply);
};

} // namespace idc::conversion
