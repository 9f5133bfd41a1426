#include "compiler/conversion/LinearBody.h"

#include "compiler/conversion/RootOfUnity.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

namespace {

/// A real number as a sum of multiples of the arguments' numbers.
using Sum = std::vector<double>;

/// A real or complex value: a constant, or sums for its parts.
struct Number {
  std::optional<std::complex<double>> constant;
  Sum re, im;
};

class Reader {
public:
  std::optional<LinearBody> read(Region &region) {
    Block &block = region.front();
    Type scalar;
    auto isNumber = [&](Type type) {
      auto complex = dyn_cast<ComplexType>(type);
      Type part = complex ? complex.getElementType() : type;
      if (!scalar)
        scalar = part;
      return isa<FloatType>(part) && part == scalar;
    };
    auto parts = [](Type type) { return isa<ComplexType>(type) ? 2 : 1; };
    for (Type type : block.getArgumentTypes()) {
      if (!isNumber(type))
        return std::nullopt;
      inputs += parts(type);
    }
    size_t next = 0;
    auto input = [&] {
      Sum sum(inputs);
      sum[next++] = 1;
      return sum;
    };
    for (BlockArgument argument : block.getArguments()) {
      Number &number = numbers[argument];
      number.re = input();
      if (parts(argument.getType()) == 2)
        number.im = input();
    }
    for (Operation &op : block.without_terminator()) {
      if (op.getNumResults() != 1 || !isNumber(op.getResult(0).getType()) ||
          !llvm::all_of(op.getOperands(), [&](Value operand) { return numbers.contains(operand); }))
        return std::nullopt;
      std::optional<Number> number = evaluate(op);
      if (!number || cancels)
        return std::nullopt;
      numbers[op.getResult(0)] = *number;
    }
    for (Value value : block.getTerminator()->getOperands()) {
      auto found = numbers.find(value);
      if (found == numbers.end() || found->second.constant)
        return std::nullopt;
      body.rows.push_back(found->second.re);
      if (parts(value.getType()) == 2)
        body.rows.push_back(found->second.im);
    }
    return body;
  }

private:
  size_t inputs = 0;
  DenseMap<Value, Number> numbers;
  LinearBody body;
  bool cancels = false;

  static Number constant(std::complex<double> c) { return {c, {}, {}}; }

  /// x·sum + y·other
  Sum combine(double x, const Sum &sum, double y, const Sum &other) {
    Sum result(inputs);
    for (size_t i = 0; i < inputs; ++i) {
      double left = x * sum[i], right = y * other[i];
      result[i] = left + right;
      cancels |= left * right < 0 && std::fabs(result[i]) < 1e-9 * std::fabs(left);
    }
    return result;
  }
  Sum scaled(double x, const Sum &sum) {
    Sum result = sum;
    for (double &coefficient : result)
      coefficient *= x;
    return result;
  }

  std::optional<Number> evaluate(Operation &op) {
    auto in = [&](unsigned i) -> const Number & { return numbers.find(op.getOperand(i))->second; };
    if (auto value = dyn_cast<arith::ConstantOp>(op))
      return constant(cast<FloatAttr>(value.getValue()).getValueAsDouble());
    if (auto value = dyn_cast<complex::ConstantOp>(op))
      return constant({cast<FloatAttr>(value.getValue()[0]).getValueAsDouble(),
                       cast<FloatAttr>(value.getValue()[1]).getValueAsDouble()});
    if (auto omega = dyn_cast<id::OmegaOp>(op)) {
      digits::Polynomial exponent = omega.getExponent().getPolynomial();
      if (omega.getDynamic() || !exponent.isConstant())
        return std::nullopt;
      return constant(rootOfUnity(omega.getRoot(), exponent.constantTerm()));
    }
    if (isa<arith::AddFOp, arith::SubFOp, complex::AddOp, complex::SubOp>(op))
      return sum(in(0), in(1), isa<arith::SubFOp, complex::SubOp>(op) ? -1 : 1);
    if (isa<arith::MulFOp, complex::MulOp>(op))
      return in(0).constant   ? product(*in(0).constant, in(1))
             : in(1).constant ? product(*in(1).constant, in(0))
                              : std::nullopt;
    if (isa<arith::NegFOp, complex::NegOp>(op))
      return product(-1, in(0));
    if (isa<complex::ConjOp>(op) && !in(0).constant)
      return Number{{}, in(0).re, scaled(-1, in(0).im)};
    if (isa<complex::ReOp, complex::ImOp>(op) && !in(0).constant)
      return Number{{}, isa<complex::ReOp>(op) ? in(0).re : in(0).im, {}};
    if (isa<complex::CreateOp>(op) && !in(0).constant && !in(1).constant)
      return Number{{}, in(0).re, in(1).re};
    return std::nullopt;
  }

  std::optional<Number> sum(const Number &x, const Number &y, double sign) {
    if (x.constant && y.constant)
      return constant(*x.constant + sign * *y.constant);
    if (x.constant || y.constant)
      return std::nullopt;
    Number result{{}, combine(1, x.re, sign, y.re), {}};
    if (!x.im.empty())
      result.im = combine(1, x.im, sign, y.im);
    body.operations += x.im.empty() ? 1 : 2;
    return result;
  }

  std::optional<Number> product(std::complex<double> c, const Number &x) {
    if (x.constant)
      return constant(c * *x.constant);
    if (x.im.empty())
      return Number{{}, scaled(c.real(), x.re), {}};
    // A product with both parts takes four operations, of which two are the sum's that takes it.
    body.operations += c.real() != 0 && c.imag() != 0 ? 2 : 0;
    return Number{{}, combine(c.real(), x.re, -c.imag(), x.im), combine(c.real(), x.im, c.imag(), x.re)};
  }
};

} // namespace

std::optional<LinearBody> conversion::linearBodyOf(Region &body) { return Reader().read(body); }
