#include "compiler/conversion/KernelEmitter.h"

#include "compiler/conversion/PrimeField.h"
#include "compiler/passes/Steps.h"

#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;
using digits::Field;
using digits::Polynomial;

static_assert(passes::maxMonomialDigits <= maxTableBits, "every monomial of a chain has a table");

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
  code.resolve(tile);
  return tile;
}

LogicalResult KernelEmitter::emitOps(Block::iterator first, Block::iterator end) {
  for (Operation &op : llvm::make_range(first, end)) {
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case<id::LoadOp>([&](id::LoadOp load) -> LogicalResult {
              FailureOr<Tile> tile = emitLoad(load);
              if (succeeded(tile)) {
                tiles[load.getResult()] = std::move(*tile);
                roots.prefetch(load, tiles[load.getResult()]);
                roots.prefetchLater(load);
              }
              return tile;
            })
            .Case<id::StoreOp>([&](id::StoreOp store) {
              Tile tile = tiles.lookup(store.getTile());
              code.resolve(tile);
              code.makeCanonical(tile);
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
            .Case<id::PartOp, id::ResizeOp, id::GatherOp, id::ScatterOp, id::PermuteOp>(
                [](Operation *) { return success(); }) // addresses only
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
    Polynomial exponent = RootFactors::registerExponent(root, op.getExponent().getPolynomial(), tile, r, constant);
    auto [quarters, rest] = RootFactors::quarterTurns(root, constant);
    auto [entry, inserted] = products.try_emplace({exponent.str(), rest});
    if (inserted) {
      const Complex fixed = roots.constant(root, rest);
      if (exponent.isZero()) {
        entry->second = fixed;
      } else {
        FailureOr<Complex> runtime = roots.complex(op, root, exponent, tile, complex.getElementType());
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

LogicalResult KernelEmitter::emitPrimeTwiddle(id::TwiddleOp op, id::ModType type) {
  Tile tile = tiles.lookup(op.getInput());
  PrimeField field = codelet.field(type.getModulus());
  for (size_t r = 0; r < tile.registers.size(); ++r) {
    int64_t constant;
    Polynomial exponent =
        RootFactors::registerExponent(op.getRoot(), op.getExponent().getPolynomial(), tile, r, constant);
    if (exponent.isZero() && constant == 0)
      continue;
    FailureOr<SmallVector<Residue>> factors =
        roots.residues(op, op.getRoot(), exponent + Polynomial::constant(constant), tile, type);
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
    FailureOr<SmallVector<Leaf>> results = bodies.run(op.getBody(), arguments, outputs[0], r);
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
    FailureOr<SmallVector<Leaf>> results = bodies.run(op.getBody(), arguments, place, base);
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
