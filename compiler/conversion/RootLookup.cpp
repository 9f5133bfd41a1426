#include "compiler/conversion/RootLookup.h"

#include "compiler/conversion/PrimeField.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <limits>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Polynomial;

Value RootLookup::constant(int64_t value) { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }
Value RootLookup::remainder(Value x, Value modulus) { return arith::RemUIOp::create(b, loc, x, modulus); }
Value RootLookup::byteOffset(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(b, loc, pointer.getType(), b.getI8Type(), pointer, ArrayRef<LLVM::GEPArg>{bytes});
}

//===--- exponents ----------------------------------------------------------------------------------------------===//

/// Whether what is below `root` times a digit of the monomial has 64 bits.
static bool fitsProduct(int64_t root, const Polynomial::Monomial &monomial, const RootLookup::Digits &digits) {
  return llvm::all_of(monomial, [&](int digit) {
    return static_cast<uint64_t>(root) <= std::numeric_limits<uint64_t>::max() / digits.radix(digit);
  });
}

Value RootLookup::exponent(int64_t root, const Polynomial &exponent, const Digits &digits) {
  Value sum = constant(0), modulus = constant(root);
  for (const auto &[monomial, coefficient] : exponent.monomials()) {
    if (!fitsProduct(root, monomial, digits)) {
      sum = addWideTerm(sum, root, monomial, coefficient, digits);
      continue;
    }
    Value term = constant(coefficient);
    for (int digit : monomial)
      term = remainder(arith::MulIOp::create(b, loc, term, digits.value(digit)), modulus);
    sum = arith::AddIOp::create(b, loc, sum, term);
    if (root >> 56) // the sum of all terms could have more than 64 bits
      sum = remainder(sum, modulus);
  }
  return remainder(sum, modulus);
}

/// sum + coefficient · digits modulo the root, where products have more than 64 bits: bit by bit of the digits'
/// product, which is below the number of elements.
Value RootLookup::addWideTerm(Value sum, int64_t root, const Polynomial::Monomial &monomial, int64_t coefficient,
                              const Digits &digits) {
  Value product = constant(1), zero = constant(0), one = constant(1), modulus = constant(root);
  int64_t extent = 1;
  for (int digit : monomial) {
    product = arith::MulIOp::create(b, loc, product, digits.value(digit));
    extent *= digits.radix(digit);
  }
  for (unsigned bit = 0; bit < llvm::Log2_64_Ceil(static_cast<uint64_t>(extent)); ++bit) {
    Value shifted = arith::ShRUIOp::create(b, loc, product, constant(bit));
    Value set =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, arith::AndIOp::create(b, loc, shifted, one), zero);
    Value term = arith::SelectOp::create(b, loc, set, constant(coefficient), zero);
    sum = remainder(arith::AddIOp::create(b, loc, sum, term), modulus);
    coefficient = static_cast<int64_t>(2 * static_cast<uint64_t>(coefficient) % static_cast<uint64_t>(root));
  }
  return sum;
}

Value RootLookup::reduced(int64_t root, Value exponent) {
  Value modulus = constant(root);
  Value reduced = arith::RemSIOp::create(b, loc, exponent, modulus);
  Value negative = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, reduced, constant(0));
  Value shifted = arith::AddIOp::create(b, loc, reduced, modulus);
  return arith::SelectOp::create(b, loc, negative, shifted, reduced);
}

//===--- tables -------------------------------------------------------------------------------------------------===//

Value RootLookup::entryPointer(const std::string &table, Value index, int64_t bytes) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), tables.getAddressSpace());
  Value base = LLVM::AddressOfOp::create(b, loc, pointer, table);
  return byteOffset(base, arith::MulIOp::create(b, loc, index, constant(bytes)));
}

/// The product of entries of tables with the powers step · i, i < count, of the root, the highest first.
template <typename Number, typename Entry, typename Multiply>
Number RootLookup::product(int64_t root, Value exponent, Entry entry, Multiply multiply) {
  constexpr int maxHighBits = 16;
  const int64_t lowCount = int64_t(1) << maxTableBits;
  if (root <= lowCount)
    return entry(1, root, exponent);
  int shift = maxTableBits; // of the highest table
  while ((root - 1) >> shift >> maxHighBits)
    shift += maxTableBits;
  Value high = arith::ShRUIOp::create(b, loc, exponent, constant(shift));
  Number result = entry(int64_t(1) << shift, ((root - 1) >> shift) + 1, high);
  while ((shift -= maxTableBits) >= 0) {
    Value part = shift ? arith::ShRUIOp::create(b, loc, exponent, constant(shift)).getResult() : exponent;
    Value low = arith::AndIOp::create(b, loc, part, constant(lowCount - 1));
    result = multiply(result, entry(int64_t(1) << shift, lowCount, low));
  }
  return result;
}

Residue RootLookup::residue(int64_t root, Value exponent, id::ModType type) {
  PrimeField field = codelet.field(type.getModulus());
  auto entry = [&](const std::string &table, Value index) -> Residue {
    int64_t bytes = id::elementBytes(type);
    return {
        LLVM::LoadOp::create(b, loc, field.type(), entryPointer(table, index, bytes), static_cast<unsigned>(bytes))};
  };
  return product<Residue>(
      root, exponent,
      [&](int64_t step, int64_t count, Value index) {
        return entry(tables.residues(root, step, count, type.getModulus()), index);
      },
      [&](const Residue &x, const Residue &y) { return field.mul(x, y); });
}

Complex RootLookup::complex(int64_t root, Value exponent, Type real) {
  auto entry = [&](const std::string &table, Value index) -> Complex {
    Value at = entryPointer(table, index, 2 * id::elementBytes(real));
    auto alignment = static_cast<unsigned>(id::elementBytes(real));
    Value re = LLVM::LoadOp::create(b, loc, real, at, alignment);
    Value im = LLVM::LoadOp::create(b, loc, real, byteOffset(at, constant(id::elementBytes(real))), alignment);
    return {codelet.wrap(re), codelet.wrap(im)};
  };
  return product<Complex>(
      root, exponent,
      [&](int64_t step, int64_t count, Value index) { return entry(tables.powers(root, step, count, real), index); },
      [&](const Complex &x, const Complex &y) { return codelet.mul(x, y); });
}
