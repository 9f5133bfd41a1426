#include "compiler/conversion/KernelEmitter.h"

#include "compiler/conversion/RootOfUnity.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Polynomial;

/// Index bits of the largest single table; longer exponents are products of two or more entries.
static constexpr int maxTableBits = 10;

LogicalResult KernelEmitter::emitBody(id::KernelOp kernel) {
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (auto load = dyn_cast<id::LoadOp>(op)) {
      FailureOr<Tile> tile = emitLoad(load);
      if (failed(tile))
        return failure();
      tiles[load.getResult()] = std::move(*tile);
      prefetchTwiddles(load, tiles[load.getResult()]);
      continue;
    }
    Tile tile = tiles.lookup(op.getOperand(0));
    if (auto store = dyn_cast<id::StoreOp>(op)) {
      for (auto &leaves : tile.registers)
        for (Leaf &leaf : leaves)
          leaf = codelet.resolved(leaf);
      if (failed(emitStore(store, tile)))
        return failure();
      continue;
    }
    LogicalResult result = llvm::TypeSwitch<Operation *, LogicalResult>(&op)
                               .Case<id::ExchangeOp>([&](id::ExchangeOp exchange) -> LogicalResult {
                                 for (auto &leaves : tile.registers)
                                   for (Leaf &leaf : leaves)
                                     leaf = codelet.resolved(leaf);
                                 FailureOr<Tile> moved = emitExchange(exchange, tile);
                                 if (succeeded(moved))
                                   tile = std::move(*moved);
                                 return moved;
                               })
                               .Case<id::TwiddleOp>([&](id::TwiddleOp twiddle) { return emitTwiddle(twiddle, tile); })
                               .Case<id::PointwiseOp>([&](id::PointwiseOp pointwise) { return emitPointwise(pointwise, tile); })
                               .Case<id::NodeOp>([&](id::NodeOp node) { return emitNode(node, tile); })
                               .Default([](Operation *other) { return other->emitError() << "unexpected in a kernel"; });
    if (failed(result))
      return failure();
    tile.element = id::elementOf(op.getResult(0).getType());
    tiles[op.getResult(0)] = std::move(tile);
  }
  return success();
}

bool KernelEmitter::splitReal(Type element, Type &real, int &components) {
  components = 1;
  if (auto complex = dyn_cast<ComplexType>(element)) {
    element = complex.getElementType();
    components = 2;
  }
  real = element;
  return isa<FloatType, IntegerType>(real);
}

//===--- twiddles -----------------------------------------------------------------------------------------------===//

Polynomial KernelEmitter::registerExponent(id::TwiddleOp op, const Tile &tile, size_t r, int64_t &constant) {
  Polynomial exponent = op.getExponent().getPolynomial().substitute([&](int digit) {
    digits::Place place;
    if (tile.mapping.find(digit, place) && place.field == Field::Reg)
      return Polynomial::constant(static_cast<int64_t>(r >> place.position & 1));
    return Polynomial::digit(digit);
  });
  exponent = exponent.reduced(op.getRoot(), tile.radices);
  constant = exponent.constantTerm();
  return exponent - Polynomial::constant(constant);
}

FailureOr<Complex> KernelEmitter::runtimeFactor(id::TwiddleOp op, const Tile &tile, const Polynomial &exponent) {
  std::pair<Operation *, std::string> key(op, exponent.str());
  if (auto known = loaded.find(key); known != loaded.end())
    return known->second;
  Type real = cast<ComplexType>(tile.element).getElementType();
  std::vector<TwiddleFactor> factors = splitTwiddle(op.getRoot(), exponent, maxTableBits);
  if (factors.empty())
    return op.emitError() << "the exponent " << exponent.str() << " mixes too many digits for a table";
  std::optional<Complex> product;
  for (const TwiddleFactor &factor : factors) {
    Complex w = emitTableLoad(tables.table(factor, real), factor, tile, real);
    product = product ? codelet.mul(*product, w) : w;
  }
  loaded[key] = *product;
  return *product;
}

void KernelEmitter::prefetchTwiddles(Operation *op, const Tile &place) {
  for (Operation *next = op->getNextNode(); next && !isa<id::ExchangeOp, id::StoreOp>(next); next = next->getNextNode()) {
    auto twiddle = dyn_cast<id::TwiddleOp>(next);
    if (!twiddle || !isa<ComplexType>(id::elementOf(twiddle.getType())))
      continue;
    Tile tile = place;
    tile.element = id::elementOf(twiddle.getType());
    codelet.setRealType(cast<ComplexType>(tile.element).getElementType());
    for (size_t r = 0; r < tile.registers.size(); ++r) {
      int64_t constant;
      Polynomial exponent = registerExponent(twiddle, tile, r, constant);
      if (!exponent.isZero() && failed(runtimeFactor(twiddle, tile, exponent)))
        return; // reported again, and acted on, where the twiddle is used
    }
  }
}

