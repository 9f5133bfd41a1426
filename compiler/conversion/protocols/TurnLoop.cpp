#include "compiler/conversion/protocols/TurnLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

Value TurnLoop::begin(int64_t turns) {
  if (loop)
    b.setInsertionPointAfter(loop);
  auto constant = [&](int64_t value) -> Value { return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); };
  auto next = scf::ForOp::create(b, loc, constant(0), constant(turns), constant(1));
  loop = next;
  b.setInsertionPointToStart(next.getBody());
  return next.getInductionVar();
}
