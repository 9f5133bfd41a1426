// Input: digit flow. Output: the same; blocks do several steps that take neighbours, of more elements than one holds,
// in tiles that overlap.
//
// A step that takes its neighbours' results waits for them. Beyond a block that is a trip to memory, for each such
// step. But it takes near ones only: a block that has h more elements at either end does all these steps alone, and
// what it makes of the elements at the ends, which lack neighbours, is thrown away:
//
//   %1 = id.pointwise(%x, gather %x from { k - 1 max 0 })           x: <N>
//   %2 = id.pointwise(%1, gather %1 from { k - 1 max 0 })
//
//   ->   the same of x: <N / B * L>, L = B + 2h: element j of tile t is number k = t*B + (j < B + h ? j : j - L)
//        gathers take element  number - t*B mod L  of their tile;  a crop of L to B keeps what is right
//
// L is a power of two, so that lanes and registers take bits. Elements of one number are made of the same elements in
// the same way in whichever tile. A sequence's ends: k is that of the last element beyond them, or, where a gather
// counts around the end, modulo N.
#include "compiler/passes/NearNumbers.h"
#include "compiler/passes/PointwiseMoves.h"
#include "compiler/passes/ScatteredPlaces.h"
#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

#include "id/ArrayType.h"
#include "id/IndexCode.h"
#include "id/LinearForm.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_OVERLAPTILES
#include "compiler/passes/Passes.h.inc"

namespace {

/// Of a tile: at least so many elements, and bytes of the narrowest value.
constexpr int64_t leastTile = 512, leastBytes = 4096;

/// Of what is made one after the other in a tile: gathers times the elements at an end, and operations on an element. A
/// thread has so many elements that more of either would be more than a kernel unrolls.
constexpr int64_t mostGathered = 16384, mostOperations = 2048;

/// Steps and near gathers that blocks do together, and the values that a tile has of them.
struct Together {
  SmallVector<Operation *> ops; // in order
  Nearness reach;               // of what they take from outside
  size_t lowest = 0;            // digits that count the elements
};

/// What is known of a value: how often memory was gone through before it is made; and since then how far what it is
/// made of lies from it, and how many gathers and operations follow each other.
struct Made {
  int layer = 0;
  Nearness reach;
  int64_t gathers = 0, operations = 0;
};

class Finder {
public:
  explicit Finder(Block &body) : body(body) {
    for (Operation &op : llvm::reverse(body))
      if (isa<id::PointwiseOp>(op))
        for (Operation *user : op.getUsers()) {
          size_t &lowest = gathered[&op];
          if (auto gather = dyn_cast<id::GatherOp>(user))
            lowest = std::max<size_t>(lowest, gather.getLowest());
          else if (op.hasOneUse())
            lowest = gathered.lookup(user);
        }
  }

  std::vector<Together> find() {
    for (Operation &op : body.without_terminator())
      if (!take(op))
        passBy(op);
    std::vector<Together> found;
    llvm::MapVector<Operation *, Together> all;
    for (Operation &op : body.without_terminator())
      if (classes.contains(&op))
        add(all[classes.getLeaderValue(&op)], op);
    for (auto &[leader, together] : all)
      if (isWorthIt(together))
        found.push_back(std::move(together));
    return found;
  }

private:
  Block &body;
  DenseMap<Value, Made> made;
  DenseMap<Operation *, size_t> lowestOf; // digits that count elements, of what is taken
  DenseMap<Operation *, size_t> gathered; // of steps: those of gathers that take what they make, or the next one
  llvm::EquivalenceClasses<Operation *> classes;

  bool isTaken(Value value) const { return value.getDefiningOp() && lowestOf.contains(value.getDefiningOp()); }

