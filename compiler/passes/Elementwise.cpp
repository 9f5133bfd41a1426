#include "compiler/passes/Elementwise.h"

using namespace mlir;
using namespace idc;

bool passes::namesNoDigit(id::PointwiseOp step) {
  return !step.getBody()
              .walk([](Operation *op) {
                auto omega = dyn_cast<id::OmegaOp>(op);
                const bool names = isa<id::DigitOp>(op) || (omega && !omega.getExponent().getPolynomial().isConstant());
                return names ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

id::SeqType passes::withElement(Type sequence, Type element) {
  return id::SeqType::get(sequence.getContext(), id::radicesOf(sequence), element);
}
