// Output: the same program; steps on each element alone, and nodes that put in a digit, behind a gather.
//
//   %0 = id.pointwise(%x, %y) f                           %0 = id.gather %x from { e };  %1 = id.gather %y from { e }
//   %1 = id.gather %0 from { e }                    ->    %2 = id.pointwise(%0, %1) f, which knows the digits of e
//
//   %0 = id.node [1] (%x, %y) { together }                %0 = id.gather %x from { e / 2 };  %1 = … of %y
//   %1 = id.gather %0 from { e }                    ->    %2 = id.pointwise(%0, %1) { e mod 2 chooses }
#include "compiler/passes/PointwiseMoves.h"

#include "compiler/passes/NearNumbers.h"
#include "compiler/passes/Steps.h"

#include "id/IndexCode.h"
#include "id/LinearForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace idc;
using namespace idc::passes;

namespace {

/// Operations on an element that are nothing beside storing it and loading it again.
constexpr int64_t fewOperations = 128;
/// Elements that are loaded no more often than one is stored and loaded twice.
constexpr size_t fewLoads = 3;

/// Without itself, and without the sums of digits that numbers are made of, which cost what addresses do.
int64_t operationsOf(Operation *step) {
  int64_t count = 0;
  step->walk([&](Operation *op) {
    const bool isOfSum = isa<id::DigitOp, arith::AddIOp>(op) ||
                         (isa<arith::MulIOp>(op) && op->getOperand(0).getDefiningOp<id::DigitOp>()) ||
                         op->hasTrait<OpTrait::ConstantLike>();
    count += !(isa<id::GatherOp>(step) && isOfSum);
  });
  return count - 1;
}

bool isOfManyElements(Value value) { return cast<id::SeqType>(value.getType()).getNumElements() > beyondBlock; }

/// Of what a step's body yields that of one result.
OperandRange leavesOf(OperandRange yielded, OpResult result) {
  size_t first = 0;
  for (Value before : result.getOwner()->getResults().take_front(result.getResultNumber()))
    first += id::leafTypes(id::elementOf(before.getType())).size();
  return yielded.slice(first, id::leafTypes(id::elementOf(result.getType())).size());
}

/// True for a node that puts in a digit and does nothing else: each of its elements is made of one of each operand.
bool isPuttingIn(Operation *op) {
  auto node = dyn_cast<id::NodeOp>(op);
  return node && node.getDigits().size() == 1 && node.getOutputs().size() == 1 &&
         llvm::none_of(node.getInputs(), [&](Value input) { return node.isArray(input); }) &&
         node.getBody().getOps<id::DigitOp>().empty() && node.getBody().getOps<id::OmegaOp>().empty();
}

/// True for a value that several take, one of them from far away: where it is not made again, it is in memory. So it is
/// where the step that takes its near elements is taken so, and others take the value itself: one of both has to be.
bool isTakenFar(Value value) {
  if (!isa_and_present<id::PointwiseOp, id::NodeOp>(value.getDefiningOp()) || !isOfManyElements(value))
    return false;
  const SmallVector<Operation *> takers = takersOf(value);
  if (takers.size() == 1 || llvm::any_of(takers, isFarGather))
    return takers.size() > 1;
  bool isOfFar = false;
  DenseSet<Operation *> known; // gathers, and steps that take near elements
  for (Operation *taker : takers)
    if (isa<id::GatherOp>(taker) && known.insert(taker).second)
      for (Operation *step : taker->getUsers()) {
        known.insert(step);
        isOfFar |= isa<id::PointwiseOp>(step) && llvm::any_of(takersOf(step->getResult(0)), isFarGather);
      }
  return isOfFar && llvm::any_of(takers, [&](Operation *taker) { return !known.contains(taker); });
}

/// What it takes to make an element of a value that nothing but steps on each element alone makes of what is in memory.
struct Making {
  int64_t operations = 0;
  size_t loads = 0;
};

class Makings {
public:
  /// That of an op's result; nothing where something else makes it, or it is more than few.
  std::optional<Making> of(Operation *op, int64_t depth = 0) {
    const auto [known, isNew] = found.insert({op, std::nullopt});
    if (!isNew)
      return known->second;
    const bool isMade = isa<id::PointwiseOp, id::PermuteOp, id::GatherOp, id::ResizeOp, id::RepeatOp>(op);
    if ((!isMade && !isPuttingIn(op)) || depth > fewOperations)
      return std::nullopt;
    Making making{operationsOf(op), 0};
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      if (const std::optional<Making> made = maker ? of(maker, depth + 1) : std::nullopt) {
        making.operations += made->operations;
        making.loads += made->loads;
      } else if (!maker || isTakenFar(operand)) {
        ++making.loads;
      } else {
        return std::nullopt;
      }
      if (making.operations > fewOperations || making.loads > fewLoads)
        return std::nullopt;
    }
    return found[op] = making;
  }

private:
  DenseMap<Operation *, std::optional<Making>> found;
};

