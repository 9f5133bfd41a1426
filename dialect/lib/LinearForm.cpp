#include "id/LinearForm.h"

#include "id/IndexCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;
using namespace idc::id;
using digits::Polynomial;

using Forms = llvm::DenseMap<Value, LinearForm>;

static int64_t product(int64_t x, int64_t y, bool &fits) {
  int64_t result = 0;
  fits &= !llvm::MulOverflow(x, y, result);
  return result;
}

static int64_t sum(int64_t x, int64_t y, bool &fits) {
  int64_t result = 0;
  fits &= !llvm::AddOverflow(x, y, result);
  return result;
}

static LinearForm combine(const LinearForm &left, const LinearForm &right,
                          llvm::function_ref<int64_t(int64_t, int64_t)> by) {
  LinearForm form{SmallVector<int64_t>(left.multiples.size()), by(left.constant, right.constant)};
  for (size_t i = 0; i < form.multiples.size(); ++i)
    form.multiples[i] = by(left.multiples[i], right.multiples[i]);
  return form;
}

/// Of a number that is 0 or more the quotient by `divisor`, or what is left: the digits that count multiples of it, or
/// the others, where these together count less than it.
static std::optional<LinearForm> divided(const LinearForm &number, int64_t divisor, bool isRest,
                                         ArrayRef<int32_t> radices) {
  const auto range = number.range(radices);
  if (divisor <= 0 || !range || range->first < 0)
    return std::nullopt;
  LinearForm whole = number, rest = number;
  whole.constant = number.constant / divisor;
  rest.constant = number.constant % divisor;
  for (auto [above, below] : llvm::zip(whole.multiples, rest.multiples)) {
    above = below % divisor == 0 ? above / divisor : 0;
    below = below % divisor == 0 ? 0 : below;
  }
  const auto left = rest.range(radices);
  if (!left || left->first < 0 || left->second >= divisor)
    return std::nullopt;
  return isRest ? rest : whole;
}

static std::optional<LinearForm> formOf(Operation &op, size_t digits, const Forms &forms, ArrayRef<int32_t> radices) {
  LinearForm form{SmallVector<int64_t>(digits, 0)};
  if (auto digit = dyn_cast<DigitOp>(op)) {
    if (static_cast<size_t>(digit.getDigit()) > digits)
      return std::nullopt;
    form.multiples[static_cast<size_t>(digit.getDigit()) - 1] = 1;
    return form;
  }
  llvm::APInt value;
  if (matchPattern(&op, m_ConstantInt(&value))) {
    form.constant = value.getSExtValue();
    return form;
  }
  const bool divides = !radices.empty() && isa<arith::DivSIOp, arith::RemSIOp>(op);
  if (!divides && !isa<arith::AddIOp, arith::SubIOp, arith::MulIOp>(op))
    return std::nullopt;
  auto left = forms.find(op.getOperand(0)), right = forms.find(op.getOperand(1));
  if (left == forms.end() || right == forms.end())
    return std::nullopt;
  if (divides)
    return right->second.isConstant() ? divided(left->second, right->second.constant, isa<arith::RemSIOp>(op), radices)
                                      : std::nullopt;
  bool fits = true;
  if (isa<arith::MulIOp>(op)) {
    if (!left->second.isConstant())
      std::swap(left, right);
    if (!left->second.isConstant())
      return std::nullopt;
    const int64_t by = left->second.constant;
    form = combine(right->second, right->second, [&](int64_t x, int64_t) { return product(x, by, fits); });
  } else {
    const int64_t sign = isa<arith::SubIOp>(op) ? -1 : 1;
    form = combine(left->second, right->second,
                   [&](int64_t x, int64_t y) { return sum(x, product(y, sign, fits), fits); });
  }
  return fits ? std::optional(form) : std::nullopt;
}

static Forms formsOf(Region &body, size_t digits, ArrayRef<int32_t> radices) {
  Forms forms;
  for (Operation &op : body.front().without_terminator())
    if (std::optional<LinearForm> form = formOf(op, digits, forms, radices))
      forms[op.getResult(0)] = std::move(*form);
  return forms;
}

Forms LinearForm::ofAll(Region &body, size_t digits) { return formsOf(body, digits, {}); }

