// id.gather and id.scatter: what their bodies yield as plain numbers, and their canonical forms.
//
// A gather of a gather is one. One that the numbers show to move digits, or nothing, is a permutation, and so is such a
// scatter. A gather and a scatter by the same numbers undo each other.
#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace mlir;
using namespace idc;
using namespace idc::id;

int GatherOp::getNewLowest() {
  return getType().getNumDigits() - (getInput().getType().getNumDigits() - static_cast<int>(getLowest()));
}
int ScatterOp::getNewLowest() {
  return getType().getNumDigits() - (getInput().getType().getNumDigits() - static_cast<int>(getLowest()));
}

namespace {

int64_t lengthOf(ArrayRef<int32_t> radices) {
  return std::accumulate(radices.begin(), radices.end(), int64_t(1), std::multiplies<int64_t>());
}

/// A body, made ready to be evaluated often: of integers of 64 bits and of bools, which are 0 and 1.
class IndexCode {
public:
  /// Null for a body with run-time scalars, or other ops.
  static std::optional<IndexCode> of(Region &body) {
    IndexCode code;
    for (Operation &op : body.front().without_terminator())
      if (!code.add(op))
        return std::nullopt;
    code.result = code.numbers.lookup(body.front().getTerminator()->getOperand(0));
    return code;
  }

  /// The number yielded for digits, least significant first; nothing where the body divides by zero.
  std::optional<int64_t> at(ArrayRef<int64_t> digits) {
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
          return std::nullopt;
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
          return std::nullopt;
        out = step.kind == Kind::Shl ? static_cast<int64_t>(word(0) << word(1)) : in(0) >> in(1);
        break;
      case Kind::Compare:
        out = compare(static_cast<arith::CmpIPredicate>(step.constant), in(0), in(1));
        break;
      case Kind::Select:
        out = in(0) ? in(1) : in(2);
        break;
      }
    }
    return values[static_cast<size_t>(result)];
  }

private:
  enum class Kind { Constant, Digit, Add, Sub, Mul, Div, Rem, And, Or, Xor, Shl, Shr, Compare, Select };
  struct Step {
    Kind kind;
    int64_t constant; // Constant; Digit: its number; Compare: the predicate
    int operands[3];
  };
  std::vector<Step> steps;
  std::vector<int64_t> values;
  DenseMap<Value, int> numbers;
  int result = 0;

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

  bool add(Operation &op) {
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
                                   .Case<arith::DivSIOp>([](auto) { return Kind::Div; })
                                   .Case<arith::RemSIOp>([](auto) { return Kind::Rem; })
                                   .Case<arith::AndIOp>([](auto) { return Kind::And; })
                                   .Case<arith::OrIOp>([](auto) { return Kind::Or; })
                                   .Case<arith::XOrIOp>([](auto) { return Kind::Xor; })
                                   .Case<arith::ShLIOp>([](auto) { return Kind::Shl; })
                                   .Case<arith::ShRSIOp>([](auto) { return Kind::Shr; })
                                   .Case<arith::CmpIOp>([](auto) { return Kind::Compare; })
                                   .Case<arith::SelectOp>([](auto) { return Kind::Select; })
                                   .Default([](auto) { return std::nullopt; });
    const bool isLogical = kind == Kind::Constant || kind == Kind::And || kind == Kind::Or || kind == Kind::Xor ||
                           kind == Kind::Compare || kind == Kind::Select;
    if (!kind || (width != 64 && !(width == 1 && isLogical)))
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
    }
    numbers[op.getResult(0)] = static_cast<int>(steps.size());
    steps.push_back(step);
    values.push_back(0);
    return true;
  }
};

/// How many numbers are tried.
constexpr int64_t maxTried = 1 << 20;

/// Puts the next digits in place of these, counting up; false behind the last.
bool countUp(MutableArrayRef<int64_t> digits, ArrayRef<int32_t> radices) {
  for (size_t digit = 0; digit < radices.size(); ++digit) {
    if (++digits[digit] < radices[digit])
      return true;
    digits[digit] = 0;
  }
  return false;
}

