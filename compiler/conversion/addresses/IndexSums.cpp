#include "compiler/conversion/addresses/IndexSums.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/MathExtras.h"

#include <limits>
#include <numeric>

using namespace mlir;
using namespace idc;
using namespace idc::conversion;

using Bounds = IndexSums::Bounds;
using Wide = __int128;

/// Bounds beyond which products are not followed.
static constexpr int64_t far = int64_t(1) << 60;

static std::optional<Bounds> narrowed(Wide least, Wide most) {
  if (least < -far || most > far)
    return std::nullopt;
  return Bounds{static_cast<int64_t>(least), static_cast<int64_t>(most)};
}

//===--- sums -----------------------------------------------------------------------------------------------------===//

IndexSum IndexSums::term(Value value, std::optional<Bounds> bounds) {
  APInt fixed;
  if (matchPattern(value, m_ConstantInt(&fixed)))
    return {fixed.getSExtValue(), {}};
  auto [known, isNew] = ofValue.try_emplace(value.getAsOpaquePointer(), static_cast<unsigned>(terms.size()));
  if (isNew)
    terms.push_back({value, bounds, {}, 0});
  return {0, {{known->second, 1}}};
}

IndexSum IndexSums::add(const IndexSum &x, const IndexSum &y, int64_t timesY) {
  auto wrapped = [](int64_t a, int64_t b, int64_t times) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b) * static_cast<uint64_t>(times));
  };
  IndexSum sum{wrapped(x.constant, y.constant, timesY), {}};
  auto a = x.terms.begin(), b = y.terms.begin();
  while (a != x.terms.end() || b != y.terms.end()) {
    const bool hasA = a != x.terms.end() && (b == y.terms.end() || a->first <= b->first);
    const bool hasB = b != y.terms.end() && (a == x.terms.end() || b->first <= a->first);
    const unsigned term = hasA ? a->first : b->first;
    if (const int64_t weight = wrapped(hasA ? a->second : 0, hasB ? b->second : 0, timesY))
      sum.terms.emplace_back(term, weight);
    a += hasA, b += hasB;
  }
  return sum;
}

// Quotients of one number by divisors of each other, and the number itself, are sums of its digits, which are
// independent: with w(1) | w(2) | … and weights a(i), digit j counts Σ a(i) · w(j) / w(i) for i <= j.
std::optional<Bounds> IndexSums::boundsOf(const IndexSum &x) const {
  if (auto known = remainders.find(x.terms); known != remainders.end())
    return narrowed(Wide(known->second.least) + x.constant, Wide(known->second.most) + x.constant);
  struct Part {
    int64_t divisor, weight;
  };
  struct Whole {
    Bounds bounds;
    std::vector<Part> parts;
  };
  std::map<Key, Whole> wholes; // by the number: the terms of a sum and its constant
  for (auto [number, weight] : x.terms) {
    const Term &term = terms[number];
    if (!term.bounds)
      return std::nullopt;
    const bool isQuotient = term.divisor != 0;
    const IndexSum whole = isQuotient ? term.dividend : IndexSum{0, {{number, 1}}};
    const std::optional<Bounds> bounds = isQuotient ? boundsOf(whole) : term.bounds;
    if (!bounds)
      return std::nullopt;
    Whole &own = wholes.try_emplace(Key{whole.terms, whole.constant}, Whole{*bounds, {}}).first->second;
    own.parts.push_back({isQuotient ? term.divisor : 1, weight});
  }
  Wide least = x.constant, most = x.constant;
  auto include = [&](Wide weight, Wide low, Wide high) {
    least += weight * (weight > 0 ? low : high);
    most += weight * (weight > 0 ? high : low);
  };
  for (auto &[key, whole] : wholes) {
    llvm::sort(whole.parts, [](const Part &a, const Part &b) { return a.divisor < b.divisor; });
    bool divide = whole.bounds.least >= 0;
    for (size_t i = 1; i < whole.parts.size(); ++i)
      divide &= whole.parts[i].divisor % whole.parts[i - 1].divisor == 0;
    for (size_t j = 0; j < whole.parts.size(); ++j) {
      const auto [divisor, weight] = whole.parts[j];
      if (!divide || whole.parts.size() == 1) {
        include(weight, llvm::divideFloorSigned(whole.bounds.least, divisor),
                llvm::divideFloorSigned(whole.bounds.most, divisor));
        continue;
      }
      Wide ofDigit = 0;
      for (size_t i = 0; i <= j; ++i)
        ofDigit += Wide(whole.parts[i].weight) * (divisor / whole.parts[i].divisor);
      const int64_t highest = whole.bounds.most / divisor;
      const bool isLast = j + 1 == whole.parts.size();
      include(ofDigit, 0, isLast ? highest : std::min(highest, whole.parts[j + 1].divisor / divisor - 1));
    }
  }
  return narrowed(least, most);
}

