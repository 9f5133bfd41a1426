#include "id/IndexCode.h"

#include "id/LinearForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace idc;
using namespace idc::id;

int64_t id::elementsOf(ArrayRef<int32_t> radices) {
  return std::accumulate(radices.begin(), radices.end(), int64_t(1), std::multiplies<int64_t>());
}

void id::countTo(int64_t number, MutableArrayRef<int64_t> digits, ArrayRef<int32_t> radices) {
  for (auto [digit, radix] : llvm::zip(digits, radices)) {
    digit = number % radix;
    number /= radix;
  }
}

bool id::countUp(MutableArrayRef<int64_t> digits, ArrayRef<int32_t> radices) {
  for (size_t digit = 0; digit < radices.size(); ++digit) {
    if (++digits[digit] < radices[digit])
      return true;
    digits[digit] = 0;
  }
  return false;
}

//===--- code -----------------------------------------------------------------------------------------------------===//

static bool compare(arith::CmpIPredicate predicate, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  case arith::CmpIPredicate::ult:
    return x < y;
  case arith::CmpIPredicate::ule:
    return x <= y;
  case arith::CmpIPredicate::ugt:
    return x > y;
  case arith::CmpIPredicate::uge:
    return x >= y;
  }
  llvm_unreachable("the predicates are listed");
}

bool IndexCode::evaluate(ArrayRef<int64_t> digits) {
  for (size_t i = 0; i < steps.size(); ++i) {
    const Step &step = steps[i];
    auto in = [&](int k) { return values[static_cast<size_t>(step.operands[k])]; };
    auto word = [&](int k) { return static_cast<uint64_t>(in(k)); };
    int64_t &out = values[i];
    switch (step.kind) {
    case Kind::Constant:
      out = step.constant;
      break;
    case Kind::Digit:
      out = digits[static_cast<size_t>(step.constant) - 1];
      break;
    case Kind::Add:
      out = static_cast<int64_t>(word(0) + word(1));
      break;
    case Kind::Sub:
      out = static_cast<int64_t>(word(0) - word(1));
      break;
    case Kind::Mul:
      out = static_cast<int64_t>(word(0) * word(1));
      break;
    case Kind::Div:
    case Kind::Rem:
      if (in(1) == 0 || in(1) == -1)
        return false;
      out = step.kind == Kind::Div ? in(0) / in(1) : in(0) % in(1);
      break;
    case Kind::And:
      out = in(0) & in(1);
      break;
    case Kind::Or:
      out = in(0) | in(1);
      break;
    case Kind::Xor:
      out = in(0) ^ in(1);
      break;
    case Kind::Shl:
    case Kind::Shr:
      if (word(1) > 63)
        return false;
      out = step.kind == Kind::Shl ? static_cast<int64_t>(word(0) << word(1)) : in(0) >> in(1);
      break;
    case Kind::Compare:
      out = compare(static_cast<arith::CmpIPredicate>(step.constant), in(0), in(1));
      break;
    case Kind::Select:
      out = in(0) ? in(1) : in(2);
      break;
    case Kind::Lookup:
      out = tables[static_cast<size_t>(step.constant + in(0))];
      break;
    }
  }
  return true;
}

void IndexCode::append(Value value, Step step) {
  numbers[value] = static_cast<int>(steps.size());
  steps.push_back(step);
  values.push_back(0);
}