/// The permutation that moves element body(k) of digits `before` to place k of digits `after`, the lowest of `count`,
/// if there is one: the numbers for no digit and for one at a time say which it would be, and all numbers whether it
/// is.
std::optional<digits::Permutation> permutationOf(Region &body, ArrayRef<int32_t> before, ArrayRef<int32_t> after,
                                                 int count) {
  const int64_t length = lengthOf(after);
  const size_t n = after.size();
  if (before.size() != n || lengthOf(before) != length || length > maxTried)
    return std::nullopt;
  std::optional<IndexCode> code = IndexCode::of(body);
  if (!code)
    return std::nullopt;
  SmallVector<int64_t> digits(static_cast<size_t>(count), 0);
  std::optional<int64_t> origin = code->at(digits);
  if (!origin || *origin < 0 || *origin >= length)
    return std::nullopt;
  std::vector<int> sources(n, 0), complemented;
  for (size_t place = 0; place < n; ++place) {
    digits[place] = 1;
    std::optional<int64_t> moved = code->at(digits);
    digits[place] = 0;
    if (!moved)
      return std::nullopt;
    int64_t weight = 1, rest = *origin;
    for (size_t digit = 0; digit < n; weight *= before[digit], rest /= before[digit], ++digit)
      if (before[digit] == after[place] && std::abs(*moved - *origin) == weight)
        if (rest % before[digit] == (*moved < *origin ? before[digit] - 1 : 0)) {
          sources[place] = static_cast<int>(digit) + 1;
          if (*moved < *origin)
            complemented.push_back(static_cast<int>(place) + 1);
        }
  }
  if (!digits::Permutation::isBijection(sources))
    return std::nullopt;
  digits::Permutation map = digits::Permutation::fromSources(sources);
  for (int place : complemented)
    map = map.then(digits::Permutation::complement(static_cast<int>(n), place));
  const digits::Permutation inverse = map.inverse();
  const std::vector<int> radices(after.begin(), after.end());
  int64_t index = 0;
  do {
    std::optional<int64_t> place = code->at(digits);
    if (!place || *place != inverse.destinationIndex(radices, index++))
      return std::nullopt;
  } while (countUp(digits, after));
  return map.extended(count);
}

/// True when two bodies yield the same number for all values of the lowest `radices` of `count` digits.
bool areEqual(Region &a, Region &b, ArrayRef<int32_t> radices, int count) {
  std::optional<IndexCode> first = IndexCode::of(a), second = IndexCode::of(b);
  if (!first || !second || lengthOf(radices) > maxTried)
    return false;
  SmallVector<int64_t> digits(static_cast<size_t>(count), 0);
  do {
    std::optional<int64_t> place = first->at(digits);
    if (!place || place != second->at(digits))
      return false;
  } while (countUp(digits, radices));
  return true;
}

/// A gather that moves digits is a permutation.
struct GatherToPermute : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    std::optional<digits::Permutation> map =
        permutationOf(op.getBody(), op.getInput().getType().getRadices().take_front(op.getLowest()),
                      op.getType().getRadices().take_front(op.getNewLowest()), op.getType().getNumDigits());
    if (!map)
      return failure();
    rewriter.replaceOpWithNewOp<PermuteOp>(op, op.getType(), op.getInput(), PermAttr::get(op.getContext(), *map));
    return success();
  }
};

/// So is a scatter, the inverse of that which its body would be as a gather.
struct ScatterToPermute : OpRewritePattern<ScatterOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ScatterOp op, PatternRewriter &rewriter) const override {
    SeqType from = op.getInput().getType();
    std::optional<digits::Permutation> map =
        permutationOf(op.getBody(), op.getType().getRadices().take_front(op.getNewLowest()),
                      from.getRadices().take_front(op.getLowest()), from.getNumDigits());
    if (!map)
      return failure();
    rewriter.replaceOpWithNewOp<PermuteOp>(op, op.getType(), op.getInput(),
                                           PermAttr::get(op.getContext(), map->inverse()));
    return success();
  }
};

