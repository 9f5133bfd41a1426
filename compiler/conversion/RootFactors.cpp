#include "compiler/conversion/RootFactors.h"

#include "compiler/conversion/RootOfUnity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"

#include <set>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Polynomial;

//===--- exponents ------------------------------------------------------------------------------------------------===//

Polynomial RootFactors::registerExponent(int64_t root, const Polynomial &exponent, const Tile &tile, size_t r,
                                         int64_t &constant) {
  SmallVector<int64_t> values = registerDigits(tile.mapping, r);
  Polynomial split = exponent.substitute([&](int digit) {
    digits::Place place;
    if (tile.mapping.find(digit, place) && place.field == Field::Reg)
      return Polynomial::constant(values[place.position]);
    return Polynomial::digit(digit);
  });
  split = split.reduced(root, tile.radices);
  constant = split.constantTerm();
  return split - Polynomial::constant(constant);
}

std::pair<int64_t, int64_t> RootFactors::quarterTurns(int64_t root, int64_t exponent) {
  if (root % 4 == 0)
    return {exponent / (root / 4), exponent % (root / 4)};
  if (root % 2 == 0 && exponent >= root / 2)
    return {2, exponent - root / 2};
  return {0, exponent};
}

bool RootFactors::hasTables(int64_t root, const Polynomial &exponent, const Tile &place) const {
  if (means != Means::Either)
    return means == Means::Tables;
  Polynomial looked = exponent - Polynomial::constant(exponent.constantTerm());
  return looked.isZero() || !splitTwiddle(root, looked, maxTableBits, place.radices).empty();
}

Value RootFactors::exponentOf(int64_t root, const Polynomial &exponent, const Tile &place) {
  return powers.exponent(
      root, exponent,
      {[&](int digit) { return thread.digit(digit, place.mapping); },
       [&](int digit) { return place.radices.empty() ? int64_t(2) : int64_t(place.radices[digit - 1]); }});
}

//===--- complex numbers ------------------------------------------------------------------------------------------===//

Complex RootFactors::constant(int64_t root, int64_t exponent) {
  std::complex<double> w = rootOfUnity(root, exponent);
  return {codelet.constant(w.real()), codelet.constant(w.imag())};
}

FailureOr<Complex> RootFactors::complex(Operation *op, int64_t root, const Polynomial &exponent, const Tile &place,
                                        Type real) {
  if (hasTables(root, exponent, place))
    return tableProduct(op, root, exponent, place, real);
  return powers.complex(root, exponentOf(root, exponent, place), real);
}

FailureOr<Complex> RootFactors::tableProduct(Operation *op, int64_t root, const Polynomial &exponent, const Tile &place,
                                             Type real) {
  int64_t constantTerm = exponent.constantTerm();
  Polynomial looked = exponent - Polynomial::constant(constantTerm);
  // Factors that are a quarter turn apart are one product, made once.
  auto [quarters, rest] = quarterTurns(root, constantTerm);
  Complex fixed = constant(root, rest);
  if (looked.isZero())
    return codelet.turned(fixed, quarters);
  auto [known, fresh] = loaded.try_emplace({op, looked.str()});
  if (fresh) {
    std::vector<TwiddleFactor> factors = splitTwiddle(root, looked, maxTableBits, place.radices);
    if (factors.empty())
      return op->emitError() << "the exponent " << exponent.str() << " mixes too many digits for a table";
    std::optional<Complex> product;
    for (const TwiddleFactor &factor : factors) {
      auto [re, im] = thread.entry(tables.table(factor, real), factor, place.mapping, real);
      Complex entry{codelet.wrap(re), codelet.wrap(im)};
      product = product ? codelet.mul(*product, entry) : entry;
    }
    known->second = *product;
  }
  auto [entry, inserted] = loaded.try_emplace({op, (looked + Polynomial::constant(rest)).str()});
  if (inserted)
    entry->second = codelet.mul(fixed, known->second);
  return codelet.turned(entry->second, quarters);
}

std::optional<Leaf> RootFactors::dynamic(int64_t root, Value exponent, Type type) {
  if (means == Means::Tables)
    return std::nullopt;
  Value reduced = powers.reduced(root, exponent);
  if (auto complex = dyn_cast<ComplexType>(type)) {
    Leaf leaf;
    leaf.kind = Leaf::Kind::Complex;
    leaf.number = powers.complex(root, reduced, complex.getElementType());
    return leaf;
  }
  return Leaf::of(powers.residue(root, reduced, cast<id::ModType>(type)));
}

//===--- prime fields ---------------------------------------------------------------------------------------------===//