/// The operations by which a step makes one of its results.
int64_t operationsOf(id::PointwiseOp step, OpResult result) {
  Operation *yield = step.getBody().front().getTerminator();
  SmallVector<Value> open(leavesOf(yield->getOperands(), result));
  DenseSet<Operation *> found;
  while (!open.empty())
    if (Operation *op = open.pop_back_val().getDefiningOp(); op && found.insert(op).second)
      llvm::append_range(open, op->getOperands());
  return static_cast<int64_t>(found.size());
}

/// True for a step that may be done once more for each who takes a result, instead of being kept in memory.
bool isWorthRepeating(id::PointwiseOp step) {
  if (!isOfManyElements(step.getOutputs()[0]) || !Makings().of(step))
    return false;
  int64_t operations = 0; // for all of them
  for (OpResult result : step->getResults())
    operations += operationsOf(step, result) * llvm::range_size(result.getUses());
  return operations <= fewOperations;
}

/// True for a value that is in memory, as several take it, and it takes more to make than to load.
bool isStored(Value value) {
  auto step = value.getDefiningOp<id::PointwiseOp>();
  return isTakenFar(value) && !(step && isWorthRepeating(step));
}

/// Whether blocks do in tiles (id-overlap-tiles) what takes near elements of a step's value: what is made of these is
/// taken so again.
bool goesOnInTiles(id::GatherOp gather) {
  auto isNear = [](Operation *user) {
    auto other = dyn_cast<id::GatherOp>(user);
    return other && nearnessOf(other, mostAtEnds(other.getType().getElement())).has_value();
  };
  return isOfManyElements(gather.getResult()) && id::elementBytes(gather.getType().getElement()) >= leastTiledBytes &&
         llvm::any_of(
             gather->getUsers(),
             [&](Operation *user) { return isa<id::PointwiseOp>(user) && llvm::any_of(user->getUsers(), isNear); }) &&
         isNear(gather);
}

bool isShared(id::PointwiseOp step) { return !step->hasOneUse() || step.getOutputs().size() != 1; }

/// The number that a gather's body yields, written into a builder's block.
Value numberOf(OpBuilder &builder, id::GatherOp gather) {
  IRMapping place;
  for (Operation &op : gather.getBody().front().without_terminator())
    builder.clone(op, place);
  return place.lookup(gather.getBody().front().getTerminator()->getOperand(0));
}

/// Puts what a step or node makes behind moves of it, the last of which is a gather: `write` gives the element that the
/// gather's number says, made of its operands' `elements`, which `values` has for the arguments of its body.
void putBehind(ArrayRef<Operation *> moves, Operation *op, ArrayRef<Value> elements,
               llvm::function_ref<SmallVector<Value>(OpBuilder &, Value number, IRMapping &values)> write) {
  auto gather = cast<id::GatherOp>(moves.back());
  OpBuilder builder(gather);
  auto behind = id::PointwiseOp::create(builder, op->getLoc(), TypeRange(gather.getType()), elements);
  Block *body = id::createBody(builder, behind);
  OpBuilder inside = OpBuilder::atBlockEnd(body);
  IRMapping values;
  for (auto [own, argument] : llvm::zip(op->getRegion(0).getArguments(), body->getArguments()))
    values.map(own, argument);
  Value number = numberOf(inside, gather);
  id::YieldOp::create(inside, op->getLoc(), write(inside, number, values));
  eraseDead(*body); // what knows no digits names none
  gather.replaceAllUsesWith(behind.getOutputs()[0]);
  for (Operation *move : llvm::reverse(moves))
    move->erase();
  if (op->use_empty())
    op->erase();
  for (Value element : elements)
    passes::moveBehind(element.getDefiningOp<id::GatherOp>());
}