/// gather(scatter(x, a), a) -> x, and scatter(gather(x, a), a) -> x: a is one-to-one
template <class Op, class Inner> struct DropUndone : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().template getDefiningOp<Inner>();
    if (!inner || inner.getInput().getType() != op.getType() ||
        inner.getNewLowest() != static_cast<int>(op.getLowest()))
      return failure();
    SeqType digits = isa<GatherOp>(op) ? op.getType() : op.getInput().getType(); // of both bodies
    const auto lowest =
        isa<GatherOp>(op) ? static_cast<size_t>(op.getNewLowest()) : static_cast<size_t>(op.getLowest());
    if (!areEqual(op.getBody(), inner.getBody(), digits.getRadices().take_front(lowest), digits.getNumDigits()))
      return failure();
    rewriter.replaceOp(op, inner.getInput());
    return success();
  }
};

/// gather(gather(x, a), b) -> gather(x, a at the digits of b)
struct ComposeGathers : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    auto inner = op.getInput().getDefiningOp<GatherOp>();
    if (!inner || inner.getNewLowest() != static_cast<int>(op.getLowest()))
      return failure();
    Location loc = op.getLoc();
    auto both = GatherOp::create(rewriter, loc, op.getType(), inner.getInput(), inner.getLowest());
    rewriter.createBlock(&both.getBody());
    IRMapping outside, inside;
    for (Operation &each : op.getBody().front().without_terminator())
      rewriter.clone(each, outside);
    Value index = outside.lookup(op.getBody().front().getTerminator()->getOperand(0));
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(rewriter, loc, rewriter.getI64IntegerAttr(value));
    };
    const int own = static_cast<int>(op.getLowest());
    SmallVector<Value> digits;
    for (int digit = 0; digit < own; ++digit) {
      Value radix = constant(inner.getType().getRadices()[static_cast<size_t>(digit)]);
      digits.push_back(arith::RemSIOp::create(rewriter, loc, index, radix));
      index = arith::DivSIOp::create(rewriter, loc, index, radix);
    }
    for (Operation &each : inner.getBody().front().without_terminator()) {
      auto digit = dyn_cast<DigitOp>(each);
      if (!digit) {
        rewriter.clone(each, inside);
        continue;
      }
      const int number = static_cast<int>(digit.getDigit());
      inside.map(digit.getResult(),
                 number <= own
                     ? digits[static_cast<size_t>(number) - 1]
                     : DigitOp::create(rewriter, loc, digit.getType(), number - own + op.getNewLowest()).getResult());
    }
    YieldOp::create(rewriter, loc, inside.lookup(inner.getBody().front().getTerminator()->getOperand(0)));
    rewriter.replaceOp(op, both);
    return success();
  }
};

/// gather(repeat(x)) -> repeat(gather(x)), where the repeated digits are above those of the gather
struct GatherBeforeRepeat : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    auto repeat = op.getInput().getDefiningOp<RepeatOp>();
    if (!repeat || repeat.getInput().getType().getNumDigits() < static_cast<int>(op.getLowest()))
      return failure();
    const size_t above = repeat.getType().getRadices().size() - repeat.getInput().getType().getRadices().size();
    WalkResult uses = op.getBody().walk([&](DigitOp digit) {
      return static_cast<size_t>(digit.getDigit()) > op.getType().getRadices().size() - above ? WalkResult::interrupt()
                                                                                              : WalkResult::advance();
    });
    if (uses.wasInterrupted())
      return failure();
    auto type = SeqType::get(op.getContext(), op.getType().getRadices().drop_back(above), op.getType().getElement());
    auto gather = GatherOp::create(rewriter, op.getLoc(), type, repeat.getInput(), op.getLowest());
    rewriter.cloneRegionBefore(op.getBody(), gather.getBody(), gather.getBody().end());
    rewriter.replaceOpWithNewOp<RepeatOp>(op, op.getType(), gather);
    return success();
  }
};

} // namespace

void GatherOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<GatherToPermute, ComposeGathers, GatherBeforeRepeat, DropUndone<GatherOp, ScatterOp>>(context);
}

void ScatterOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ScatterToPermute, DropUndone<ScatterOp, GatherOp>>(context);
}
