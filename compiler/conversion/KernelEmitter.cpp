#include "compiler/conversion/KernelEmitter.h"

#include "compiler/conversion/PrimeField.h"
#include "compiler/conversion/RootOfUnity.h"
#include "compiler/passes/Steps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Polynomial;

static_assert(passes::maxMonomialDigits <= maxTableBits, "every monomial of a chain has a table");

Tile KernelEmitter::emptyTile(Type type) {
  auto tileType = cast<id::TileType>(type);
  Tile tile;
  tile.mapping = tileType.getMapping();
  tile.radices.assign(tileType.getRadices().begin(), tileType.getRadices().end());
  tile.element = tileType.getElement();
  tile.registers.resize(tile.mapping.extent(Field::Reg));
  return tile;
}

void KernelEmitter::resolveAll(Codelet &codelet, Tile &tile) {
  for (auto &leaves : tile.registers)
    for (Leaf &leaf : leaves)
      leaf = codelet.resolved(leaf);
}

void KernelEmitter::makeCanonical(Codelet &codelet, Tile &tile) {
  for (auto &leaves : tile.registers)
    for (auto [type, leaf] : llvm::zip(id::leafTypes(tile.element), leaves))
      if (auto mod = dyn_cast<id::ModType>(type))
        leaf = Leaf::of(Residue{codelet.field(mod.getModulus()).canonical(leaf.residue())});
}

/// Residues that come from other threads: bounded as the largest of them, in every register.
static void shareBounds(const Tile &before, Tile &after) {
  for (size_t i = 0; i < after.registers[0].size(); ++i) {
    int64_t bound = 1;
    for (const auto &leaves : before.registers)
      bound = std::max(bound, leaves[i].bound);
    for (auto &leaves : after.registers)
      leaves[i].bound = bound;
  }
}

const Tile &KernelEmitter::settled(Value value) {
  Tile &tile = tiles[value];
  resolveAll(codelet, tile);
  return tile;
}

LogicalResult KernelEmitter::emitBody(id::KernelOp kernel) {
  auto ops = kernel.getBody().front().without_terminator();
  return emitOps(ops.begin(), ops.end());
}

LogicalResult KernelEmitter::emitOps(Block::iterator first, Block::iterator end) {
  for (Operation &op : llvm::make_range(first, end)) {
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case<id::LoadOp>([&](id::LoadOp load) -> LogicalResult {
              FailureOr<Tile> tile = emitLoad(load);
              if (succeeded(tile)) {
                tiles[load.getResult()] = std::move(*tile);
                prefetchTwiddles(load, tiles[load.getResult()]);
                prefetchLaterTwiddles(load);
              }
              return tile;
            })
            .Case<id::StoreOp>([&](id::StoreOp store) {
              Tile tile = tiles.lookup(store.getTile());
              resolveAll(codelet, tile);
              makeCanonical(codelet, tile);
              return emitStore(store, tile);
            })
            .Case<id::ExchangeOp>([&](id::ExchangeOp exchange) -> LogicalResult {
              const Tile tile = settled(exchange.getInput());
              FailureOr<Tile> moved = emitExchange(exchange, tile);
              if (succeeded(moved)) {
                shareBounds(tile, *moved);
                tiles[exchange.getResult()] = std::move(*moved);
              }
              return moved;
            })
            .Case<id::RenameOp>([&](id::RenameOp rename) {
              Tile tile = emptyTile(rename.getResult().getType());
              tile.registers = tiles.lookup(rename.getInput()).registers;
              tiles[rename.getResult()] = std::move(tile);
              return success();
            })
            .Case<id::PartOp, id::ResizeOp, id::PermuteOp>([](Operation *) { return success(); }) // addresses only
            .Case<id::JoinOp>([&](id::JoinOp join) {
              if (isa<id::TileType>(join.getResult().getType()))
                emitJoin(join);
              return success();
            })
            .Case<id::TwiddleOp>([&](id::TwiddleOp twiddle) { return emitTwiddle(twiddle); })
            .Case<id::PointwiseOp>([&](id::PointwiseOp pointwise) { return emitPointwise(pointwise); })
            .Case<id::NodeOp>([&](id::NodeOp node) { return emitNode(node); })
            .Default([](Operation *other) { return other->emitError() << "unexpected in a kernel"; });
    if (failed(result))
      return failure();
  }
  return success();
}