/// A step on several operands, or one that knows digits: they are those of the element that is taken. `moves`:
/// permutations of what a step makes that knows none, then the gather.
void ofSeveral(ArrayRef<Operation *> moves, id::PointwiseOp step) {
  auto gather = cast<id::GatherOp>(moves.back());
  OpBuilder builder(gather);
  SmallVector<Value> elements;
  for (Value input : step.getInputs())
    elements.push_back(moved(builder, moves, input));
  const auto radices = gather.getInput().getType().getRadices().take_front(gather.getLowest());
  const int64_t lowest = gather.getNewLowest();
  putBehind(moves, step, elements, [&](OpBuilder &inside, Value number, IRMapping &values) {
    id::cloneAt(inside, step.getLoc(), step.getBody(), radices, number, lowest, values);
    SmallVector<Value> yielded;
    for (Value value : step.getBody().front().getTerminator()->getOperands())
      yielded.push_back(values.lookupOrDefault(value));
    return yielded;
  });
}

/// A node that puts in a digit: of each operand the element, of what it makes of them the one that is taken.
void ofEach(id::GatherOp gather, id::NodeOp node) {
  const size_t digit = static_cast<size_t>(node.getDigits()[0]);
  const auto radices = gather.getInput().getType().getRadices();
  if (digit > gather.getLowest() || node.getInputs().size() > fewLoads || operationsOf(node) > fewOperations ||
      !llvm::all_of(node.getInputs(), isAtBeginning) || !gather.getBody().getOps<id::LookupOp>().empty())
    return;
  const Location loc = node.getLoc();
  const int64_t below = id::elementsOf(radices.take_front(digit - 1)), radix = radices[digit - 1];
  OpBuilder builder(gather);
  auto constant = [&](OpBuilder &inside, int64_t value) {
    return arith::ConstantOp::create(inside, loc, inside.getI64IntegerAttr(value)).getResult();
  };
  SmallVector<Value> elements;
  for (Value input : node.getInputs()) {
    auto element = id::GatherOp::create(builder, loc, withElement(gather.getType(), id::elementOf(input.getType())),
                                        input, gather.getLowest() - 1);
    OpBuilder inside = OpBuilder::atBlockEnd(&element.getBody().emplaceBlock());
    Value number = numberOf(inside, gather);
    Value above = arith::DivSIOp::create(inside, loc, number, constant(inside, below * radix));
    Value low = arith::RemSIOp::create(inside, loc, number, constant(inside, below));
    Value place =
        arith::AddIOp::create(inside, loc, arith::MulIOp::create(inside, loc, above, constant(inside, below)), low);
    id::YieldOp::create(inside, loc, place);
    elements.push_back(element);
  }
  const size_t leaves = id::leafTypes(id::elementOf(gather.getType())).size();
  putBehind(gather.getOperation(), node, elements, [&](OpBuilder &inside, Value number, IRMapping &values) {
    for (Operation &op : node.getBody().front().without_terminator())
      inside.clone(op, values);
    Value value = arith::RemSIOp::create(
        inside, loc, arith::DivSIOp::create(inside, loc, number, constant(inside, below)), constant(inside, radix));
    const ValueRange made = node.getBody().front().getTerminator()->getOperands();
    SmallVector<Value> chosen;
    for (Value leaf : made.take_front(leaves))
      chosen.push_back(values.lookupOrDefault(leaf));
    for (int64_t k = 1; k < radix; ++k) {
      Value isIt = arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::eq, value, constant(inside, k));
      for (auto [leaf, other] : llvm::zip(chosen, made.slice(static_cast<size_t>(k) * leaves, leaves)))
        leaf = arith::SelectOp::create(inside, loc, isIt, values.lookupOrDefault(other), leaf);
    }
    return chosen;
  });
}

} // namespace

bool passes::isFarGather(Operation *taker) {
  auto gather = dyn_cast<id::GatherOp>(taker);
  return gather && (gather.getInput().getDefiningOp<id::PermuteOp>() ||
                    !nearnessOf(gather, mostAtEnds(gather.getType().getElement())));
}

SmallVector<Operation *> passes::takersOf(Value value) {
  SmallVector<Operation *> takers;
  for (Operation *user : value.getUsers()) {
    if (auto permute = dyn_cast<id::PermuteOp>(user))
      llvm::append_range(takers, takersOf(permute.getResult()));
    else
      takers.push_back(user);
  }
  return takers;
}

bool passes::isTooMuch(Operation *step, int64_t before, int64_t after) {
  return after > 2 * before && operationsOf(step) > fewOperations / (after / before);
}

bool passes::knowsNumber(id::PointwiseOp step, ArrayRef<int32_t> radices) {
  return namesNoDigit(step) || id::dependsOnNumber(step.getBody(), radices);
}

