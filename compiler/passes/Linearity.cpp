// Evaluates a body on linear forms.
#include "compiler/passes/Linearity.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace idc;
using Scalar = std::complex<double>;

namespace {
/// constant + Σ coefficients[j] · argument j; a constant has no coefficients.
struct Form {
  Scalar constant = 0;
  std::vector<Scalar> coefficients;
  bool isConstant() const { return coefficients.empty(); }
};

class Evaluator {
public:
  explicit Evaluator(size_t numArguments) : n(numArguments) {}
  DenseMap<Value, Form> forms;

  Form argument(size_t j) const {
    Form f;
    f.coefficients.assign(n, 0);
    f.coefficients[j] = 1;
    return f;
  }
  Form add(const Form &a, const Form &b, double sign) const {
    Form r{a.constant + sign * b.constant, {}};
    if (!a.isConstant() || !b.isConstant()) {
      r.coefficients.assign(n, 0);
      for (size_t j = 0; j < n; ++j)
        r.coefficients[j] = (a.isConstant() ? 0 : a.coefficients[j]) + sign * (b.isConstant() ? 0 : b.coefficients[j]);
    }
    return r;
  }
  std::optional<Form> multiply(const Form &a, const Form &b) const {
    if (!a.isConstant() && !b.isConstant())
      return std::nullopt;
    const Form &form = a.isConstant() ? b : a;
    Scalar factor = a.isConstant() ? a.constant : b.constant;
    Form r{form.constant * factor, form.coefficients};
    for (Scalar &c : r.coefficients)
      c *= factor;
    return r;
  }

  std::optional<Form> evaluate(Operation &op) const {
    auto in = [&](unsigned i) -> const Form & { return forms.find(op.getOperand(i))->second; };
    for (Value operand : op.getOperands())
      if (!forms.contains(operand))
        return std::nullopt;
    if (isa<arith::AddFOp, complex::AddOp>(op))
      return add(in(0), in(1), 1);
    if (isa<arith::SubFOp, complex::SubOp>(op))
      return add(in(0), in(1), -1);
    if (isa<arith::NegFOp, complex::NegOp>(op))
      return add(Form{}, in(0), -1);
    if (isa<arith::MulFOp, complex::MulOp>(op))
      return multiply(in(0), in(1));
    if (isa<arith::DivFOp, complex::DivOp>(op) && in(1).isConstant() && in(1).constant != Scalar(0))
      return multiply(in(0), Form{Scalar(1) / in(1).constant, {}});
    if (isa<math::FmaOp>(op)) {
      std::optional<Form> product = multiply(in(0), in(1));
      return product ? std::optional<Form>(add(*product, in(2), 1)) : std::nullopt;
    }
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      if (auto value = dyn_cast<FloatAttr>(constant.getValue()))
        return Form{value.getValueAsDouble(), {}};
    if (auto constant = dyn_cast<complex::ConstantOp>(op))
      return Form{Scalar(cast<FloatAttr>(constant.getValue()[0]).getValueAsDouble(),
                         cast<FloatAttr>(constant.getValue()[1]).getValueAsDouble()),
                  {}};
    return std::nullopt;
  }

private:
  size_t n;
};
} // namespace

std::optional<passes::LinearMatrix> passes::linearMatrix(Region &body) {
  Block &block = body.front();
  Evaluator evaluator(block.getNumArguments());
  for (BlockArgument argument : block.getArguments())
    evaluator.forms[argument] = evaluator.argument(argument.getArgNumber());
  for (Operation &op : block.without_terminator()) {
    std::optional<Form> form = evaluator.evaluate(op);
    if (!form)
      return std::nullopt;
    evaluator.forms[op.getResult(0)] = *form;
  }
  LinearMatrix matrix;
  for (Value result : block.getTerminator()->getOperands()) {
    const Form &form = evaluator.forms[result];
    if (form.constant != Scalar(0))
      return std::nullopt;
    matrix.push_back(form.isConstant() ? std::vector<Scalar>(block.getNumArguments(), 0) : form.coefficients);
  }
  return matrix;
}