  /// Takes a step or a near gather; false for all else.
  bool take(Operation &op) {
    Nearness near;
    size_t lowest = 0;
    if (auto gather = dyn_cast<id::GatherOp>(op)) {
      lowest = gather.getLowest();
      if (!isTaken(gather.getInput()) || !isOfMany(gather.getType(), lowest))
        return false;
      const std::optional<Nearness> known = nearnessOf(gather, mostAtEnds(gather.getType().getElement()));
      if (!known)
        return false;
      near = *known;
    } else {
      auto step = dyn_cast<id::PointwiseOp>(op);
      if (!step)
        return false;
      for (Value operand : op.getOperands())
        if (isTaken(operand))
          lowest = std::max(lowest, lowestOf.lookup(operand.getDefiningOp()));
      auto type = cast<id::SeqType>(step.getOutputs()[0].getType());
      if (lowest == 0)
        lowest = gathered.lookup(step);
      if (lowest == 0 || !isOfMany(type, lowest) || !hasNoRootsByDigits(step) ||
          !knowsNumber(step, type.getRadices().take_front(lowest)))
        return false;
    }
    const Type widest = widestOf(op);
    if (id::elementBytes(widest) < leastTiledBytes)
      return false;
    Made own = after(op, near, lowest);
    if (own.reach.atEnds() > mostAtEnds(widest) || own.gathers * own.reach.atEnds() > mostGathered ||
        own.operations > mostOperations)
      own = Made{own.layer + 1, {}, 0, 0}; // a gather of what lies in memory is no part of a tile
    lowestOf[&op] = lowest;
    classes.insert(&op);
    for (Value operand : op.getOperands())
      if (isTaken(operand) && made.lookup(operand).layer == own.layer &&
          lowestOf.lookup(operand.getDefiningOp()) == lowest)
        classes.unionSets(&op, operand.getDefiningOp());
    for (Value result : op.getResults())
      made[result] = own;
    return true;
  }

  /// What others make waits for all that it takes.
  void passBy(Operation &op) {
    Made own;
    for (Value operand : op.getOperands())
      own.layer = std::max(own.layer, made.lookup(operand).layer + (isTaken(operand) ? 1 : 0));
    for (Value result : op.getResults())
      made[result] = own;
  }

  Made after(Operation &op, const Nearness &near, size_t lowest) const {
    Made own;
    for (Value operand : op.getOperands()) {
      const bool isOfOthers = isTaken(operand) && lowestOf.lookup(operand.getDefiningOp()) != lowest;
      own.layer = std::max(own.layer, made.lookup(operand).layer + (isOfOthers ? 1 : 0));
    }
    for (Value operand : op.getOperands())
      if (const Made &from = made.lookup(operand); isTaken(operand) && from.layer == own.layer) {
        own.reach.below = std::max(own.reach.below, from.reach.below + near.below);
        own.reach.above = std::max(own.reach.above, from.reach.above + near.above);
        own.reach.wraps |= from.reach.wraps | near.wraps;
        own.gathers = std::max(own.gathers, from.gathers);
        own.operations = std::max(own.operations, from.operations);
      }
    if (auto step = dyn_cast<id::PointwiseOp>(op))
      own.operations += static_cast<int64_t>(step.getBody().front().getOperations().size());
    else
      ++own.gathers;
    return own;
  }

  static bool isOfMany(id::SeqType type, size_t lowest) {
    return id::elementsOf(type.getRadices().take_front(lowest)) > beyondBlock;
  }

  static Type widestOf(Operation &op) {
    Type widest = id::elementOf(op.getResult(0).getType());
    for (Value value : llvm::concat<Value>(op.getOperands(), op.getResults()))
      if (id::elementBytes(id::elementOf(value.getType())) > id::elementBytes(widest))
        widest = id::elementOf(value.getType());
    return widest;
  }

  void add(Together &together, Operation &op) {
    together.ops.push_back(&op);
    together.lowest = lowestOf.lookup(&op);
    const Nearness &reach = made.lookup(op.getResult(0)).reach;
    together.reach.below = std::max(together.reach.below, reach.below);
    together.reach.above = std::max(together.reach.above, reach.above);
    together.reach.wraps |= reach.wraps;
  }