Forms LinearForm::ofAll(Region &body, ArrayRef<int32_t> radices) { return formsOf(body, radices.size(), radices); }

bool LinearForm::isConstant() const {
  return llvm::all_of(multiples, [](int64_t multiple) { return multiple == 0; });
}

std::optional<std::pair<int64_t, int64_t>> LinearForm::range(ArrayRef<int32_t> radices) const {
  int64_t least = constant, greatest = constant;
  bool fits = true;
  for (auto [multiple, radix] : llvm::zip(multiples, radices)) {
    int64_t &end = multiple < 0 ? least : greatest;
    end = sum(end, product(multiple, radix - 1, fits), fits);
  }
  return fits ? std::optional(std::pair(least, greatest)) : std::nullopt;
}

std::optional<int64_t> LinearForm::factor(ArrayRef<int32_t> radices) const {
  const int64_t factor = multiples.empty() ? 0 : multiples.front();
  int64_t weight = 1;
  bool fits = true;
  for (auto [multiple, radix] : llvm::zip(multiples, radices)) {
    if (multiple != product(factor, weight, fits))
      return std::nullopt;
    weight = product(weight, radix, fits);
  }
  return fits ? std::optional(factor) : std::nullopt;
}

Value id::multipleOf(OpBuilder &builder, Location loc, Value number, int64_t factor, int64_t offset) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  if (factor != 1)
    number = arith::MulIOp::create(builder, loc, number, constant(factor));
  if (offset != 0)
    number = arith::AddIOp::create(builder, loc, number, constant(offset));
  return number;
}

void id::cloneAt(OpBuilder &builder, Location loc, Region &body, ArrayRef<int32_t> radices, Value number,
                 int64_t lowest, IRMapping &values) {
  // What is made of the number of the digits alone takes it as it is.
  const Forms forms = LinearForm::ofAll(body, radices.size());
  for (Operation &op : body.front().without_terminator())
    if (auto form = op.getNumResults() == 1 ? forms.find(op.getResult(0)) : forms.end(); form != forms.end())
      if (const std::optional<int64_t> factor = form->second.factor(radices); factor && !form->second.isConstant())
        values.map(op.getResult(0), multipleOf(builder, loc, number, *factor, form->second.constant));
  SmallVector<Value> digits;
  for (int32_t each : radices) {
    Value radix = arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(each));
    digits.push_back(arith::RemSIOp::create(builder, loc, number, radix));
    number = arith::DivSIOp::create(builder, loc, number, radix);
  }
  const auto own = static_cast<int64_t>(radices.size());
  for (Operation &op : body.front().without_terminator()) {
    if (op.getNumResults() == 1 && values.contains(op.getResult(0)))
      continue;
    auto digit = dyn_cast<DigitOp>(op);
    if (!digit) {
      builder.clone(op, values);
      continue;
    }
    const auto place = static_cast<int64_t>(digit.getDigit());
    values.map(digit.getResult(), place <= own ? digits[static_cast<size_t>(place) - 1]
                                               : DigitOp::create(builder, loc, digit.getType(), place - own + lowest));
  }
}

Value id::numberAt(OpBuilder &builder, Location loc, Region &body, ArrayRef<int32_t> radices, Value number,
                   int64_t lowest) {
  IRMapping values;
  cloneAt(builder, loc, body, radices, number, lowest, values);
  return values.lookup(body.front().getTerminator()->getOperand(0));
}

//===--- bodies of a number ---------------------------------------------------------------------------------------===//

/// The number that digits count.
static Polynomial numberIn(ArrayRef<int32_t> radices) {
  Polynomial number;
  int64_t weight = 1;
  for (auto [i, radix] : llvm::enumerate(radices)) {
    number = number + Polynomial::digit(static_cast<int>(i) + 1) * weight;
    weight *= radix;
  }
  return number;
}