//===--- quotients ------------------------------------------------------------------------------------------------===//

IndexSum IndexSums::quotientTerm(IndexSum dividend, int64_t divisor) {
  auto [known, isNew] =
      ofQuotient.try_emplace({Key{dividend.terms, dividend.constant}, divisor}, static_cast<unsigned>(terms.size()));
  if (isNew) {
    const Bounds bounds = *boundsOf(dividend);
    terms.push_back({{}, Bounds{bounds.least / divisor, bounds.most / divisor}, std::move(dividend), divisor});
  }
  return {0, {{known->second, 1}}};
}

IndexSum IndexSums::quotient(const IndexSum &x, int64_t by) {
  if (by == 1)
    return x;
  if (!boundsOf(x))
    return term(arith::DivUIOp::create(b, loc, value(x), constant(by, 64)));
  IndexSum whole{llvm::divideFloorSigned(x.constant, by), {}}, rest{llvm::mod(x.constant, by), {}};
  for (auto [number, weight] : x.terms)
    if (weight % by == 0)
      whole.terms.emplace_back(number, weight / by);
    else
      rest.terms.emplace_back(number, weight);
  // Below the divisor's greatest common factor with all weights there is nothing to carry.
  int64_t common = by;
  for (auto [number, weight] : rest.terms)
    common = std::gcd(common, weight);
  for (auto &[number, weight] : rest.terms)
    weight /= common;
  rest.constant /= common;
  const int64_t divisor = by / common;
  std::optional<Bounds> bounds = boundsOf(rest);
  if (!bounds)
    return term(arith::DivUIOp::create(b, loc, value(x), constant(by, 64)));
  const int64_t low = llvm::divideFloorSigned(bounds->least, divisor);
  whole.constant += low;
  if (low == llvm::divideFloorSigned(bounds->most, divisor))
    return whole;
  rest.constant -= low * divisor; // what is divided is not negative
  // The quotient of a quotient is one of what that divides.
  if (const Term &only = terms[rest.terms[0].first];
      rest.terms.size() == 1 && rest.terms[0].second == 1 && only.divisor && rest.constant >= 0)
    return add(whole, quotient(add(only.dividend, {rest.constant, {}}, only.divisor), only.divisor * divisor));
  return add(whole, quotientTerm(std::move(rest), divisor));
}

IndexSum IndexSums::remainder(const IndexSum &x, int64_t by) {
  if (!boundsOf(x))
    return term(arith::RemUIOp::create(b, loc, value(x), constant(by, 64)), Bounds{0, by - 1});
  IndexSum rest = add(x, quotient(x, by), -by);
  const std::optional<Bounds> bounds = boundsOf(rest);
  if (!bounds || bounds->least < 0 || bounds->most >= by)
    remainders[rest.terms] = {-rest.constant, by - 1 - rest.constant};
  return rest;
}

std::vector<IndexSum> IndexSums::digitsOf(const IndexSum &x, ArrayRef<int32_t> radices) {
  std::vector<IndexSum> digits;
  IndexSum rest = x;
  for (auto [i, radix] : llvm::enumerate(radices)) {
    const bool isHighest = i + 1 == radices.size();
    digits.push_back(isHighest ? rest : remainder(rest, radix));
    if (!isHighest)
      rest = quotient(rest, radix);
  }
  return digits;
}

