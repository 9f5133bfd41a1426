#include "compiler/conversion/Bodies.h"

#include "compiler/conversion/ConstantLookup.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Polynomial;

Leaf Bodies::table(Operation *op, Value index) const { return lookUp(code, cast<id::LookupOp>(op), index); }

FailureOr<SmallVector<Leaf>> Bodies::run(Region &body, ArrayRef<Leaf> arguments, const Tile &tile, size_t r) {
  SmallVector<int64_t> values = registerDigits(tile.mapping, r);
  auto digit = [&](int number) -> Value {
    digits::Place place;
    if (tile.mapping.find(number, place) && place.field == Field::Reg)
      return thread.integer(values[place.position]);
    return thread.digit(number, tile.mapping);
  };
  auto root = [&](Operation *op, Value dynamic) -> std::optional<Leaf> {
    auto omega = cast<id::OmegaOp>(op);
    int64_t order = omega.getRoot(), constant;
    if (dynamic)
      return roots.dynamic(order, dynamic, omega.getType());
    Polynomial exponent = RootFactors::registerExponent(order, omega.getExponent().getPolynomial(), tile, r, constant);
    exponent = exponent + Polynomial::constant(constant);
    if (auto mod = dyn_cast<id::ModType>(omega.getType())) {
      FailureOr<SmallVector<Residue>> product = roots.residues(op, order, exponent, tile, mod);
      if (failed(product))
        return std::nullopt;
      PrimeField field = codelet.field(mod.getModulus());
      Residue w = product->front();
      for (const Residue &factor : llvm::drop_begin(*product))
        w = field.mul(w, factor);
      return Leaf::of(w);
    }
    Type real = cast<ComplexType>(omega.getType()).getElementType();
    Leaf leaf;
    leaf.kind = Leaf::Kind::Complex;
    codelet.setRealType(real);
    if (exponent.isConstant()) {
      leaf.number = roots.constant(order, exponent.constantTerm());
      return leaf;
    }
    FailureOr<Complex> w = roots.complex(op, order, exponent, tile, real);
    if (failed(w))
      return std::nullopt;
    leaf.number = *w;
    return leaf;
  };
  auto parameter = [&](int64_t number) { return parameters.lookup(number); };
  auto entry = [&](Operation *op, Value index) { return table(op, index); };
  return codelet.run(body, arguments, digit, parameter, root, entry);
}

FailureOr<std::vector<IndexSum>> Bodies::numbers(Region &body, llvm::function_ref<IndexSum(int)> digit, IndexSums &sums,
                                                 ArrayRef<int64_t> lengths) {
  auto entryOf = [&](Operation *op, Value index) { return table(op, index).other; };
  auto parameterOf = [&](int64_t number) { return parameters.lookup(number).other; };
  std::optional<std::vector<IndexSum>> known = sums.run(body, digit, entryOf, parameterOf);
  if (!known) {
    auto value = [&](int number) { return sums.value(digit(number)); };
    auto parameter = [&](int64_t number) { return parameters.lookup(number); };
    auto root = [](Operation *, Value) { return std::nullopt; };
    auto entry = [&](Operation *op, Value index) { return table(op, index); };
    FailureOr<SmallVector<Leaf>> results = codelet.run(body, {}, value, parameter, root, entry);
    if (failed(results))
      return failure();
    known.emplace();
    for (const Leaf &leaf : *results)
      known->push_back(sums.term(leaf.other));
  }
  for (auto [number, length] : llvm::zip(*known, lengths))
    if (!sums.boundsOf(number))
      number = sums.term(sums.value(number), IndexSums::Bounds{0, length - 1});
  return std::move(*known);
}
