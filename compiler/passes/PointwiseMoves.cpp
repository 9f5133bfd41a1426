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

int64_t operationsOf(Operation *step) {
  int64_t count = 0;
  step->walk([&](Operation *) { ++count; });
  return count - 1; // without itself
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

/// What it takes to make an element of a value that nothing but steps on each element alone makes of arguments.
struct Making {
  int64_t operations = 0, loads = 0;

  /// Adds that of a value; false where something else makes it, or it is more than few.
  bool add(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op)
      return ++loads <= fewLoads;
    auto step = dyn_cast<id::PointwiseOp>(op);
    if (!step && !isa<id::PermuteOp, id::GatherOp, id::ResizeOp, id::RepeatOp>(op) && !isPuttingIn(op))
      return false;
    operations += operationsOf(op);
    return operations <= fewOperations && llvm::all_of(op->getOperands(), [&](Value each) { return add(each); });
  }
  static constexpr int64_t fewLoads = 3; // no more than storing an element and loading it twice
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
  Making making;
  if (!isOfManyElements(step.getOutputs()[0]) || !making.add(step.getOutputs()[0]))
    return false;
  int64_t operations = 0; // for all of them
  for (OpResult result : step->getResults())
    operations += operationsOf(step, result) * llvm::range_size(result.getUses());
  return operations <= fewOperations;
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

/// Puts what a step or node makes behind a gather of it: `write` gives the element that the gather's number says, made
/// of its operands' `elements`, which `values` has for the arguments of its body.
void putBehind(id::GatherOp gather, Operation *op, ArrayRef<Value> elements,
               llvm::function_ref<SmallVector<Value>(OpBuilder &, Value number, IRMapping &values)> write) {
  OpBuilder builder(gather);
  auto behind = id::PointwiseOp::create(builder, op->getLoc(), TypeRange(gather.getType()), elements);
  Block *body = id::createBody(builder, behind);
  OpBuilder inside = OpBuilder::atBlockEnd(body);
  IRMapping values;
  for (auto [own, argument] : llvm::zip(op->getRegion(0).getArguments(), body->getArguments()))
    values.map(own, argument);
  Value number = numberOf(inside, gather);
  id::YieldOp::create(inside, op->getLoc(), write(inside, number, values));
  gather.replaceAllUsesWith(behind.getOutputs()[0]);
  gather.erase();
  if (op->use_empty())
    op->erase();
  for (Value element : elements)
    passes::moveBehind(element.getDefiningOp<id::GatherOp>());
}

/// A step on several operands, or one that knows digits: they are those of the element that is taken.
void ofSeveral(id::GatherOp gather, id::PointwiseOp step) {
  OpBuilder builder(gather);
  SmallVector<Value> elements;
  for (Value input : step.getInputs())
    elements.push_back(moved(builder, gather.getOperation(), input));
  const auto radices = gather.getInput().getType().getRadices().take_front(gather.getLowest());
  const int64_t lowest = gather.getNewLowest();
  putBehind(gather, step, elements, [&](OpBuilder &inside, Value number, IRMapping &values) {
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
  if (digit > gather.getLowest() || node.getInputs().size() > Making::fewLoads || operationsOf(node) > fewOperations ||
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
  putBehind(gather, node, elements, [&](OpBuilder &inside, Value number, IRMapping &values) {
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

bool passes::isTooMuch(Operation *step, int64_t before, int64_t after) {
  return after > 2 * before && operationsOf(step) > fewOperations / (after / before);
}

bool passes::knowsNumber(id::PointwiseOp step, ArrayRef<int32_t> radices) {
  return namesNoDigit(step) || id::dependsOnNumber(step.getBody(), radices);
}

bool passes::isMovable(id::PointwiseOp step) { return step.getInputs().size() == 1 && namesNoDigit(step); }

bool passes::canLeave(id::PointwiseOp step) { return !isShared(step) || isWorthRepeating(step); }

bool passes::isAtBeginning(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return true;
  if (auto step = dyn_cast<id::PointwiseOp>(op);
      step && ((!isMovable(step) && !isOfManyElements(value)) || !canLeave(step)))
    return false;
  return (isa<id::PointwiseOp, id::PermuteOp, id::GatherOp, id::ResizeOp, id::RepeatOp>(op) ||
          (isOfManyElements(value) && isPuttingIn(op))) &&
         llvm::all_of(op->getOperands(), isAtBeginning);
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
    if (moves.size() == 1 && isOfManyElements(value) && knowsNumber(step, radices) && hasNoRootsByDigits(step) &&
        gather.getBody().getOps<id::LookupOp>().empty() && !(isShared(step) && goesOnInTiles(gather)))
      ofSeveral(gather, ownStep(builder, step, value));
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