//===--- values ---------------------------------------------------------------------------------------------------===//

Value IndexSums::constant(int64_t value, unsigned width) {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(b.getIntegerType(width), value));
}

bool IndexSums::isNarrow(const IndexSum &x) const {
  const std::optional<Bounds> bounds = boundsOf(x);
  return bounds && llvm::isInt<32>(bounds->least) && llvm::isInt<32>(bounds->most);
}

Value IndexSums::termValue(unsigned number, unsigned width) {
  if (!terms[number].value) {
    const Term term = terms[number];
    const unsigned own = isNarrow(term.dividend) ? 32 : 64;
    Value dividend = sumValue(term.dividend, own);
    terms[number].value = b.createOrFold<arith::DivUIOp>(loc, dividend, constant(term.divisor, own));
  }
  const Term &term = terms[number];
  const unsigned own = term.value.getType().getIntOrFloatBitWidth();
  if (own == width)
    return term.value;
  Type type = b.getIntegerType(width);
  if (own > width)
    return b.createOrFold<arith::TruncIOp>(loc, type, term.value);
  return term.bounds && term.bounds->least >= 0 ? b.createOrFold<arith::ExtUIOp>(loc, type, term.value)
                                                : b.createOrFold<arith::ExtSIOp>(loc, type, term.value);
}

Value IndexSums::sumValue(const IndexSum &x, unsigned width) {
  if (x.isConstant())
    return constant(x.constant, width);
  Value &variable = values[Key{x.terms, width}];
  if (!variable) {
    // What is added comes before what is taken away.
    for (bool negative : {false, true})
      for (auto [number, weight] : x.terms) {
        if ((weight < 0) != negative)
          continue;
        const bool subtracts = negative && variable;
        Value part =
            b.createOrFold<arith::MulIOp>(loc, termValue(number, width), constant(subtracts ? -weight : weight, width));
        variable = !variable   ? part
                   : subtracts ? b.createOrFold<arith::SubIOp>(loc, variable, part)
                               : b.createOrFold<arith::AddIOp>(loc, variable, part);
      }
  }
  return x.constant ? b.createOrFold<arith::AddIOp>(loc, variable, constant(x.constant, width)) : variable;
}

Value IndexSums::value(const IndexSum &x) {
  if (!isNarrow(x))
    return sumValue(x, 64);
  Value narrow = sumValue(x, 32);
  return boundsOf(x)->least >= 0 ? b.createOrFold<arith::ExtUIOp>(loc, b.getI64Type(), narrow)
                                 : b.createOrFold<arith::ExtSIOp>(loc, b.getI64Type(), narrow);
}

Value IndexSums::value(const Condition &condition) {
  if (!condition.known)
    return condition.value;
  return arith::ConstantOp::create(b, loc, b.getBoolAttr(*condition.known));
}

//===--- conditions -----------------------------------------------------------------------------------------------===//

IndexSums::Condition IndexSums::compare(arith::CmpIPredicate predicate, const IndexSum &x, const IndexSum &y) {
  using Predicate = arith::CmpIPredicate;
  Condition condition;
  const std::optional<Bounds> own = boundsOf(x), other = boundsOf(y);
  const bool isUnsigned =
      llvm::is_contained({Predicate::ult, Predicate::ule, Predicate::ugt, Predicate::uge}, predicate);
  if (own && other && (!isUnsigned || (own->least >= 0 && other->least >= 0))) {
    condition.difference = add(x, y, -1);
    switch (predicate) {
    case Predicate::ult:
    case Predicate::slt:
      condition.where = {-far, -1};
      break;
    case Predicate::ule:
    case Predicate::sle:
      condition.where = {-far, 0};
      break;
    case Predicate::ugt:
    case Predicate::sgt:
      condition.where = {1, far};
      break;
    case Predicate::uge:
    case Predicate::sge:
      condition.where = {0, far};
      break;
    case Predicate::eq:
    case Predicate::ne:
      condition.where = {0, 0};
      condition.isOutside = predicate == Predicate::ne;
      break;
    }
    const std::optional<Bounds> difference = boundsOf(*condition.difference);
    if (difference && difference->least >= condition.where.least && difference->most <= condition.where.most)
      condition.known = !condition.isOutside;
    else if (difference && (difference->least > condition.where.most || difference->most < condition.where.least))
      condition.known = condition.isOutside;
  }
  if (!condition.known) {
    const unsigned width = isNarrow(x) && isNarrow(y) ? 32 : 64;
    condition.value = b.createOrFold<arith::CmpIOp>(loc, predicate, sumValue(x, width), sumValue(y, width));
  }
  return condition;
}

