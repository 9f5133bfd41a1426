// Follows through a body which values are constants and which are sums of arguments times constants, and with which.
#include "compiler/passes/Linearity.h"

#include "dialect/digits/NumberTheory.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <map>

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

//===--- coefficients -------------------------------------------------------------------------------------------===//

/// Follows the coefficients of a body that is known to be linear.
struct passes::LeafMatrices::Evaluation {
  static constexpr size_t maxTerms = 1 << 20; // of all values together
  static constexpr size_t maxMatrices = 64;

  /// constant + a sum of arguments times coefficients; one of both is zero.
  struct Sum {
    Coefficient constant;
    std::map<unsigned, Coefficient> terms;
  };
  DenseMap<Value, Sum> sums;

  static uint64_t modulusOf(Type type) {
    auto field = dyn_cast<id::ModType>(type);
    return field ? field.getModulus() : 0;
  }

  static Coefficient add(uint64_t modulus, const Coefficient &a, const Coefficient &b) {
    if (modulus == 0)
      return {a.number + b.number};
    return {{}, static_cast<uint64_t>((static_cast<unsigned __int128>(a.residue) + b.residue) % modulus)};
  }
  static Coefficient multiply(uint64_t modulus, const Coefficient &a, const Coefficient &b) {
    if (modulus == 0)
      return {a.number * b.number};
    return {{}, static_cast<uint64_t>(static_cast<unsigned __int128>(a.residue) * b.residue % modulus)};
  }
  static Coefficient integer(uint64_t modulus, int value) {
    return {static_cast<double>(value), value < 0 ? modulus - 1 : static_cast<uint64_t>(value)};
  }

  static Sum scaled(uint64_t modulus, const Sum &sum, const Coefficient &factor) {
    Sum result{multiply(modulus, sum.constant, factor), {}};
    for (const auto &[argument, coefficient] : sum.terms)
      result.terms[argument] = multiply(modulus, coefficient, factor);
    return result;
  }
  static Sum added(uint64_t modulus, Sum a, const Sum &b) {
    a.constant = add(modulus, a.constant, b.constant);
    for (const auto &[argument, coefficient] : b.terms) {
      auto [own, isNew] = a.terms.try_emplace(argument, coefficient);
      if (!isNew)
        own->second = add(modulus, own->second, coefficient);
    }
    return a;
  }
  static Sum product(uint64_t modulus, const Sum &a, const Sum &b) {
    return a.terms.empty() ? scaled(modulus, b, a.constant) : scaled(modulus, a, b.constant);
  }

  static Coefficient constantOf(Operation &op, uint64_t modulus) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return {cast<FloatAttr>(constant.getValue()).getValueAsDouble()};
    if (auto constant = dyn_cast<complex::ConstantOp>(op))
      return {{cast<FloatAttr>(constant.getValue()[0]).getValueAsDouble(),
               cast<FloatAttr>(constant.getValue()[1]).getValueAsDouble()}};
    if (auto constant = dyn_cast<id::ModConstantOp>(op))
      return {{}, constant.getValue()};
    auto omega = cast<id::OmegaOp>(op);
    const auto order = static_cast<uint64_t>(omega.getRoot());
    const auto exponent = static_cast<uint64_t>(omega.getExponent().getPolynomial().constantTerm());
    if (modulus == 0)
      return {std::polar(1.0, -2 * llvm::numbers::pi * static_cast<double>(exponent) / static_cast<double>(order))};
    uint64_t root = digits::powerMod(digits::primitiveRoot(modulus), (modulus - 1) / order, modulus);
    return {{}, digits::powerMod(root, exponent, modulus)};
  }

  Sum evaluate(Operation &op) const {
    const uint64_t modulus = modulusOf(op.getResult(0).getType());
    auto in = [&](unsigned i) -> const Sum & { return sums.find(op.getOperand(i))->second; };
    if (isa<arith::AddFOp, complex::AddOp, id::ModAddOp>(op))
      return added(modulus, in(0), in(1));
    if (isa<arith::SubFOp, complex::SubOp, id::ModSubOp>(op))
      return added(modulus, in(0), scaled(modulus, in(1), integer(modulus, -1)));
    if (isa<arith::NegFOp, complex::NegOp>(op))
      return scaled(modulus, in(0), integer(modulus, -1));
    if (isa<arith::MulFOp, complex::MulOp, id::ModMulOp>(op))
      return product(modulus, in(0), in(1));
    if (isa<arith::DivFOp, complex::DivOp>(op))
      return scaled(modulus, in(0), {1.0 / in(1).constant.number});
    if (isa<math::FmaOp>(op))
      return added(modulus, product(modulus, in(0), in(1)), in(2));
    return {constantOf(op, modulus), {}};
  }

  /// Far from where products of two over- or underflow.
  static bool isOrdinary(const Coefficient &coefficient) {
    auto inRange = [](double x) { return x == 0 || (std::fabs(x) > 0x1p-400 && std::fabs(x) < 0x1p400); };
    return inRange(coefficient.number.real()) && inRange(coefficient.number.imag());
  }

  /// The sums of the results; nothing where they are too many or their coefficients not ordinary.
  std::optional<std::vector<Sum>> run(Block &block) {
    size_t terms = 0;
    for (BlockArgument argument : block.getArguments())
      sums[argument].terms[argument.getArgNumber()] = integer(modulusOf(argument.getType()), 1);
    for (Operation &op : block.without_terminator()) {
      Sum sum = evaluate(op);
      terms += sum.terms.size();
      if (terms > maxTerms || !isOrdinary(sum.constant) ||
          !llvm::all_of(sum.terms, [](const auto &term) { return isOrdinary(term.second); }))
        return std::nullopt;
      sums[op.getResult(0)] = std::move(sum);
    }
    std::vector<Sum> results;
    for (Value value : block.getTerminator()->getOperands())
      results.push_back(sums.lookup(value));
    return results;
  }
};