bool IndexCode::add(Operation &op) {
  if (op.getNumResults() != 1 || op.getNumOperands() > 3)
    return false;
  const unsigned width =
      op.getResult(0).getType().isIntOrFloat() ? op.getResult(0).getType().getIntOrFloatBitWidth() : 0;
  std::optional<Kind> kind = llvm::TypeSwitch<Operation *, std::optional<Kind>>(&op)
                                 .Case<arith::ConstantOp>([](auto) { return Kind::Constant; })
                                 .Case<DigitOp>([](auto) { return Kind::Digit; })
                                 .Case<arith::AddIOp>([](auto) { return Kind::Add; })
                                 .Case<arith::SubIOp>([](auto) { return Kind::Sub; })
                                 .Case<arith::MulIOp>([](auto) { return Kind::Mul; })
                                 // Unsigned ones take what is not negative.
                                 .Case<arith::DivSIOp, arith::DivUIOp>([](auto) { return Kind::Div; })
                                 .Case<arith::RemSIOp, arith::RemUIOp>([](auto) { return Kind::Rem; })
                                 .Case<arith::AndIOp>([](auto) { return Kind::And; })
                                 .Case<arith::OrIOp>([](auto) { return Kind::Or; })
                                 .Case<arith::XOrIOp>([](auto) { return Kind::Xor; })
                                 .Case<arith::ShLIOp>([](auto) { return Kind::Shl; })
                                 .Case<arith::ShRSIOp>([](auto) { return Kind::Shr; })
                                 .Case<arith::CmpIOp>([](auto) { return Kind::Compare; })
                                 .Case<arith::SelectOp>([](auto) { return Kind::Select; })
                                 .Case<LookupOp>([](auto) { return Kind::Lookup; })
                                 .Default([](auto) { return std::nullopt; });
  // Elements are chosen, never computed with.
  const bool takesChosen = llvm::any_of(op.getOperands(), [&](Value operand) { return chosen.contains(operand); });
  const bool chooses = kind == Kind::Select && takesChosen && !chosen.contains(op.getOperand(0)) &&
                       chosen.contains(op.getOperand(1)) && chosen.contains(op.getOperand(2));
  if (takesChosen && !chooses)
    return false;
  if (chooses)
    chosen.insert(op.getResult(0));
  const bool isLogical = kind == Kind::Constant || kind == Kind::And || kind == Kind::Or || kind == Kind::Xor ||
                         kind == Kind::Compare || kind == Kind::Select;
  if (!kind || (!chooses && width != 64 && !(width == 1 && isLogical)))
    return false;
  Step step{*kind, 0, {}};
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    if (*kind == Kind::Compare && !operand.getType().isInteger(64))
      return false;
    step.operands[i] = numbers.lookup(operand);
  }
  APInt value;
  if (*kind == Kind::Constant) {
    if (!matchPattern(op.getResult(0), m_ConstantInt(&value)))
      return false;
    step.constant = width == 1 ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue();
  } else if (auto digit = dyn_cast<DigitOp>(op)) {
    step.constant = static_cast<int64_t>(digit.getDigit());
  } else if (auto comparison = dyn_cast<arith::CmpIOp>(op)) {
    step.constant = static_cast<int64_t>(comparison.getPredicate());
  } else if (auto lookup = dyn_cast<LookupOp>(op)) {
    step.constant = static_cast<int64_t>(tables.size());
    for (auto entry : lookup.getValues().getAsRange<IntegerAttr>())
      tables.push_back(entry.getValue().getSExtValue());
  }
  numbers[op.getResult(0)] = static_cast<int>(steps.size());
  steps.push_back(step);
  values.push_back(0);
  return true;
}

bool IndexCode::addAll(Region &body) {
  for (Operation &op : body.front().without_terminator())
    if (!add(op))
      return false;
  for (Value yielded : body.front().getTerminator()->getOperands()) {
    auto known = numbers.find(yielded);
    if (known == numbers.end())
      return false;
    results.push_back(known->second);
  }
  return true;
}

std::optional<IndexCode> IndexCode::of(Region &body) {
  IndexCode code;
  return code.addAll(body) ? std::optional(std::move(code)) : std::nullopt;
}

std::optional<IndexCode> IndexCode::ofChoice(Region &body) {
  IndexCode code;
  for (BlockArgument argument : body.getArguments()) {
    code.append(argument, {Kind::Constant, static_cast<int64_t>(argument.getArgNumber()), {}});
    code.chosen.insert(argument);
  }
  if (!code.addAll(body))
    return std::nullopt;
  const ValueRange yielded = body.front().getTerminator()->getOperands();
  return llvm::all_of(yielded, [&](Value value) { return code.chosen.contains(value); })
             ? std::optional(std::move(code))
             : std::nullopt;
}

