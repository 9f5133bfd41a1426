// Input: the algebra. Output: the same program, where arrays in host memory are the beginnings of sequences with digits
// that can number chunks.
//
// The N/2 + 1 results of a real transform have no digit that numbers chunks; the N that they are the beginning of have.
// As chunks are copied, what is behind the end of an array is not: so it costs nothing.
//
//   %y = id.resize %z lowest n : <2**n> -> <N>      ->   return %z : <2**n>, id.array = <N>
//   %x: <N>, id.resize %x lowest 1 : <N> -> <2**n>  ->   %x: <2**n>, id.array = <N>, and a pointwise step, which puts
//                                                        what the resize does behind the end
//
// Only whole sequences, which begin with the array, and which are not more than twice as long: chunks have room for
// what is not there. Nothing else reads a result that is shorter in memory than its value. Without `id.memory`, or with
// `id.as_given`, arrays are what the program says.
#include "compiler/passes/Passes.h"

#include "id/ArrayType.h"
#include "id/Chunks.h"
#include "id/ConstantData.h"
#include "id/IndexCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_LENGTHENARRAYS
#include "compiler/passes/Passes.h.inc"

namespace {

/// Whether all digits of the resize's input become others, of a part and a whole that is not much longer.
bool isOfWhole(id::ResizeOp resize, id::SeqType part, id::SeqType whole) {
  return static_cast<int>(resize.getLowest()) == resize.getInput().getType().getNumDigits() &&
         part.getNumElements() < whole.getNumElements() && whole.getNumElements() <= 2 * part.getNumElements();
}

struct LengthenArrays : impl::LengthenArraysBase<LengthenArrays> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (!id::memoryOf(function) || function->hasAttr(id::asGivenAttr))
      return;
    Block &body = function.getBody().front();
    for (BlockArgument argument : body.getArguments())
      if (!function.getArgAttr(argument.getArgNumber(), id::dataAttr))
        lengthenArgument(argument);
    for (OpOperand &result : body.getTerminator()->getOpOperands())
      lengthenResult(result);
    function.setFunctionType(
        FunctionType::get(&getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
  }

private:
  void lengthenArgument(BlockArgument argument) {
    Type longer;
    for (Operation *user : argument.getUsers()) {
      auto resize = dyn_cast<id::ResizeOp>(user);
      if (!resize || !isOfWhole(resize, resize.getInput().getType(), resize.getType()) ||
          (longer && longer != resize.getType()))
        return;
      longer = resize.getType();
    }
    if (!longer)
      return;
    const auto array = cast<id::SeqType>(argument.getType());
    getOperation().setArgAttr(argument.getArgNumber(), id::arrayAttr, TypeAttr::get(array));
    argument.setType(longer);
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
      user->getResult(0).replaceAllUsesWith(withElse(cast<id::ResizeOp>(user), argument, array.getNumElements()));
      user->erase();
    }
  }

  /// The elements of `value` before `end`, and behind them what the resize puts there.
  Value withElse(id::ResizeOp resize, Value value, int64_t end) {
    const Location loc = resize.getLoc();
    OpBuilder builder(resize);
    auto step = id::PointwiseOp::create(builder, loc, TypeRange{value.getType()}, ValueRange{value});
    Block *body = id::createBody(builder, step);
    Value number = id::numberOfLowest(builder, loc, id::radicesOf(value.getType()));
    Value isThere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, number,
                                          arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(end)));
    IRMapping values;
    Block &others = resize.getBody().front();
    for (Operation &op : others.without_terminator())
      builder.clone(op, values);
    SmallVector<Value> element;
    for (auto [leaf, other] : llvm::zip(body->getArguments(), others.getTerminator()->getOperands()))
      element.push_back(arith::SelectOp::create(builder, loc, isThere, leaf, values.lookup(other)));
    id::YieldOp::create(builder, loc, element);
    return step->getResult(0);
  }

  void lengthenResult(OpOperand &result) {
    auto resize = result.get().getDefiningOp<id::ResizeOp>();
    if (!resize || !resize->hasOneUse() || !resize.getInput().hasOneUse() ||
        !isOfWhole(resize, resize.getType(), resize.getInput().getType()))
      return;
    getOperation().setResultAttr(result.getOperandNumber(), id::arrayAttr, TypeAttr::get(resize.getType()));
    result.set(resize.getInput());
    resize->erase();
  }
};

} // namespace
} // namespace idc::passes
