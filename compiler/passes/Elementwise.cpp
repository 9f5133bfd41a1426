#include "compiler/passes/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;

bool passes::isAlike(Operation *a, Operation *b) {
  return a->getName() == b->getName() && a->getNumOperands() == b->getNumOperands() &&
         a->getResultTypes() == b->getResultTypes() && a->getOperandTypes() == b->getOperandTypes() &&
         a->getAttrDictionary() == b->getAttrDictionary() &&
         llvm::all_of(llvm::zip(a->getRegions(), b->getRegions()), [](auto regions) {
           return OperationEquivalence::isRegionEquivalentTo(&std::get<0>(regions), &std::get<1>(regions),
                                                             OperationEquivalence::IgnoreLocations);
         });
}

bool passes::namesNoDigit(id::PointwiseOp step) {
  return !step.getBody()
              .walk([](Operation *op) {
                auto omega = dyn_cast<id::OmegaOp>(op);
                const bool names = isa<id::DigitOp>(op) || (omega && !omega.getExponent().getPolynomial().isConstant());
                return names ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

bool passes::hasNoRootsByDigits(id::PointwiseOp step) {
  return llvm::none_of(step.getBody().getOps<id::OmegaOp>(),
                       [](id::OmegaOp omega) { return !omega.getExponent().getPolynomial().isConstant(); });
}

static bool isOfDigits(Value value) {
  return value.getDefiningOp() && llvm::all_of(value.getDefiningOp()->getOperands(), isOfDigits);
}

/// True for an argument, or what is chosen among arguments: leaf `leaf` of the element, of so many `leaves`, of which
/// `first` is leaf 0.
static bool isChoice(Value value, Value first, int leaf, int leaves) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto other = dyn_cast<BlockArgument>(first);
    return other && static_cast<int>(other.getArgNumber()) % leaves == 0 &&
           static_cast<int>(argument.getArgNumber()) == static_cast<int>(other.getArgNumber()) + leaf;
  }
  auto select = value.getDefiningOp<arith::SelectOp>(), other = first.getDefiningOp<arith::SelectOp>();
  return select && other && select.getCondition() == other.getCondition() && isOfDigits(select.getCondition()) &&
         isChoice(select.getTrueValue(), other.getTrueValue(), leaf, leaves) &&
         isChoice(select.getFalseValue(), other.getFalseValue(), leaf, leaves);
}

bool passes::choosesElements(Region &body, int leaves) {
  const ValueRange yielded = body.front().getTerminator()->getOperands();
  for (auto [number, value] : llvm::enumerate(yielded)) {
    const int leaf = static_cast<int>(number) % leaves;
    if (!isChoice(value, yielded[number - static_cast<size_t>(leaf)], leaf, leaves))
      return false;
  }
  return true;
}

void passes::cloneChoice(OpBuilder &builder, Region &body, IRMapping &values) {
  for (Operation &op : body.front().without_terminator()) {
    if (values.contains(op.getResult(0)))
      continue;
    auto select = dyn_cast<arith::SelectOp>(op);
    if (!select) {
      builder.clone(op, values);
      continue;
    }
    Value chosen = arith::SelectOp::create(builder, op.getLoc(), values.lookup(select.getCondition()),
                                           values.lookup(select.getTrueValue()), values.lookup(select.getFalseValue()));
    values.map(select.getResult(), chosen);
  }
}

void passes::eraseDead(Block &body) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

OpOperand *passes::returnedAs(Value value) {
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    auto step = dyn_cast<id::PointwiseOp>(use.getOwner());
    if (!step)
      return isa<func::ReturnOp>(use.getOwner()) ? &use : nullptr;
    if (step->getNumOperands() != 1 || step->getNumResults() != 1 || !namesNoDigit(step))
      return nullptr;
    value = step->getResult(0);
  }
  return nullptr;
}

id::SeqType passes::withElement(Type sequence, Type element) {
  return id::SeqType::get(sequence.getContext(), id::radicesOf(sequence), element);
}
