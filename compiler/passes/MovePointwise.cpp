// Input: the algebra. Output: the same program; what is done to each element alone stands where a kernel holds the
// elements anyway: before a crop at the program's end, behind a gather at its beginning.
//
// A crop of what is stored, and a gather of what is loaded, are addresses. With a step between them and the end, or the
// beginning, each would be a sequence in memory, or an exchange.
//
//   %1 = id.resize %0 lowest n : <2**n> -> <N>            %1 = id.pointwise(%0) f
//   %2 = id.pointwise(%1) f;  return %2             ->    %2 = id.resize %1 lowest n : <2**n> -> <N>
//
//   %0 = id.pointwise(%x) f                               %0 = id.gather %x from { … }
//   %1 = id.gather %0 from { … }                    ->    %1 = id.pointwise(%0) f
//
// So a step comes behind a pad to digits that are not those there were and more: what a thread holds of both is the
// same then. And between a gather and a scatter, or a scatter and a gather, of the same numbers, which undo each other:
//
//   %0 = id.gather %x from { … };  %1 = id.pointwise(%0) f
//   %2 = id.scatter %1 to { … }                     ->    %2 = id.pointwise(%x) f
//
// A gather passes steps of one operand whose bodies know no digits; one of more elements than a block holds, which
// would be a trip to memory, passes others, too, as the parts of one sequence behind the other, and nodes that put
// in a digit, where its numbers are no table's. The body works on more elements then: at most twice as
// many as are kept, or so many that operations are nothing beside a trip to memory. So does a step whose value others
// take, too: of so many elements it is done again for each of them, else it stays.
#include "compiler/passes/PointwiseMoves.h"
#include "compiler/passes/Steps.h"

#include "id/IndexCode.h"
#include "id/LinearForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_MOVEPOINTWISE
#include "compiler/passes/Passes.h.inc"

namespace {

/// True where the numbers of a body have values for elements that there were none of, too.
bool isSafeAnywhere(id::PointwiseOp step) {
  return llvm::none_of(step.getBody().front(), [](Operation &op) {
    return isa<id::LookupOp>(op) || (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op) &&
                                     !matchPattern(op.getOperand(1), m_Constant()));
  });
}

/// The ops that only steps on each element alone, permutations and crops lie behind, and themselves such or the return.
DenseSet<Operation *> opsAtEnd(Block &body) {
  DenseSet<Operation *> found;
  for (Operation &op : llvm::reverse(body)) {
    auto resize = dyn_cast<id::ResizeOp>(op);
    const bool isLast = isa<func::ReturnOp, id::PointwiseOp, id::PermuteOp>(op) || (resize && !resize.pads());
    if (isLast && llvm::all_of(op.getUsers(), [&](Operation *user) { return found.contains(user); }))
      found.insert(&op);
  }
  return found;
}

/// The same, where their lowest digits count the elements that those of the radices `before` counted.
id::PointwiseOp renumbered(OpBuilder &builder, id::PointwiseOp step, ArrayRef<Value> inputs, ArrayRef<int32_t> before,
                           ArrayRef<int32_t> after) {
  id::PointwiseOp again = onInstead(builder, step, inputs);
  if (!namesNoDigit(step))
    id::renumber(again.getBody(), before, after);
  return again;
}

/// True for a number that is zero where all arguments of its body are.
bool isZero(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || matchPattern(value, m_PosZeroFloat()) || matchPattern(value, m_Zero()))
    return true;
  if (auto constant = dyn_cast<complex::ConstantOp>(op))
    return llvm::all_of(constant.getValue(),
                        [](Attribute part) { return cast<FloatAttr>(part).getValue().isPosZero(); });
  return isa<complex::CreateOp, complex::ReOp, complex::ImOp, arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp,
             arith::UIToFPOp, arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp, arith::AddFOp, arith::AddIOp>(op) &&
         llvm::all_of(op->getOperands(), isZero);
}

