#include "compiler/passes/Elementwise.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OperationSupport.h"
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