IndexSums::Condition IndexSums::isBelow(const IndexSum &x, int64_t most) {
  return compare(arith::CmpIPredicate::ult, x, {most, {}});
}

/// The bounds of what is not there: a condition leaves out an end at most.
static Bounds without(Bounds all, Bounds left) {
  if (left.least <= all.least)
    all.least = std::max(all.least, left.most + 1);
  if (left.most >= all.most)
    all.most = std::min(all.most, left.least - 1);
  return all;
}

std::optional<Bounds> IndexSums::boundsWhere(const Condition &condition, bool holds, const IndexSum &x) const {
  std::optional<Bounds> own = boundsOf(x);
  if (!own || !condition.difference)
    return own;
  const std::optional<Bounds> all = boundsOf(*condition.difference);
  if (!all)
    return own;
  const Bounds where = condition.where;
  const Bounds there = holds != condition.isOutside
                           ? Bounds{std::max(all->least, where.least), std::min(all->most, where.most)}
                           : without(*all, where);
  // x = c + difference, or c - difference
  if (const IndexSum c = add(x, *condition.difference, -1); c.isConstant())
    return Bounds{std::max(own->least, c.constant + there.least), std::min(own->most, c.constant + there.most)};
  if (const IndexSum c = add(x, *condition.difference); c.isConstant())
    return Bounds{std::max(own->least, c.constant - there.most), std::min(own->most, c.constant - there.least)};
  return own;
}

IndexSum IndexSums::select(const Condition &condition, const IndexSum &yes, const IndexSum &no) {
  if (condition.known)
    return *condition.known ? yes : no;
  if (yes == no)
    return yes;
  const std::optional<Bounds> where = boundsWhere(condition, true, yes), other = boundsWhere(condition, false, no);
  std::optional<Bounds> bounds;
  if (where && other)
    bounds = {std::min(where->least, other->least), std::max(where->most, other->most)};
  const unsigned width = isNarrow(yes) && isNarrow(no) ? 32 : 64;
  return term(b.createOrFold<arith::SelectOp>(loc, condition.value, sumValue(yes, width), sumValue(no, width)), bounds);
}

//===--- bodies ---------------------------------------------------------------------------------------------------===//

namespace idc::conversion {

/// What is known of the values of a body, op by op.
class IndexBody {
public:
  IndexBody(IndexSums &sums, llvm::function_ref<IndexSum(int)> digit, IndexSums::LookUp lookUp,
            IndexSums::Parameter parameter)
      : sums(sums), b(sums.b), loc(sums.loc), digit(digit), lookUp(lookUp), parameter(parameter) {}

  std::optional<std::vector<IndexSum>> run(Region &body) {
    for (Operation &op : body.front().without_terminator())
      if (op.getNumResults() != 1 || !(op.getResult(0).getType().isInteger(1) ? bit(op) : number(op)))
        return std::nullopt;
    std::vector<IndexSum> yielded;
    for (Value value : body.front().getTerminator()->getOperands()) {
      auto known = numbers.find(value);
      if (known == numbers.end())
        return std::nullopt;
      yielded.push_back(known->second);
    }
    return yielded;
  }

private:
  IndexSums &sums;
  OpBuilder &b;
  Location loc;
  llvm::function_ref<IndexSum(int)> digit;
  IndexSums::LookUp lookUp;
  IndexSums::Parameter parameter;
  DenseMap<Value, IndexSum> numbers;
  DenseMap<Value, IndexSums::Condition> bits;

