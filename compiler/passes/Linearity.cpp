// Follows through a body which values are constants and which are sums of arguments times constants.
#include "compiler/passes/Linearity.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

using namespace mlir;
using namespace idc;

namespace {
/// What is known of a value. Zero is a constant and linear.
enum class Form { Zero, Constant, Linear };
} // namespace

static std::optional<Form> sum(Form a, Form b) {
  if (a == Form::Zero)
    return b;
  if (b == Form::Zero || a == b)
    return a;
  return std::nullopt; // not through the origin
}

static std::optional<Form> product(Form a, Form b) {
  if (a == Form::Zero || b == Form::Zero)
    return Form::Zero;
  if (a == Form::Constant)
    return b;
  return b == Form::Constant ? std::optional<Form>(a) : std::nullopt;
}

/// The form of a constant, nothing when the op is none of the field's.
static std::optional<Form> constantForm(Operation &op) {
  auto form = [](bool isZero) { return isZero ? Form::Zero : Form::Constant; };
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    if (auto value = dyn_cast<FloatAttr>(constant.getValue()))
      return form(value.getValue().isZero());
  if (auto constant = dyn_cast<complex::ConstantOp>(op))
    return form(cast<FloatAttr>(constant.getValue()[0]).getValue().isZero() &&
                cast<FloatAttr>(constant.getValue()[1]).getValue().isZero());
  if (auto constant = dyn_cast<id::ModConstantOp>(op))
    return form(constant.getValue() == 0);
  if (auto omega = dyn_cast<id::OmegaOp>(op))
    if (!omega.getDynamic() && omega.getExponent().getPolynomial().isConstant())
      return Form::Constant;
  return std::nullopt;
}

static std::optional<Form> evaluate(Operation &op, const DenseMap<Value, Form> &forms) {
  for (Value operand : op.getOperands())
    if (!forms.contains(operand))
      return std::nullopt;
  auto in = [&](unsigned i) { return forms.lookup(op.getOperand(i)); };
  if (isa<arith::AddFOp, complex::AddOp, id::ModAddOp, arith::SubFOp, complex::SubOp, id::ModSubOp>(op))
    return sum(in(0), in(1));
  if (isa<arith::NegFOp, complex::NegOp>(op))
    return in(0);
  if (isa<arith::MulFOp, complex::MulOp, id::ModMulOp>(op))
    return product(in(0), in(1));
  if (isa<arith::DivFOp, complex::DivOp>(op) && in(1) == Form::Constant)
    return in(0);
  if (isa<math::FmaOp>(op)) {
    std::optional<Form> term = product(in(0), in(1));
    return term ? sum(*term, in(2)) : std::nullopt;
  }
  return constantForm(op);
}

bool passes::isLinear(Region &body) {
  Block &block = body.front();
  DenseMap<Value, Form> forms;
  for (BlockArgument argument : block.getArguments())
    forms[argument] = Form::Linear;
  for (Operation &op : block.without_terminator()) {
    std::optional<Form> form = evaluate(op, forms);
    if (!form)
      return false;
    forms[op.getResult(0)] = *form;
  }
  return llvm::all_of(block.getTerminator()->getOperands(),
                      [&](Value result) { return forms.lookup(result) != Form::Constant; });
}