LogicalResult KernelEmitter::emitTwiddle(id::TwiddleOp op, Tile &tile) {
  auto complex = dyn_cast<ComplexType>(tile.element);
  if (!complex)
    return op.emitError() << "roots of unity of " << tile.element << " cannot be generated yet";
  codelet.setRealType(complex.getElementType());
  // Equal factors are made once: the run-time part times omega(root, rest), a quarter turn taken out of the constant.
  std::map<std::pair<std::string, int64_t>, Complex> products;
  int64_t root = op.getRoot();
  for (size_t r = 0; r < tile.registers.size(); ++r) {
    int64_t constant;
    Polynomial exponent = registerExponent(op, tile, r, constant);
    int64_t quarters = root % 4 == 0 ? constant / (root / 4) : 0;
    int64_t rest = constant - quarters * (root / 4 ? root / 4 : 1);
    if (root % 4 != 0)
      rest = constant;
    if (root % 2 == 0 && root % 4 != 0 && constant >= root / 2) {
      quarters = 2;
      rest = constant - root / 2;
    }
    auto [entry, inserted] = products.try_emplace({exponent.str(), rest});
    if (inserted) {
      std::complex<double> w = rootOfUnity(root, rest);
      Complex fixed{codelet.constant(w.real()), codelet.constant(w.imag())};
      if (exponent.isZero()) {
        entry->second = fixed;
      } else {
        FailureOr<Complex> runtime = runtimeFactor(op, tile, exponent);
        if (failed(runtime))
          return failure();
        entry->second = rest == 0 ? *runtime : codelet.mul(fixed, *runtime);
      }
    }
    Leaf &leaf = tile.registers[r][0];
    static const std::complex<double> turns[] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
    std::complex<double> turn = turns[quarters & 3];
    // The free turn first, so that what stays lazy is the shared factor.
    leaf = codelet.scale(leaf, {codelet.constant(turn.real()), codelet.constant(turn.imag())});
    leaf = codelet.scale(leaf, entry->second);
  }
  return success();
}

//===--- bodies -------------------------------------------------------------------------------------------------===//

FailureOr<SmallVector<Leaf>> KernelEmitter::runBody(Region &body, ArrayRef<Leaf> arguments, const Tile &tile,
                                                    size_t r) {
  for (Operation &op : body.front())
    for (Value result : op.getResults()) {
      Type type = result.getType();
      if (auto complex = dyn_cast<ComplexType>(type))
        type = complex.getElementType();
      if (isa<FloatType>(type))
        codelet.setRealType(type);
    }
  auto digit = [&](int number) -> Value {
    digits::Place place;
    if (tile.mapping.find(number, place) && place.field == Field::Reg)
      return emitInteger(static_cast<int64_t>(r >> place.position & 1));
    return emitDigit(number, tile);
  };
  auto root = [&](Operation *op) -> std::optional<Complex> {
    auto omega = cast<id::OmegaOp>(op);
    Polynomial exponent = omega.getExponent().getPolynomial().reduced(omega.getRoot(), tile.radices);
    if (omega.getDynamic() || !exponent.isConstant() || !isa<ComplexType>(omega.getType()))
      return std::nullopt;
    std::complex<double> w = rootOfUnity(omega.getRoot(), exponent.constantTerm());
    return Complex{codelet.constant(w.real()), codelet.constant(w.imag())};
  };
  return codelet.run(body, arguments, digit, root);
}

LogicalResult KernelEmitter::emitPointwise(id::PointwiseOp op, Tile &tile) {
  for (size_t r = 0; r < tile.registers.size(); ++r) {
    FailureOr<SmallVector<Leaf>> results = runBody(op.getBody(), tile.registers[r], tile, r);
    if (failed(results))
      return failure();
    tile.registers[r] = *results;
  }
  return success();
}

LogicalResult KernelEmitter::emitNode(id::NodeOp op, Tile &tile) {
  SmallVector<int> positions; // register bit of each node digit, most significant first
  size_t mask = 0;
  for (int64_t digit : op.getDigits()) {
    digits::Place place;
    if (!tile.mapping.find(static_cast<int>(digit), place) || place.field != Field::Reg)
      return op.emitError() << "digit " << digit << " is not in registers";
    positions.push_back(place.position);
    mask |= size_t(1) << place.position;
  }
  size_t arity = size_t(1) << positions.size();
  for (size_t base = 0; base < tile.registers.size(); ++base) {
    if (base & mask)
      continue;
    SmallVector<size_t> members;
    SmallVector<Leaf> arguments;
    for (size_t k = 0; k < arity; ++k) {
      size_t r = base;
      for (size_t i = 0; i < positions.size(); ++i)
        if (k >> (positions.size() - 1 - i) & 1)
          r |= size_t(1) << positions[i];
      members.push_back(r);
      llvm::append_range(arguments, tile.registers[r]);
    }
    FailureOr<SmallVector<Leaf>> results = runBody(op.getBody(), arguments, tile, base);
    if (failed(results))
      return failure();
    size_t leaves = results->size() / arity;
    for (size_t k = 0; k < arity; ++k)
      tile.registers[members[k]].assign(results->begin() + k * leaves, results->begin() + (k + 1) * leaves);
  }
  return success();
}