/// The exponent c + a * k + b * k * k of a root of this order that a polynomial is, as one of digits of the radices
/// `after` that count k; nothing where it is none. What it is at k = 0, 1 and 2 leaves two values of b.
static std::optional<Polynomial> exponentIn(const Polynomial &exponent, int64_t root, ArrayRef<int32_t> before,
                                            ArrayRef<int32_t> after) {
  auto at = [&](int64_t number) {
    SmallVector<int64_t> digits(before.size());
    countTo(number, digits, before);
    return exponent.evaluate({digits.begin(), digits.end()}, root);
  };
  constexpr int64_t mostRoot = int64_t(1) << 31; // products of what is below fit 64 bits
  if (elementsOf(before) < 3 || root > mostRoot || elementsOf(before) > mostRoot)
    return std::nullopt;
  const int64_t c = at(0), one = at(1) - c, two = at(2) - c; // a + b, 2 * a + 4 * b
  auto below = [&](int64_t x) { return (x % root + root) % root; };
  const std::vector<int> radices(before.begin(), before.end());
  const int64_t twice = below(two - 2 * one);
  for (int64_t b : {twice / 2, (twice + root) / 2}) {
    if (below(2 * b) != twice)
      continue;
    auto in = [&](ArrayRef<int32_t> digits) {
      const Polynomial number = numberIn(digits);
      return (number.timesModulo(number, root).timesModulo(Polynomial::constant(below(b)), root) +
              number.timesModulo(Polynomial::constant(below(one - b)), root) + Polynomial::constant(c))
          .reduced(root, {digits.begin(), digits.end()});
    };
    if (in(before) == exponent.reduced(root, radices))
      return in(after);
  }
  return std::nullopt;
}

/// Calls it with every root of unity whose exponent names digits; false where one call is.
static bool forExponents(Region &body, llvm::function_ref<bool(OmegaOp)> call) {
  return !body.walk([&](OmegaOp omega) {
                const bool isConstant = omega.getExponent().getPolynomial().isConstant();
                return isConstant || call(omega) ? WalkResult::advance() : WalkResult::interrupt();
              })
              .wasInterrupted();
}

static bool isForm(Operation *op, const Forms &forms) {
  return op->getNumResults() == 1 && forms.contains(op->getResult(0));
}

/// True when something else than a linear form takes the value.
static bool isTaken(Value value, const Forms &forms) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) { return !isForm(user, forms); });
}

bool id::dependsOnNumber(Region &body, ArrayRef<int32_t> radices) {
  const Forms forms = LinearForm::ofAll(body, radices.size());
  const bool areForms =
      !body.walk([&](DigitOp digit) {
             return forms.contains(digit.getResult()) ? WalkResult::advance() : WalkResult::interrupt();
           })
           .wasInterrupted();
  return areForms &&
         llvm::all_of(forms,
                      [&](const auto &entry) {
                        const auto &[value, form] = entry;
                        return form.isConstant() || !isTaken(value, forms) || form.factor(radices);
                      }) &&
         forExponents(body, [&](OmegaOp omega) {
           return exponentIn(omega.getExponent().getPolynomial(), omega.getRoot(), radices, radices).has_value();
         });
}

void id::renumber(Region &body, ArrayRef<int32_t> before, ArrayRef<int32_t> after) {
  forExponents(body, [&](OmegaOp omega) {
    omega.setExponentAttr(PolyAttr::get(
        body.getContext(), *exponentIn(omega.getExponent().getPolynomial(), omega.getRoot(), before, after)));
    return true;
  });
  const Forms forms = LinearForm::ofAll(body, before.size());
  SmallVector<Operation *> old; // of forms that depend on digits
  for (Operation &op : body.front().without_terminator())
    if (isForm(&op, forms) && !forms.find(op.getResult(0))->second.isConstant())
      old.push_back(&op);
  if (old.empty())
    return;
  OpBuilder builder(old.front());
  const Location loc = old.front()->getLoc();
  const Value number = numberOfLowest(builder, loc, after);
  for (Operation *op : old) {
    if (!isTaken(op->getResult(0), forms))
      continue;
    const LinearForm &form = forms.find(op->getResult(0))->second;
    op->getResult(0).replaceUsesWithIf(multipleOf(builder, loc, number, *form.factor(before), form.constant),
                                       [&](OpOperand &use) { return !isForm(use.getOwner(), forms); });
  }
  for (Operation *op : llvm::reverse(old))
    op->erase();
}