struct MovePointwise : impl::MovePointwiseBase<MovePointwise> {
  void runOnOperation() override {
    Block &body = getOperation().getBody().front();
    const DenseSet<Operation *> atEnd = opsAtEnd(body);
    // Of several steps in a row the first passes a crop first; the last one a gather.
    for (id::PointwiseOp step : llvm::to_vector(body.getOps<id::PointwiseOp>()))
      if (atEnd.contains(step) && step.getInputs().size() == 1)
        beforeCrop(step);
    for (id::ScatterOp scatter : llvm::to_vector(body.getOps<id::ScatterOp>()))
      withoutMoves<id::GatherOp>(scatter);
    repeatPermutes(body);
    for (id::GatherOp gather : llvm::to_vector(body.getOps<id::GatherOp>()))
      if (!withoutMoves<id::ScatterOp>(gather) && !becomesResize(gather))
        moveBehind(gather);
    for (id::ResizeOp resize : llvm::to_vector(body.getOps<id::ResizeOp>()))
      if (resize.pads())
        behindPad(resize);
  }

private:
  static void beforeCrop(id::PointwiseOp step) {
    SmallVector<Operation *> moves; // the crop, then permutations
    for (Value value = step.getInputs()[0]; value.hasOneUse() && value.getDefiningOp();) {
      Operation *op = value.getDefiningOp();
      moves.insert(moves.begin(), op);
      value = op->getOperand(0);
      if (isa<id::ResizeOp>(op))
        break;
      if (!isa<id::PermuteOp>(op))
        return;
    }
    auto crop = moves.empty() ? id::ResizeOp() : dyn_cast<id::ResizeOp>(moves.front());
    if (!crop || crop.pads() || crop.getOldLength() == crop.getNewLength() ||
        isTooMuch(step, crop.getNewLength(), crop.getOldLength()) || !crop.getInput().getDefiningOp() ||
        (!namesNoDigit(step) && (moves.size() > 1 || !isSafeAnywhere(step))) ||
        !knowsNumber(step, crop.getType().getRadices().take_front(crop.getNewLowest())))
      return;
    OpBuilder builder(step);
    id::PointwiseOp before =
        renumbered(builder, step, crop.getInput(), crop.getType().getRadices().take_front(crop.getNewLowest()),
                   crop.getInput().getType().getRadices().take_front(crop.getLowest()));
    for (auto [result, made] : llvm::zip(step.getOutputs(), before.getOutputs()))
      result.replaceAllUsesWith(moved(builder, moves, made));
    step.erase();
    for (Operation *move : llvm::reverse(moves))
      move->erase();
  }