FailureOr<SmallVector<Residue>> RootFactors::residues(Operation *op, int64_t root, const Polynomial &exponent,
                                                      const Tile &place, id::ModType type) {
  if (!hasTables(root, exponent, place))
    return SmallVector<Residue>{dynamic(root, exponentOf(root, exponent, place), type)->residue()};
  uint64_t modulus = type.getModulus();
  PrimeField field = codelet.field(modulus);
  int64_t constant = exponent.constantTerm();
  Polynomial looked = exponent - Polynomial::constant(constant); // what a table is for
  // A product has no quotient, so that a constant beside a table's entry is a second multiplication of the data; in the
  // table it is none. But tables should fit the first-level cache, and entries the registers.
  constexpr size_t maxFoldedDigits = 9;
  const size_t maxTables = place.registers.size() <= 16 ? 8 : 2; // of one step
  size_t tablesOfStep = llvm::count_if(loadedResidues, [&](const auto &entry) { return entry.first.first == op; });
  if (!looked.isZero() && looked.digits().size() <= maxFoldedDigits &&
      (tablesOfStep < maxTables || loadedResidues.count({op, exponent.str()})))
    looked = exponent;
  auto [known, fresh] = loadedResidues.try_emplace({op, looked.str()});
  if (fresh && !looked.isConstant()) {
    std::vector<TwiddleFactor> factors = splitTwiddle(root, looked, maxTableBits, place.radices);
    if (factors.empty())
      return op->emitError() << "the exponent " << exponent.str() << " mixes too many digits for a table";
    for (const TwiddleFactor &factor : factors) {
      auto [value, quotient] = thread.entry(tables.residueTable(factor, modulus), factor, place.mapping, field.type());
      known->second.push_back({value, 1, quotient});
    }
  }
  SmallVector<Residue> factors = known->second;
  int64_t rest = constant - looked.constantTerm();
  if (rest || factors.empty())
    factors.push_back(field.constant(residueRoot(root, rest, modulus)));
  return factors;
}

//===--- ahead of their use ---------------------------------------------------------------------------------------===//

void RootFactors::prefetch(Operation *op, const Tile &place) {
  // An exponent that cannot be looked up is reported again, and acted on, where it is used.
  auto prefetch = [&](Operation *user, int64_t root, const Polynomial &whole, Type type) {
    auto complexType = dyn_cast<ComplexType>(type);
    if (complexType)
      codelet.setRealType(complexType.getElementType());
    for (size_t r = 0; r < place.registers.size(); ++r) {
      int64_t constant;
      Polynomial exponent = registerExponent(root, whole, place, r, constant);
      if (exponent.isZero())
        continue;
      if (complexType ? failed(complex(user, root, exponent, place, complexType.getElementType()))
                      : failed(residues(user, root, exponent, place, cast<id::ModType>(type))))
        return;
    }
  };
  for (Operation *next = op->getNextNode(); next && !isa<id::ExchangeOp, id::StoreOp>(next);
       next = next->getNextNode()) {
    // Steps that add or remove digits are followed by others in which the same numbers mean other digits. So are the
    // digits of a step that adds some those of its results.
    auto node = dyn_cast<id::NodeOp>(next);
    if (node && node.getNumDigits() != static_cast<int>(place.radices.size()))
      continue;
    if (llvm::any_of(next->getOperands(), [&](Value operand) {
          auto tile = dyn_cast<id::TileType>(operand.getType());
          return !tile || tile.getMapping() != place.mapping;
        }))
      continue;
    if (auto twiddle = dyn_cast<id::TwiddleOp>(next))
      prefetch(twiddle, twiddle.getRoot(), twiddle.getExponent().getPolynomial(), id::elementOf(twiddle.getType()));
    next->walk([&](id::OmegaOp omega) {
      if (!omega.getDynamic())
        prefetch(omega, omega.getRoot(), omega.getExponent().getPolynomial(), omega.getType());
    });
  }
}
/// 32-bit registers of a complex number.
static int64_t registersOfRoot(Type real) { return 2 * ((real.getIntOrFloatBitWidth() + 31) / 32); }

int64_t RootFactors::loadedRegisters() const {
  int64_t registers = 0;
  for (const auto &[key, factor] : loaded)
    registers += registersOfRoot(getElementTypeOrSelf(factor.re.value));
  return registers;
}

int64_t RootFactors::registersOf(id::KernelOp kernel) {
  int64_t registers = 0;
  std::set<Key> keys;
  auto count = [&](Operation *op, int64_t root, const Polynomial &whole, Type type, Type tileType, bool withConstant) {
    auto complex = dyn_cast<ComplexType>(type);
    if (!complex)
      return;
    const Tile tile = emptyTile(tileType);
    for (size_t r = 0; r < tile.registers.size(); ++r) {
      int64_t constant;
      Polynomial exponent = registerExponent(root, whole, tile, r, constant);
      if (exponent.isZero())
        continue;
      Polynomial product = exponent + Polynomial::constant(quarterTurns(root, constant).second);
      for (const Polynomial &looked : {exponent, withConstant ? product : exponent})
        registers += keys.insert({op, looked.str()}).second ? registersOfRoot(complex.getElementType()) : 0;
    }
  };
  for (Operation &step : kernel.getBody().front()) {
    if (auto twiddle = dyn_cast<id::TwiddleOp>(step))
      count(twiddle, twiddle.getRoot(), twiddle.getExponent().getPolynomial(), id::elementOf(twiddle.getType()),
            twiddle.getType(), false);
    step.walk([&](id::OmegaOp omega) {
      if (!omega.getDynamic())
        count(omega, omega.getRoot(), omega.getExponent().getPolynomial(), omega.getType(), step.getResult(0).getType(),
              true);
    });
  }
  return registers;
}

void RootFactors::prefetchLater(id::LoadOp load) {
  for (Operation *next = load->getNextNode(); next && !isa<id::StoreOp>(next) && loadedRegisters() < registersAhead;
       next = next->getNextNode())
    if (auto exchange = dyn_cast<id::ExchangeOp>(next))
      prefetch(exchange, emptyTile(exchange.getResult().getType()));
}