int IndexCode::highestDigit() const {
  int64_t highest = 0;
  for (const Step &step : steps)
    if (step.kind == Kind::Digit)
      highest = std::max(highest, step.constant);
  return static_cast<int>(highest);
}

//===--- affine numbers -------------------------------------------------------------------------------------------===//

std::optional<AffineNumbers> id::affineNumbers(int64_t count, int64_t length,
                                               llvm::function_ref<std::optional<int64_t>(int64_t)> numberAt) {
  // Products stay below 2^62.
  if (count > maxTried || length > std::numeric_limits<int64_t>::max() / (2 * maxTried))
    return std::nullopt;
  std::optional<int64_t> first = numberAt(0), second = count > 1 ? numberAt(1) : first;
  if (!first || !second)
    return std::nullopt;
  const AffineNumbers map{((*second - *first) % length + length) % length, *first, length};
  for (int64_t k = 0; k < count; ++k)
    if (numberAt(k) != map.at(k))
      return std::nullopt;
  return map;
}

Value id::numberOf(OpBuilder &builder, Location loc, ArrayRef<Value> digits, ArrayRef<int32_t> radices) {
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  Value number;
  int64_t weight = 1;
  for (auto [digit, radix] : llvm::zip(digits, radices)) {
    Value part = weight == 1 ? digit : builder.createOrFold<arith::MulIOp>(loc, digit, constant(weight));
    number = number ? builder.createOrFold<arith::AddIOp>(loc, number, part) : part;
    weight *= radix;
  }
  return number ? number : constant(0);
}

Value id::numberOfLowest(OpBuilder &builder, Location loc, ArrayRef<int32_t> radices) {
  SmallVector<Value> digits;
  for (size_t digit = 1; digit <= radices.size(); ++digit)
    digits.push_back(DigitOp::create(builder, loc, builder.getI64Type(), digit));
  return numberOf(builder, loc, digits, radices);
}

std::optional<AffineNumbers> id::affineBody(Region &body, ArrayRef<int32_t> radices, int64_t length) {
  Value number = body.front().getTerminator()->getOperand(0);
  bool isRemainder = false;
  if (auto remainder = number.getDefiningOp<arith::RemSIOp>()) {
    llvm::APInt by;
    if (!matchPattern(remainder.getRhs(), m_ConstantInt(&by)) || by.getSExtValue() != length)
      return std::nullopt;
    isRemainder = true;
    number = remainder.getLhs();
  }
  const llvm::DenseMap<Value, LinearForm> forms = LinearForm::ofAll(body, radices.size());
  const auto form = forms.find(number);
  const auto range = form != forms.end() ? form->second.range(radices) : std::nullopt;
  if (!range || range->first < 0 || (!isRemainder && range->second >= length) || length > (int64_t(1) << 31))
    return std::nullopt;
  auto below = [&](int64_t x) { return (x % length + length) % length; };
  AffineNumbers map{radices.empty() ? 0 : below(form->second.multiples[0]), below(form->second.constant), length};
  int64_t weight = 1;
  for (auto [multiple, radix] : llvm::zip(form->second.multiples, radices)) {
    if (below(multiple) != map.factor * below(weight) % length)
      return std::nullopt;
    weight *= radix;
  }
  return map;
}

void id::writeAffine(OpBuilder &builder, Location loc, Region &body, ArrayRef<int32_t> radices,
                     const AffineNumbers &map) {
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&body);
  Value number = multipleOf(builder, loc, numberOfLowest(builder, loc, radices), map.factor, map.offset);
  if (map.factor * (elementsOf(radices) - 1) + map.offset >= map.length)
    number = arith::RemSIOp::create(builder, loc, number,
                                    arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(map.length)));
  YieldOp::create(builder, loc, number);
}