static Value bitcast(OpBuilder &b, Location loc, Type element, Value value) {
  Type type = element;
  if (auto vector = dyn_cast<VectorType>(value.getType()))
    type = vector.clone(element);
  return type == value.getType() ? value : arith::BitcastOp::create(b, loc, type, value).getResult();
}

SmallVector<Value> KernelEmitter::numbersOf(ArrayRef<Leaf> leaves, Type element, Type number) {
  SmallVector<Value> numbers;
  for (auto [type, leaf] : llvm::zip(id::leafTypes(element), leaves)) {
    auto complex = dyn_cast<ComplexType>(type);
    if (leaf.kind == Leaf::Kind::Other) {
      numbers.push_back(type.isInteger(1) ? arith::ExtUIOp::create(b, loc, storedType(type), leaf.other).getResult()
                                          : leaf.other);
    } else {
      codelet.setRealType(complex ? complex.getElementType() : type);
      numbers.push_back(codelet.materialize(leaf.number.re));
    }
    if (complex)
      numbers.push_back(codelet.materialize(leaf.number.im));
  }
  for (Value &value : numbers)
    value = number ? bitcast(b, loc, number, value) : value;
  return numbers;
}

SmallVector<Leaf> KernelEmitter::leavesOf(ArrayRef<Value> numbers, Type element) {
  SmallVector<Leaf> leaves;
  auto next = [&](Type type) {
    Value number = bitcast(b, loc, storedType(type), numbers.front());
    numbers = numbers.drop_front();
    return number;
  };
  for (Type type : id::leafTypes(element)) {
    Leaf leaf;
    auto complex = dyn_cast<ComplexType>(type);
    Value first = next(complex ? complex.getElementType() : type);
    if (complex || isa<FloatType>(type)) {
      leaf.kind = complex ? Leaf::Kind::Complex : Leaf::Kind::Real;
      leaf.number.re = codelet.wrap(first);
    } else {
      leaf.other = type.isInteger(1) ? arith::TruncIOp::create(b, loc, type, first).getResult() : first;
    }
    if (complex)
      leaf.number.im = codelet.wrap(next(complex.getElementType()));
    leaves.push_back(leaf);
  }
  return leaves;
}

SmallVector<int64_t> KernelEmitter::registerDigits(const digits::Mapping &mapping, size_t number) {
  SmallVector<int64_t> digits;
  for (const digits::Column &column : mapping[Field::Reg]) {
    digits.push_back(static_cast<int64_t>(number % column.radix));
    number /= column.radix;
  }
  return digits;
}

size_t KernelEmitter::registerNumber(const digits::Mapping &mapping, ArrayRef<int64_t> digits) {
  size_t number = 0;
  for (size_t i = digits.size(); i-- > 0;)
    number = number * mapping[Field::Reg][i].radix + static_cast<size_t>(digits[i]);
  return number;
}

void KernelEmitter::emitJoin(id::JoinOp op) {
  Tile joined = emptyTile(op.getResult().getType());
  const int digit = static_cast<int>(op.getDigit());
  digits::Place place;
  joined.mapping.find(digit, place);
  for (size_t r = 0; r < joined.registers.size(); ++r) {
    SmallVector<int64_t> values = registerDigits(joined.mapping, r);
    const Tile &part = tiles[op.getParts()[values[place.position]]];
    SmallVector<int64_t> own; // of the part's columns
    for (const digits::Column &column : part.mapping[Field::Reg]) {
      int here = column.digits[0] + (column.digits[0] >= digit);
      digits::Place at;
      joined.mapping.find(here, at);
      own.push_back(values[at.position]);
    }
    joined.registers[r] = part.registers[registerNumber(part.mapping, own)];
  }
  tiles[op.getResult()] = std::move(joined);
}

//===--- twiddles -----------------------------------------------------------------------------------------------===//