  const IndexSum &sum(Operation &op, unsigned i) { return numbers.find(op.getOperand(i))->second; }
  const IndexSums::Condition &condition(Operation &op, unsigned i) { return bits.find(op.getOperand(i))->second; }

  template <class Op> Value made(Operation &op) {
    return b.createOrFold<Op>(loc, sums.value(sum(op, 0)), sums.value(sum(op, 1)));
  }

  bool number(Operation &op) {
    if (!op.getResult(0).getType().isInteger(64))
      return false;
    std::optional<IndexSum> result = numberOf(op);
    if (result)
      numbers[op.getResult(0)] = std::move(*result);
    return result.has_value();
  }

  std::optional<IndexSum> numberOf(Operation &op) {
    APInt fixed;
    if (matchPattern(&op, m_ConstantInt(&fixed)))
      return IndexSum{fixed.getSExtValue(), {}};
    if (auto own = dyn_cast<id::DigitOp>(op))
      return digit(static_cast<int>(own.getDigit()));
    if (auto scalar = dyn_cast<id::ParameterOp>(op))
      return sums.term(parameter(static_cast<int64_t>(scalar.getNumber())));
    if (auto table = dyn_cast<id::LookupOp>(op))
      return entryOf(table);
    if (isa<arith::AddIOp, arith::SubIOp>(op))
      return IndexSums::add(sum(op, 0), sum(op, 1), isa<arith::AddIOp>(op) ? 1 : -1);
    if (isa<arith::MulIOp>(op))
      return productOf(op);
    if (isa<arith::DivSIOp, arith::DivUIOp>(op))
      return divided(op, isa<arith::DivUIOp>(op), /*remains=*/false);
    if (isa<arith::RemSIOp, arith::RemUIOp>(op))
      return divided(op, isa<arith::RemUIOp>(op), /*remains=*/true);
    if (isa<arith::ShLIOp>(op) && isShift(sum(op, 1)))
      return IndexSums::scaled(sum(op, 0), int64_t(1) << sum(op, 1).constant);
    if (isa<arith::ShRSIOp, arith::ShRUIOp>(op) && isShift(sum(op, 1)) && isCounted(sum(op, 0)))
      return sums.quotient(sum(op, 0), int64_t(1) << sum(op, 1).constant);
    if (isa<arith::ShLIOp>(op))
      return sums.term(made<arith::ShLIOp>(op));
    if (isa<arith::ShRSIOp>(op))
      return sums.term(made<arith::ShRSIOp>(op));
    if (isa<arith::ShRUIOp>(op))
      return sums.term(made<arith::ShRUIOp>(op));
    if (isa<arith::AndIOp>(op)) {
      const IndexSum &mask = sum(op, 1);
      if (mask.isConstant() && mask.constant > 0 && llvm::isMask_64(static_cast<uint64_t>(mask.constant)) &&
          mask.constant < far && isCounted(sum(op, 0)))
        return sums.remainder(sum(op, 0), mask.constant + 1);
      return sums.term(made<arith::AndIOp>(op));
    }
    if (isa<arith::OrIOp>(op))
      return sums.term(made<arith::OrIOp>(op));
    if (isa<arith::XOrIOp>(op))
      return sums.term(made<arith::XOrIOp>(op));
    if (isa<arith::SelectOp>(op))
      return sums.select(condition(op, 0), sum(op, 1), sum(op, 2));
    return std::nullopt;
  }

  static bool isShift(const IndexSum &x) { return x.isConstant() && x.constant >= 0 && x.constant < 60; }

  bool isCounted(const IndexSum &x) {
    const std::optional<Bounds> bounds = sums.boundsOf(x);
    return bounds && bounds->least >= 0;
  }

