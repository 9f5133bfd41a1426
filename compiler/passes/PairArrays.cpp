// Input: steps. Output: arguments and results of the function are complex where steps next to them see them so.
//
// A node that makes one complex number of two neighbours moves nothing: they lie in memory as it does. So an argument
// of which all steps take such numbers is an array of these, and so is a result that is taken apart last.
//
//   func @f(%x: seq<2 * 2 * 2, f32>) { %0 = id.node [1] (%x) { ^(%a, %b): complex.create %a, %b } … }
//   func @f(%x: seq<2 * 2, complex<f32>> {id.array = !id.seq<2 * 2 * 2, f32>}) { … }
//
// What callers pass has not changed, and `id.array` says what it is. Arrays with a layout stay: theirs counts elements.
// So do records, of which loads take fields one by one.
#include "compiler/passes/Passes.h"

#include "id/ArrayType.h"
#include "id/ConstantData.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_PAIRARRAYS
#include "compiler/passes/Passes.h.inc"

namespace {

/// True for a node on the lowest digit alone, two numbers of which are one in the other value.
bool isOfPairs(id::NodeOp node, Value apart, Value together) {
  auto complex = dyn_cast<ComplexType>(id::elementOf(together.getType()));
  return complex && node.getDigits() == ArrayRef<int64_t>{1} && node.getArity() == 2 && node.isArray(apart) &&
         !node.isArray(together) && id::elementOf(apart.getType()) == complex.getElementType();
}

bool isUnary(id::NodeOp node) { return node.getInputs().size() == 1 && node.getOutputs().size() == 1; }

/// True for a node that makes complex numbers of neighbours.
bool putsTogether(id::NodeOp node) {
  if (!isUnary(node) || !isOfPairs(node, node.getInputs()[0], node.getOutputs()[0]))
    return false;
  Block &body = node.getBody().front();
  auto complex = body.getTerminator()->getOperand(0).getDefiningOp<complex::CreateOp>();
  return complex && llvm::equal(complex->getOperands(), body.getArguments());
}

/// True for a node that makes neighbours of complex numbers.
bool takesApart(id::NodeOp node) {
  if (!isUnary(node) || !isOfPairs(node, node.getOutputs()[0], node.getInputs()[0]))
    return false;
  Block &body = node.getBody().front();
  auto real = body.getTerminator()->getOperand(0).getDefiningOp<complex::ReOp>();
  auto imaginary = body.getTerminator()->getOperand(1).getDefiningOp<complex::ImOp>();
  return real && imaginary && real.getComplex() == body.getArgument(0) && imaginary.getComplex() == body.getArgument(0);
}

struct PairArrays : impl::PairArraysBase<PairArrays> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    Block &body = function.getBody().front();
    for (BlockArgument argument : body.getArguments())
      takeArgument(argument);
    for (OpOperand &result : body.getTerminator()->getOpOperands())
      takeResult(result);
    function.setFunctionType(
        FunctionType::get(&getContext(), body.getArgumentTypes(), body.getTerminator()->getOperandTypes()));
  }

private:
  void takeArgument(BlockArgument argument) {
    func::FuncOp function = getOperation();
    const unsigned number = argument.getArgNumber();
    Type together;
    auto isAlike = [&](Operation *user) {
      auto node = dyn_cast<id::NodeOp>(user);
      if (!node || !putsTogether(node) || (together && together != node.getOutputs()[0].getType()))
        return false;
      together = node.getOutputs()[0].getType();
      return true;
    };
    if (function.getArgAttr(number, id::layoutAttr) || function.getArgAttr(number, id::dataAttr) ||
        !llvm::all_of(argument.getUsers(), isAlike) || !together)
      return;
    function.setArgAttr(number, id::arrayAttr, TypeAttr::get(id::argumentArray(function, number)));
    argument.setType(together);
    for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
      user->getResult(0).replaceAllUsesWith(argument);
      user->erase();
    }
  }

  void takeResult(OpOperand &result) {
    func::FuncOp function = getOperation();
    const unsigned number = result.getOperandNumber();
    auto node = result.get().getDefiningOp<id::NodeOp>();
    if (!node || !node->hasOneUse() || !takesApart(node) || function.getResultAttr(number, id::layoutAttr))
      return;
    function.setResultAttr(number, id::arrayAttr, TypeAttr::get(id::resultArray(function, number)));
    result.set(node.getInputs()[0]);
    node.erase();
  }
};

} // namespace
} // namespace idc::passes
