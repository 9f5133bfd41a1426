// Tables of roots of unity: initialised globals of the module, one per distinct function of packed digits.
#pragma once

#include "dialect/digits/Polynomial.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <map>
#include <string>
#include <vector>

namespace idc::conversion {

/// omega(root, exponent) split into a compile-time root and factors that tables give.
struct TwiddleFactor {
  int64_t root;                // of the table: the exponent's coefficients are reduced to lowest terms with it
  std::vector<int> digits;     // index bit i of the table is digits[i]
  digits::Polynomial exponent; // in the packed digits: digit i+1 is index bit i
  std::vector<int> radices;    // of the digits; empty: all are 2
  /// Entries of the table, and the index that digit i counts.
  int64_t count() const { return weight(digits.size()); }
  int64_t weight(size_t i) const;
};

/// Splits omega(root, exponent), exponent in run-time digits of radix 2, into table factors of at most `maxBits` index
/// bits each: an affine exponent by its digits in the order of their coefficients, another one by connected groups of
/// digits, a group that is larger than a table by monomials; a constant goes into the first. Empty when one monomial
/// has more than `maxBits` digits. Digits of other radices: `radices` are those of all digits, and a table has at most
/// 2^maxBits entries.
std::vector<TwiddleFactor> splitTwiddle(int64_t root, const digits::Polynomial &exponent, int maxBits,
                                        const std::vector<int> &radices = {});

/// omega(root, exponent) in the prime field of `modulus`.
uint64_t residueRoot(int64_t root, int64_t exponent, uint64_t modulus);

/// Index bits of the largest single table; longer exponents are products of two or more entries.
constexpr int maxTableBits = 10;

class TwiddleTables {
public:
  /// Tables become globals at the start of `module` in the given address space.
  TwiddleTables(mlir::Operation *module, unsigned addressSpace) : module(module), addressSpace(addressSpace) {}

  /// The name of the global with (re, im) pairs of omega(root, step·i), i < count.
  std::string powers(int64_t root, int64_t step, int64_t count, mlir::Type real);
  /// The same in the prime field of `modulus`: residues of 32 or 64 bits.
  std::string residues(int64_t root, int64_t step, int64_t count, uint64_t modulus);
  /// The name of the global with these bytes.
  std::string data(mlir::DenseElementsAttr bytes);
  unsigned getAddressSpace() const { return addressSpace; }

  /// The name of the global with (re, im) pairs of `real` for every index of the factor.
  std::string table(const TwiddleFactor &factor, mlir::Type real);
  /// The same in the prime field of `modulus`: pairs of a residue and its quotient (PrimeField.h), 32 or 64 bits each.
  std::string residueTable(const TwiddleFactor &factor, uint64_t modulus);

private:
  std::string add(const std::string &key, mlir::Type real, const std::vector<double> &values);
  std::string addResidues(const std::string &key, llvm::ArrayRef<uint64_t> values, uint64_t modulus);
  std::string addTable(const std::string &key, mlir::Type scalar, mlir::DenseElementsAttr data);
  void addGlobal(const std::string &name, mlir::Type scalar, mlir::DenseElementsAttr data);
  mlir::Operation *module;
  unsigned addressSpace;
  std::map<std::string, std::string> names;
  std::map<const void *, std::string> dataNames; // by the attribute, of which there is one for equal bytes
};

} // namespace idc::conversion