  IndexSum entryOf(id::LookupOp table) {
    Bounds bounds{std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
    for (auto entry : table.getValues().getAsRange<IntegerAttr>()) {
      bounds.least = std::min(bounds.least, entry.getValue().getSExtValue());
      bounds.most = std::max(bounds.most, entry.getValue().getSExtValue());
    }
    return sums.term(lookUp(table, sums.value(sum(*table, 0))), bounds);
  }

  IndexSum productOf(Operation &op) {
    const IndexSum &x = sum(op, 0), &y = sum(op, 1);
    if (x.isConstant() || y.isConstant())
      return y.isConstant() ? IndexSums::scaled(x, y.constant) : IndexSums::scaled(y, x.constant);
    const std::optional<Bounds> ofX = sums.boundsOf(x), ofY = sums.boundsOf(y);
    std::optional<Bounds> bounds;
    if (ofX && ofY && ofX->least >= 0 && ofY->least >= 0)
      bounds = narrowed(Wide(ofX->least) * ofY->least, Wide(ofX->most) * ofY->most);
    return sums.term(made<arith::MulIOp>(op), bounds);
  }

  /// The quotient towards zero, or what remains.
  IndexSum divided(Operation &op, bool isUnsigned, bool remains) {
    const IndexSum x = sum(op, 0), by = sum(op, 1);
    const std::optional<Bounds> bounds = sums.boundsOf(x);
    if (by.isConstant() && by.constant > 0 && by.constant < far && bounds) {
      auto of = [&](const IndexSum &number) {
        return remains ? sums.remainder(number, by.constant) : sums.quotient(number, by.constant);
      };
      if (bounds->least >= 0)
        return of(x);
      if (bounds->most <= 0 && !isUnsigned)
        return IndexSums::scaled(of(IndexSums::scaled(x, -1)), -1);
    }
    std::optional<Bounds> left;
    if (remains && by.isConstant() && by.constant > 0)
      left = {isUnsigned ? 0 : 1 - by.constant, by.constant - 1};
    return sums.term(remains ? (isUnsigned ? made<arith::RemUIOp>(op) : made<arith::RemSIOp>(op))
                             : (isUnsigned ? made<arith::DivUIOp>(op) : made<arith::DivSIOp>(op)),
                     left);
  }

  bool bit(Operation &op) {
    APInt fixed;
    IndexSums::Condition result;
    auto isNumber = [&](unsigned i) { return op.getOperand(i).getType().isInteger(64); };
    if (matchPattern(&op, m_ConstantInt(&fixed)))
      result.known = !fixed.isZero();
    else if (auto comparison = dyn_cast<arith::CmpIOp>(op); comparison && isNumber(0))
      result = sums.compare(comparison.getPredicate(), sum(op, 0), sum(op, 1));
    else if (isa<arith::AndIOp, arith::OrIOp>(op))
      result = both(condition(op, 0), condition(op, 1), isa<arith::OrIOp>(op));
    else if (isa<arith::XOrIOp>(op))
      result.value = b.createOrFold<arith::XOrIOp>(loc, sums.value(condition(op, 0)), sums.value(condition(op, 1)));
    else if (isa<arith::SelectOp>(op))
      result.value = b.createOrFold<arith::SelectOp>(loc, sums.value(condition(op, 0)), sums.value(condition(op, 1)),
                                                     sums.value(condition(op, 2)));
    else
      return false;
    if (result.value && matchPattern(result.value, m_ConstantInt(&fixed)))
      result.known = !fixed.isZero();
    bits[op.getResult(0)] = result;
    return true;
  }

  /// Both conditions; of `either`, one of them.
  IndexSums::Condition both(const IndexSums::Condition &x, const IndexSums::Condition &y, bool either) {
    if (x.known || y.known) {
      const auto &[fixed, other] = x.known ? std::tie(x, y) : std::tie(y, x);
      return *fixed.known == either ? fixed : other;
    }
    IndexSums::Condition result;
    result.value = either ? b.createOrFold<arith::OrIOp>(loc, x.value, y.value)
                          : b.createOrFold<arith::AndIOp>(loc, x.value, y.value);
    return result;
  }
};

} // namespace idc::conversion

std::optional<std::vector<IndexSum>> IndexSums::run(Region &body, llvm::function_ref<IndexSum(int)> digit,
                                                    LookUp lookUp, Parameter parameter) {
  return IndexBody(*this, digit, lookUp, parameter).run(body);
}