  /// Where a gather takes what is made here, which would go through memory else.
  static bool isWorthIt(const Together &together) {
    const DenseSet<Operation *> here(together.ops.begin(), together.ops.end());
    return llvm::any_of(together.ops, [&](Operation *op) {
      return isa<id::GatherOp>(op) && here.contains(op->getOperand(0).getDefiningOp());
    });
  }
};

/// Writes what is done together on tiles.
class Tiles {
public:
  Tiles(const Together &together, const Target &machine)
      : together(together), here(together.ops.begin(), together.ops.end()), builder(together.ops.back()),
        loc(together.ops.back()->getLoc()) {
    int64_t bytes = 1, narrowest = machine.sectorBytes;
    for (Operation *op : together.ops)
      for (Value value : llvm::concat<Value>(op->getOperands(), op->getResults())) {
        const int64_t own = std::max<int64_t>(1, id::elementBytes(id::elementOf(value.getType())));
        bytes = std::max(bytes, own);
        narrowest = std::min(narrowest, own);
      }
    // Tiles begin with a sector of each.
    const int64_t inSector = std::max<int64_t>(1, machine.sectorBytes / narrowest);
    below = static_cast<int64_t>(
        llvm::alignTo(static_cast<uint64_t>(together.reach.below), static_cast<uint64_t>(inSector)));
    above = static_cast<int64_t>(
        llvm::alignTo(static_cast<uint64_t>(together.reach.above), static_cast<uint64_t>(inSector)));
    auto lengthFor = [&](int64_t part) {
      return static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(part * (below + above))));
    };
    const int64_t longest = std::max(mostTileBytes / bytes, lengthFor(tileToEnds));
    tile = std::max({leastTile, leastBytes / narrowest, std::min(lengthFor(2 * tileToEnds), longest)});
    kept = tile - below - above;
    auto type = cast<id::SeqType>(together.ops.back()->getResult(0).getType());
    const ArrayRef<int32_t> all = type.getRadices();
    counting.assign(all.begin(), all.begin() + static_cast<ptrdiff_t>(together.lowest));
    length = id::elementsOf(counting);
    tiles = (length + kept - 1) / kept;
    bits = llvm::Log2_64(static_cast<uint64_t>(tile));
    radices.assign(bits, 2);
    radices.push_back(static_cast<int32_t>(tiles));
    radices.append(all.begin() + static_cast<ptrdiff_t>(together.lowest), all.end());
  }

  void write() {
    for (Operation *op : together.ops) {
      if (auto gather = dyn_cast<id::GatherOp>(op))
        tiled[gather.getResult()] = ofGather(gather);
      else
        ofStep(cast<id::PointwiseOp>(op));
    }
    SmallVector<id::NodeOp> joins;
    for (Operation *op : together.ops)
      for (Operation *user : op->getUsers())
        if (auto node = dyn_cast<id::NodeOp>(user); node && joinsTiles(node) && !llvm::is_contained(joins, node))
          joins.push_back(node);
    for (id::NodeOp join : joins) {
      Value result = join.getOutputs()[0];
      result.replaceAllUsesWith(whole(joined(join), result.getType()));
      join.erase();
    }
    for (Operation *op : together.ops)
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !isHere(user); })) {
          Value all = whole(tiled.lookup(result), result.getType());
          // What joins it to what others make takes a step's value.
          const bool isPart = llvm::any_of(result.getUsers(), isJoin);
          replaceOutside(result, isPart ? heldCopy(builder, all) : all);
        }
    for (Operation *op : llvm::reverse(together.ops))
      op->erase();
  }