  /// One permutation for each gather of permuted elements, behind which steps come as behind others: of equal ones that
  /// stay there is one again.
  static void repeatPermutes(Block &body) {
    OpBuilder builder(body.getParentOp());
    for (id::PermuteOp permute : llvm::to_vector(llvm::reverse(body.getOps<id::PermuteOp>()))) {
      if (permute->hasOneUse() || permute.getType().getNumElements() <= beyondBlock ||
          llvm::none_of(permute->getUsers(), [](Operation *user) { return isa<id::GatherOp>(user); }))
        continue;
      builder.setInsertionPointAfter(permute);
      for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(permute->getUses())))
        use.set(builder.clone(*permute)->getResult(0));
    }
  }

  /// Takes away what undoes an `Undone`, and that, where only steps on each element alone stand between; false where it
  /// does not.
  template <class Undone, class Op> static bool withoutMoves(Op op) {
    SmallVector<id::PointwiseOp> steps; // the last one first
    Value value = op.getInput();
    auto step = value.getDefiningOp<id::PointwiseOp>();
    for (; step && value.hasOneUse() && step.getOutputs().size() == 1 && isMovable(step);
         step = value.getDefiningOp<id::PointwiseOp>()) {
      steps.push_back(step);
      value = step.getInputs()[0];
    }
    auto undone = value.getDefiningOp<Undone>();
    if (steps.empty() || !undone || !value.hasOneUse())
      return false;
    // A gather is by the digits of its result, a scatter by those of what it sends.
    const bool byBetween = std::is_same_v<Undone, id::GatherOp>;
    const auto outerLowest = static_cast<int64_t>(undone.getLowest()),
               innerLowest = static_cast<int64_t>(op.getLowest());
    const ArrayRef<int32_t> digits = id::radicesOf(byBetween ? value.getType() : op.getType());
    if (id::radicesOf(undone.getInput().getType()) != id::radicesOf(op.getType()) ||
        undone.getNewLowest() != innerLowest || op.getNewLowest() != outerLowest ||
        !id::yieldAlike(op.getBody(), undone.getBody(),
                        digits.take_front(static_cast<size_t>(byBetween ? innerLowest : outerLowest)),
                        static_cast<int>(digits.size())))
      return false;
    OpBuilder builder(op);
    Value made = undone.getInput();
    for (id::PointwiseOp each : llvm::reverse(steps))
      made = onInstead(builder, each, made).getOutputs()[0];
    op.replaceAllUsesWith(made);
    op.erase();
    for (id::PointwiseOp each : steps)
      each.erase();
    undone.erase();
    return true;
  }

  /// Makes a gather of all elements in order a change of their digits; false where it is none.
  static bool becomesResize(id::GatherOp gather) {
    const auto digits = gather.getType().getRadices().take_front(gather.getNewLowest());
    const int64_t length = id::elementsOf(gather.getInput().getType().getRadices().take_front(gather.getLowest()));
    const std::optional<id::AffineNumbers> map = id::affineBody(gather.getBody(), digits, length);
    if (!map || map->factor != 1 || map->offset != 0 || id::elementsOf(digits) != length)
      return false;
    OpBuilder builder(gather);
    auto resize =
        id::ResizeOp::create(builder, gather.getLoc(), gather.getType(), gather.getInput(), gather.getLowest());
    gather.replaceAllUsesWith(resize.getResult());
    gather.erase();
    return true;
  }

  /// Lets a step at the beginning come behind a pad, whose values stay what they are.
  static void behindPad(id::ResizeOp pad) {
    auto step = pad.getInput().getDefiningOp<id::PointwiseOp>();
    const auto before = pad.getInput().getType().getRadices().take_front(pad.getLowest()),
               after = pad.getType().getRadices().take_front(pad.getNewLowest());
    const bool keepsDigits = after.size() >= before.size() && after.take_front(before.size()) == before;
    if (!step || !canLeave(step) || keepsDigits || !llvm::all_of(step.getInputs(), isAtBeginning) ||
        !knowsNumber(step, before) || (!namesNoDigit(step) && !isSafeAnywhere(step)) ||
        isTooMuch(step, pad.getOldLength(), pad.getNewLength()))
      return;
    OpBuilder builder(pad);
    step = ownStep(builder, step, pad.getInput());
    const Location loc = step.getLoc();
    SmallVector<Value> elements;
    for (Value input : step.getInputs()) {
      const Type element = id::elementOf(input.getType());
      auto longer = resizeByZeros(builder, loc, withElement(pad.getType(), element), input,
                                  static_cast<int64_t>(pad.getLowest()));
      elements.push_back(longer);
    }
    id::PointwiseOp behind = renumbered(builder, step, elements, before, after);
    Operation *yield = behind.getBody().front().getTerminator();
    Block &fill = pad.getBody().front();
    if (!llvm::all_of(yield->getOperands(), isZero) || !llvm::all_of(fill.getTerminator()->getOperands(), isZero)) {
      OpBuilder inside(yield);
      Value length = arith::ConstantOp::create(inside, loc, inside.getI64IntegerAttr(pad.getOldLength()));
      Value own =
          arith::CmpIOp::create(inside, loc, arith::CmpIPredicate::ult, id::numberOfLowest(inside, loc, after), length);
      IRMapping filled;
      for (Operation &op : fill.without_terminator())
        inside.clone(op, filled);
      for (auto [value, other] : llvm::zip(yield->getOpOperands(), fill.getTerminator()->getOperands()))
        value.set(arith::SelectOp::create(inside, loc, own, value.get(), filled.lookupOrDefault(other)));
    }
    pad.replaceAllUsesWith(behind.getOutputs()[0]);
    pad.erase();
    step.erase();
    for (Value each : elements)
      behindPad(each.getDefiningOp<id::ResizeOp>());
  }
};

} // namespace
} // namespace idc::passes