Polynomial KernelEmitter::registerExponent(int64_t root, const Polynomial &exponent, const Tile &tile, size_t r,
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

/// omega(root, exponent), 0 <= exponent < root, as quarter turns clockwise (root permitting, else half turns) and the
/// exponent of the rest.
static std::pair<int64_t, int64_t> quarterTurns(int64_t root, int64_t exponent) {
  if (root % 4 == 0)
    return {exponent / (root / 4), exponent % (root / 4)};
  if (root % 2 == 0 && exponent >= root / 2)
    return {2, exponent - root / 2};
  return {0, exponent};
}

/// True when sum and difference with the factor omega(root, exponent) are each made from their operands, which takes
/// two instructions more than the second from the first and saves the first one's rounding errors: for run-time factors
/// of so few values that many of them, if not all, are ±1 or ±i and round nothing. Kernels of 64-bit numbers have time
/// for it at more factors, and at constants.
static bool isDirect(int64_t root, const Polynomial &exponent, Type real) {
  const bool wide = real.isF64();
  if (exponent.isConstant() && !wide)
    return false;
  int64_t common = root;
  for (const auto &[digits, coefficient] : exponent.monomials())
    common = std::gcd(common, coefficient);
  return root / common <= (wide ? 32 : 8);
}

FailureOr<Complex> KernelEmitter::emitTableProduct(Operation *op, int64_t root, const Polynomial &exponent,
                                                   const Tile &place, Type real) {
  int64_t constant = exponent.constantTerm();
  Polynomial looked = exponent - Polynomial::constant(constant);
  // Factors that are a quarter turn apart are one product, made once.
  auto [quarters, rest] = quarterTurns(root, constant);
  std::complex<double> w = rootOfUnity(root, rest);
  Complex fixed{codelet.constant(w.real()), codelet.constant(w.imag())};
  if (looked.isZero())
    return codelet.turned(fixed, quarters);
  auto [known, fresh] = loaded.try_emplace({op, looked.str()});
  if (fresh) {
    std::vector<TwiddleFactor> factors = splitTwiddle(root, looked, maxTableBits, place.radices);
    if (factors.empty())
      return op->emitError() << "the exponent " << exponent.str() << " mixes too many digits for a table";
    std::optional<Complex> product;
    for (const TwiddleFactor &factor : factors) {
      auto [re, im] = emitTableLoad(tables.table(factor, real), factor, place, real);
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

void KernelEmitter::prefetchTwiddles(Operation *op, const Tile &place) {
  // An exponent that cannot be looked up is reported again, and acted on, where it is used.
  auto prefetch = [&](Operation *user, int64_t root, const Polynomial &whole, Type type) {
    auto complex = dyn_cast<ComplexType>(type);
    if (complex)
      codelet.setRealType(complex.getElementType());
    for (size_t r = 0; r < place.registers.size(); ++r) {
      int64_t constant;
      Polynomial exponent = registerExponent(root, whole, place, r, constant);
      if (exponent.isZero())
        continue;
      if (complex ? failed(emitRoot(user, root, exponent, place, complex.getElementType()))
                  : failed(residueFactors(user, root, exponent, place, cast<id::ModType>(type))))
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

int64_t KernelEmitter::loadedRegisters() const {
  int64_t registers = 0;
  for (const auto &[key, factor] : loaded)
    for (const Real &part : {factor.re, factor.im})
      registers += part.isConstant() ? 0 : (getElementTypeOrSelf(part.value).getIntOrFloatBitWidth() + 31) / 32;
  return registers;
}

void KernelEmitter::prefetchLaterTwiddles(id::LoadOp load) {
  for (Operation *next = load->getNextNode(); next && !isa<id::StoreOp>(next) && loadedRegisters() < factorRegisters;
       next = next->getNextNode())
    if (auto exchange = dyn_cast<id::ExchangeOp>(next))
      prefetchTwiddles(exchange, emptyTile(exchange.getResult().getType()));
}

LogicalResult KernelEmitter::emitTwiddle(id::TwiddleOp op) {
  Tile tile = tiles.lookup(op.getInput());
  if (auto field = dyn_cast<id::ModType>(tile.element))
    return emitPrimeTwiddle(op, field);
  auto complex = dyn_cast<ComplexType>(tile.element);
  if (!complex)
    return op.emitError() << "roots of unity of " << tile.element << " cannot be generated yet";
  codelet.setRealType(complex.getElementType());
  // Equal factors are made once: the run-time part times omega(root, rest), a quarter turn taken out of the constant.
  std::map<std::pair<std::string, int64_t>, Complex> products;
  int64_t root = op.getRoot();
  for (size_t r = 0; r < tile.registers.size(); ++r) {
    int64_t constant;
    Polynomial exponent = registerExponent(root, op.getExponent().getPolynomial(), tile, r, constant);
    auto [quarters, rest] = quarterTurns(root, constant);
    auto [entry, inserted] = products.try_emplace({exponent.str(), rest});
    if (inserted) {
      std::complex<double> w = rootOfUnity(root, rest);
      Complex fixed{codelet.constant(w.real()), codelet.constant(w.imag())};
      if (exponent.isZero()) {
        entry->second = fixed;
      } else {
        FailureOr<Complex> runtime = emitRoot(op, root, exponent, tile, complex.getElementType());
        if (failed(runtime))
          return failure();
        entry->second = rest == 0 ? *runtime : codelet.mul(fixed, *runtime);
      }
    }
    Leaf &leaf = tile.registers[r][0];
    // The free turn first, so that what stays lazy is the shared factor.
    leaf.number = codelet.turned(leaf.number, quarters);
    leaf = codelet.scale(leaf, entry->second,
                         isDirect(root, exponent + Polynomial::constant(rest), complex.getElementType()));
  }
  tiles[op.getResult()] = std::move(tile);
  return success();
}

FailureOr<SmallVector<Residue>> KernelEmitter::residueFactors(Operation *op, int64_t root, const Polynomial &exponent,
                                                              const Tile &place, id::ModType type) {
  if (Value run = emitExponent(root, exponent, place)) {
    std::optional<Leaf> w = emitDynamicRoot(root, run, type);
    if (!w)
      return op->emitError() << "roots of unity of " << type << " cannot be generated here";
    return SmallVector<Residue>{w->residue()};
  }
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
      auto [value, quotient] = emitTableLoad(tables.residueTable(factor, modulus), factor, place, field.type());
      known->second.push_back({value, 1, quotient});
    }
  }
  SmallVector<Residue> factors = known->second;
  int64_t rest = constant - looked.constantTerm();
  if (rest || factors.empty())
    factors.push_back(field.constant(residueRoot(root, rest, modulus)));
  return factors;
}

LogicalResult KernelEmitter::emitPrimeTwiddle(id::TwiddleOp op, id::ModType type) {
  Tile tile = tiles.lookup(op.getInput());
  PrimeField field = codelet.field(type.getModulus());
  for (size_t r = 0; r < tile.registers.size(); ++r) {
    int64_t constant;
    Polynomial exponent = registerExponent(op.getRoot(), op.getExponent().getPolynomial(), tile, r, constant);
    if (exponent.isZero() && constant == 0)
      continue;
    FailureOr<SmallVector<Residue>> factors =
        residueFactors(op, op.getRoot(), exponent + Polynomial::constant(constant), tile, type);
    if (failed(factors))
      return failure();
    Residue x = tile.registers[r][0].residue();
    for (const Residue &factor : *factors)
      x = field.mul(x, factor);
    tile.registers[r][0] = Leaf::of(x);
  }
  tiles[op.getResult()] = std::move(tile);
  return success();
}

//===--- bodies -------------------------------------------------------------------------------------------------===//

FailureOr<SmallVector<Leaf>> KernelEmitter::runBody(Region &body, ArrayRef<Leaf> arguments, const Tile &tile,
                                                    size_t r) {
  SmallVector<int64_t> values = registerDigits(tile.mapping, r);
  auto digit = [&](int number) -> Value {
    digits::Place place;
    if (tile.mapping.find(number, place) && place.field == Field::Reg)
      return emitInteger(values[place.position]);
    return emitDigit(number, tile);
  };
  auto root = [&](Operation *op, Value dynamic) -> std::optional<Leaf> {
    auto omega = cast<id::OmegaOp>(op);
    int64_t order = omega.getRoot(), constant;
    if (dynamic)
      return emitDynamicRoot(order, dynamic, omega.getType());
    Polynomial exponent = registerExponent(order, omega.getExponent().getPolynomial(), tile, r, constant);
    exponent = exponent + Polynomial::constant(constant);
    if (auto mod = dyn_cast<id::ModType>(omega.getType())) {
      FailureOr<SmallVector<Residue>> product = residueFactors(op, order, exponent, tile, mod);
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
      std::complex<double> w = rootOfUnity(order, exponent.constantTerm());
      leaf.number = {codelet.constant(w.real()), codelet.constant(w.imag())};
      return leaf;
    }
    FailureOr<Complex> w = emitRoot(op, order, exponent, tile, real);
    if (failed(w))
      return std::nullopt;
    leaf.number = *w;
    return leaf;
  };
  auto parameter = [&](int64_t number) { return parameters.lookup(number); };
  return codelet.run(body, arguments, digit, parameter, root);
}

/// The leaves of the next element of `results`, which shrinks by them.
static SmallVector<Leaf> takeLeaves(ArrayRef<Leaf> &results, Type element) {
  size_t count = id::leafTypes(element).size();
  SmallVector<Leaf> leaves(results.begin(), results.begin() + count);
  results = results.drop_front(count);
  return leaves;
}

LogicalResult KernelEmitter::emitPointwise(id::PointwiseOp op) {
  SmallVector<Tile> inputs, outputs;
  for (Value input : op.getInputs())
    inputs.push_back(tiles.lookup(input));
  for (Value output : op.getOutputs())
    outputs.push_back(emptyTile(output.getType()));
  for (size_t r = 0; r < outputs[0].registers.size(); ++r) {
    SmallVector<Leaf> arguments;
    for (const Tile &input : inputs)
      llvm::append_range(arguments, input.registers[r]);
    FailureOr<SmallVector<Leaf>> results = runBody(op.getBody(), arguments, outputs[0], r);
    if (failed(results))
      return failure();
    ArrayRef<Leaf> rest = *results;
    for (Tile &output : outputs)
      output.registers[r] = takeLeaves(rest, output.element);
  }
  for (auto [value, tile] : llvm::zip(op.getOutputs(), outputs))
    tiles[value] = std::move(tile);
  return success();
}

LogicalResult KernelEmitter::emitNode(id::NodeOp op) {
  SmallVector<Tile> inputs, outputs;
  const Tile *full = nullptr; // a tile that has all digits of the node
  int n = op.getNumDigits();
  for (Value input : op.getInputs())
    inputs.push_back(tiles.lookup(input));
  for (Value output : op.getOutputs())
    outputs.push_back(emptyTile(output.getType()));
  auto isFull = [&](const Tile &tile) { return static_cast<int>(tile.radices.size()) == n; };
  for (const Tile &tile : llvm::concat<const Tile>(inputs, outputs))
    if (isFull(tile))
      full = &tile;
  if (!full)
    return op.emitError() << "no operand or result has the node's digits";
  const digits::Mapping mapping = full->mapping;
  SmallVector<int> positions; // register column of each node digit, most significant first
  for (int64_t digit : op.getDigits()) {
    digits::Place place;
    if (!mapping.find(static_cast<int>(digit), place) || place.field != Field::Reg)
      return op.emitError() << "digit " << digit << " is not in registers";
    positions.push_back(place.position);
  }
  size_t arity = static_cast<size_t>(op.getArity());
  Tile place = *full;
  for (size_t base = 0; base < place.registers.size(); ++base) {
    SmallVector<int64_t> values = registerDigits(mapping, base);
    if (llvm::any_of(positions, [&](int position) { return values[position] != 0; }))
      continue;
    // Register numbers of the node's elements, and the one of a value that lacks the node's digits.
    SmallVector<size_t> members;
    for (size_t k = 0; k < arity; ++k) {
      SmallVector<int64_t> member = values;
      size_t rest = k;
      for (size_t i = positions.size(); i-- > 0;) {
        size_t radix = mapping[Field::Reg][positions[i]].radix;
        member[positions[i]] = static_cast<int64_t>(rest % radix);
        rest /= radix;
      }
      members.push_back(registerNumber(mapping, member));
    }
    size_t single = 0;
    for (size_t i = values.size(); i-- > 0;)
      if (!llvm::is_contained(positions, static_cast<int>(i)))
        single = single * mapping[Field::Reg][i].radix + static_cast<size_t>(values[i]);
    SmallVector<Leaf> arguments;
    for (const Tile &input : inputs) {
      if (!isFull(input)) {
        llvm::append_range(arguments, input.registers[single]);
        continue;
      }
      for (size_t member : members)
        llvm::append_range(arguments, input.registers[member]);
    }
    FailureOr<SmallVector<Leaf>> results = runBody(op.getBody(), arguments, place, base);
    if (failed(results))
      return failure();
    ArrayRef<Leaf> rest = *results;
    for (Tile &output : outputs) {
      if (!isFull(output)) {
        output.registers[single] = takeLeaves(rest, output.element);
        continue;
      }
      for (size_t member : members)
        output.registers[member] = takeLeaves(rest, output.element);
    }
  }
  for (auto [value, tile] : llvm::zip(op.getOutputs(), outputs))
    tiles[value] = std::move(tile);
  return success();
}