private:
  const Together &together;
  DenseSet<Operation *> here;
  OpBuilder builder;
  Location loc;
  int64_t below = 0, above = 0, tile = 0, kept = 0, length = 0, tiles = 0;
  unsigned bits = 0;
  SmallVector<int32_t> counting, radices; // of the elements' digits; of all of tiles
  DenseMap<Value, Value> tiled;

  bool isHere(Operation *op) const { return here.contains(op); }

  id::SeqType typeOf(Value value) const {
    return id::SeqType::get(builder.getContext(), radices, id::elementOf(value.getType()));
  }

  static Value constant(OpBuilder &inside, Location loc, int64_t value) {
    return arith::ConstantOp::create(inside, loc, inside.getI64IntegerAttr(value));
  }

  static Value chosen(OpBuilder &inside, Location loc, arith::CmpIPredicate predicate, Value a, Value b, Value then,
                      Value otherwise) {
    Value holds = arith::CmpIOp::create(inside, loc, predicate, a, b);
    return arith::SelectOp::create(inside, loc, holds, then, otherwise);
  }

  /// The number of a tile's first element.
  Value beginOf(OpBuilder &inside) const {
    Value number = id::DigitOp::create(inside, loc, inside.getI64Type(), bits + 1);
    return arith::MulIOp::create(inside, loc, number, constant(inside, loc, kept));
  }

  /// A number moved by the length into the range that begins with `least`, from half a length outside.
  Value around(OpBuilder &inside, Value number, int64_t least) const {
    auto at = [&](int64_t value) { return constant(inside, loc, value); };
    using Predicate = arith::CmpIPredicate;
    Value more = arith::AddIOp::create(inside, loc, number, at(length));
    number = chosen(inside, loc, Predicate::slt, number, at(least), more, number);
    Value less = arith::SubIOp::create(inside, loc, number, at(length));
    return chosen(inside, loc, Predicate::sge, number, at(least + length), less, number);
  }

  /// The number k of an element of a tile, which is one of the sequence.
  Value numberOf(OpBuilder &inside) const {
    auto at = [&](int64_t value) { return constant(inside, loc, value); };
    using Predicate = arith::CmpIPredicate;
    Value place = id::numberOfLowest(inside, loc, ArrayRef(radices).take_front(bits));
    Value before = arith::SubIOp::create(inside, loc, place, at(tile));
    place = chosen(inside, loc, Predicate::slt, place, at(kept + above), place, before);
    Value number = arith::AddIOp::create(inside, loc, beginOf(inside), place);
    if (together.reach.wraps)
      return around(inside, number, 0);
    number = chosen(inside, loc, Predicate::slt, number, at(0), at(0), number);
    return chosen(inside, loc, Predicate::sgt, number, at(length - 1), at(length - 1), number);
  }

  /// A sequence's elements, in tiles.
  Value load(Value value) {
    Value &known = tiled[value];
    if (!known) {
      auto gather = id::GatherOp::create(builder, loc, typeOf(value), value, together.lowest);
      OpBuilder inside = OpBuilder::atBlockEnd(&gather.getBody().emplaceBlock());
      id::YieldOp::create(inside, loc, numberOf(inside));
      known = gather;
    }
    return known;
  }

  /// The number of the element that a gather takes for that of a tile.
  Value sourceOf(OpBuilder &inside, id::GatherOp gather) const {
    return id::numberAt(inside, loc, gather.getBody(), counting, numberOf(inside), bits + 1);
  }

  Value ofGather(id::GatherOp gather) {
    const bool isMade = isHere(gather.getInput().getDefiningOp());
    Value from = isMade ? tiled.lookup(gather.getInput()) : gather.getInput();
    auto own = id::GatherOp::create(builder, gather.getLoc(), typeOf(gather), from, isMade ? bits : together.lowest);
    OpBuilder inside = OpBuilder::atBlockEnd(&own.getBody().emplaceBlock());
    Value number = sourceOf(inside, gather);
    if (isMade) {
      number = arith::SubIOp::create(inside, loc, number, beginOf(inside));
      if (together.reach.wraps)
        number = around(inside, number, -(length / 2));
      number = arith::AndIOp::create(inside, loc, number, constant(inside, loc, tile - 1));
    }
    id::YieldOp::create(inside, loc, number);
    return own;
  }

  void ofStep(id::PointwiseOp step) {
    SmallVector<Value> operands;
    SmallVector<Type> types;
    for (Value operand : step->getOperands())
      operands.push_back(isHere(operand.getDefiningOp()) ? tiled.lookup(operand) : load(operand));
    for (Value result : step->getResults())
      types.push_back(typeOf(result));
    auto own = id::PointwiseOp::create(builder, step.getLoc(), types, operands);
    OpBuilder inside(builder);
    Block *body = id::createBody(inside, own);
    inside.setInsertionPointToEnd(body);
    IRMapping values;
    values.map(step.getBody().getArguments(), body->getArguments());
    if (namesNoDigit(step))
      for (Operation &op : step.getBody().front().without_terminator())
        inside.clone(op, values);
    else
      id::cloneAt(inside, loc, step.getBody(), counting, numberOf(inside), bits + 1, values);
    SmallVector<Value> yielded;
    for (Value value : step.getBody().front().getTerminator()->getOperands())
      yielded.push_back(values.lookupOrDefault(value));
    id::YieldOp::create(inside, loc, yielded);
    for (auto [result, made] : llvm::zip_equal(step->getResults(), own->getResults()))
      tiled[result] = made;
  }

  static bool isJoin(Operation *op) {
    const std::optional<Placement> placement = placementOf(op);
    return placement && placement->joins;
  }

  /// True for a node that joins what tiles have of all its operands by a digit above those that count elements.
  bool joinsTiles(id::NodeOp node) const {
    return isJoin(node) && static_cast<size_t>(node.getDigits()[0]) > together.lowest &&
           llvm::all_of(node.getInputs(), [&](Value input) { return isHere(input.getDefiningOp()); });
  }

  /// The same node on tiles.
  Value joined(id::NodeOp node) {
    const int64_t digit = node.getDigits()[0] - static_cast<int64_t>(together.lowest) + bits + 1;
    const ArrayRef<int32_t> above = id::radicesOf(node.getOutputs()[0].getType()).drop_front(together.lowest);
    SmallVector<int32_t> all(radices.begin(), radices.begin() + bits + 1);
    all.append(above.begin(), above.end());
    SmallVector<Value> inputs;
    for (Value input : node.getInputs())
      inputs.push_back(tiled.lookup(input));
    auto type = id::SeqType::get(builder.getContext(), all, id::elementOf(node.getOutputs()[0].getType()));
    auto own = id::NodeOp::create(builder, node.getLoc(), TypeRange(type), {digit}, inputs);
    IRMapping values;
    node.getBody().cloneInto(&own.getBody(), values);
    return own.getOutputs()[0];
  }

  /// The sequence of which there are tiles.
  Value whole(Value value, Type type) {
    const ArrayRef<int32_t> own = id::radicesOf(value.getType());
    SmallVector<int32_t> cropped{static_cast<int32_t>(kept)};
    cropped.append(own.begin() + bits, own.end());
    auto inner = id::SeqType::get(builder.getContext(), cropped, id::elementOf(type));
    Value right = id::ResizeOp::create(builder, loc, inner, value, bits);
    return id::ResizeOp::create(builder, loc, cast<id::SeqType>(type), right, 2);
  }

  void replaceOutside(Value value, Value by) {
    value.replaceUsesWithIf(by, [&](OpOperand &use) { return !isHere(use.getOwner()); });
  }
};

struct OverlapTiles : impl::OverlapTilesBase<OverlapTiles> {
  using Base::Base;

  void runOnOperation() override {
    const std::optional<Target> machine = findTarget(target, getOperation());
    if (!machine)
      return signalPassFailure();
    // Tiles are no digits of the sequence's, and others write over what a tile's ends read.
    if (machine->kind == "cpu" || isInParts(getOperation()) || getOperation()->hasAttr(id::inPlaceAttr))
      return;
    Block &body = getOperation().getBody().front();
    const std::vector<Together> found = Finder(body).find();
    if (found.empty())
      return;
    for (const Together &together : found)
      Tiles(together, *machine).write();
    if (!sortTopologically(&body))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    id::GatherOp::getCanonicalizationPatterns(patterns, &getContext());
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};

} // namespace
} // namespace idc::passes