bool passes::isMovable(id::PointwiseOp step) { return step.getInputs().size() == 1 && namesNoDigit(step); }

bool passes::canLeave(id::PointwiseOp step) { return !isShared(step) || isWorthRepeating(step); }

/// The same; values that are `known` have been asked about before, and the answer is no as soon as it is for one.
static bool isAtBeginning(Value value, DenseSet<Value> &known) {
  Operation *op = value.getDefiningOp();
  if (!op || !known.insert(value).second || isStored(value))
    return true;
  if (auto step = dyn_cast<id::PointwiseOp>(op);
      step && ((!isMovable(step) && !isOfManyElements(value)) || !canLeave(step)))
    return false;
  return (isa<id::PointwiseOp, id::PermuteOp, id::GatherOp, id::ResizeOp, id::RepeatOp>(op) ||
          (isOfManyElements(value) && isPuttingIn(op))) &&
         llvm::all_of(op->getOperands(), [&](Value operand) { return ::isAtBeginning(operand, known); });
}

bool passes::isAtBeginning(Value value) {
  DenseSet<Value> known;
  return ::isAtBeginning(value, known);
}

id::PointwiseOp passes::ownStep(OpBuilder &builder, id::PointwiseOp step, Value value) {
  if (!isShared(step))
    return step;
  auto own = id::PointwiseOp::create(builder, step.getLoc(), TypeRange(value.getType()), step.getInputs());
  IRMapping values;
  step.getBody().cloneInto(&own.getBody(), values);
  Operation *yield = own.getBody().front().getTerminator();
  yield->setOperands(SmallVector<Value>(leavesOf(yield->getOperands(), cast<OpResult>(value))));
  eraseDead(own.getBody().front());
  return own;
}

Value passes::moved(OpBuilder &builder, ArrayRef<Operation *> moves, Value value) {
  for (Operation *move : moves) {
    IRMapping with;
    with.map(move->getOperand(0), value);
    Operation *again = builder.clone(*move, with);
    again->getResult(0).setType(withElement(move->getResult(0).getType(), id::elementOf(value.getType())));
    value = again->getResult(0);
  }
  return value;
}

id::PointwiseOp passes::onInstead(OpBuilder &builder, id::PointwiseOp step, ArrayRef<Value> inputs) {
  IRMapping with;
  for (auto [own, input] : llvm::zip(step.getInputs(), inputs))
    with.map(own, input);
  auto again = cast<id::PointwiseOp>(builder.clone(*step, with));
  for (Value result : again.getOutputs())
    result.setType(withElement(inputs.front().getType(), id::elementOf(result.getType())));
  return again;
}

void passes::moveBehind(id::GatherOp gather) {
  SmallVector<Operation *> moves{gather}; // permutations, then the gather
  Value value = gather.getInput();
  for (; value.hasOneUse() && value.getDefiningOp<id::PermuteOp>(); value = moves.front()->getOperand(0))
    moves.insert(moves.begin(), value.getDefiningOp());
  Operation *op = value.getDefiningOp();
  if (!op || isTooMuch(op, gather.getInput().getType().getNumElements(), gather.getType().getNumElements()))
    return;
  if (moves.size() == 1 && isOfManyElements(value) && isPuttingIn(op))
    return ofEach(gather, cast<id::NodeOp>(op));
  auto step = dyn_cast<id::PointwiseOp>(op);
  if (!step || !canLeave(step) || !llvm::all_of(step.getInputs(), isAtBeginning))
    return;
  OpBuilder builder(gather);
  if (!isMovable(step)) {
    const auto radices = gather.getInput().getType().getRadices().take_front(gather.getLowest());
    // Bytes take more to load again, one by one, than their trip to memory.
    const bool isNarrow = id::elementBytes(id::elementOf(value.getType())) < leastTiledBytes;
    if ((moves.size() == 1 || (namesNoDigit(step) && !isNarrow)) && isOfManyElements(value) &&
        knowsNumber(step, radices) && hasNoRootsByDigits(step) && gather.getBody().getOps<id::LookupOp>().empty() &&
        !(isShared(step) && goesOnInTiles(gather)))
      ofSeveral(moves, ownStep(builder, step, value));
    return;
  }
  step = ownStep(builder, step, value);
  Value element = moved(builder, moves, step.getInputs()[0]);
  gather.replaceAllUsesWith(onInstead(builder, step, element).getOutputs()[0]);
  for (Operation *move : llvm::reverse(moves))
    move->erase();
  step.erase();
  moveBehind(element.getDefiningOp<id::GatherOp>());
}