passes::LeafMatrices::LeafMatrices(Region &body, size_t leaves) : leaves(leaves) {
  matrices.emplace();
  if (leaves == 1)
    return;
  Block &block = body.front();
  for (BlockArgument leaf : block.getArguments().take_front(leaves))
    moduli.push_back(Evaluation::modulusOf(leaf.getType()));
  std::optional<std::vector<Evaluation::Sum>> results = Evaluation().run(block);
  if (!results) {
    matrices.reset();
    return;
  }
  auto isScalar = [&](const Matrix &matrix) {
    for (size_t i = 0; i < matrix.size(); ++i)
      if (!(i % (leaves + 1) == 0 ? matrix[i] == matrix[0] : matrix[i] == Coefficient{}))
        return false;
    return true;
  };
  for (size_t first = 0; first < results->size(); first += leaves) {
    std::map<size_t, Matrix> from; // an element of the arguments
    for (size_t row = 0; row < leaves; ++row)
      for (const auto &[argument, coefficient] : (*results)[first + row].terms) {
        Matrix &matrix = from[argument / leaves];
        matrix.resize(leaves * leaves);
        matrix[row * leaves + argument % leaves] = coefficient;
      }
    for (auto &[element, matrix] : from) {
      if (isScalar(matrix) || llvm::is_contained(*matrices, matrix))
        continue;
      if (matrices->size() == Evaluation::maxMatrices) {
        matrices.reset();
        return;
      }
      matrices->push_back(std::move(matrix));
    }
  }
}

bool passes::LeafMatrices::commuteWith(const LeafMatrices &other) const {
  if ((matrices && matrices->empty()) || (other.matrices && other.matrices->empty()))
    return true;
  if (!matrices || !other.matrices || moduli != other.moduli)
    return false;
  auto commute = [&](const Matrix &a, const Matrix &b) {
    for (size_t row = 0; row < leaves; ++row)
      for (size_t column = 0; column < leaves; ++column) {
        Coefficient ab, ba;
        double magnitude = 0;
        for (size_t i = 0; i < leaves; ++i) {
          auto append = [&, modulus = moduli[row]](Coefficient &sum, const Matrix &left, const Matrix &right) {
            Coefficient term = Evaluation::multiply(modulus, left[row * leaves + i], right[i * leaves + column]);
            sum = Evaluation::add(modulus, sum, term);
            magnitude += std::abs(term.number);
          };
          append(ab, a, b);
          append(ba, b, a);
        }
        if (ab.residue != ba.residue || std::abs(ab.number - ba.number) > 0x1p-50 * magnitude)
          return false;
      }
    return true;
  };
  return llvm::all_of(*matrices, [&](const Matrix &a) {
    return llvm::all_of(*other.matrices, [&](const Matrix &b) { return commute(a, b); });
  });
}
