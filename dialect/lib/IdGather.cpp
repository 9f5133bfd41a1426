// id.gather and id.scatter: what their bodies yield as plain numbers, and their canonical forms.
//
// A gather of a gather is one. Numbers that are affine are computed so, sums of run-time scalars with one remainder.
// One that the numbers show to move digits, or nothing, is a permutation, and so is such a scatter. A gather and a
// scatter by the same numbers undo each other, and so do gathers whose sums cancel.
#include "id/BitForm.h"
#include "id/IdDialect.h"
#include "id/IndexCode.h"
#include "id/LinearForm.h"
#include "id/ResidueSum.h"

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

bool id::yieldAlike(Region &a, Region &b, ArrayRef<int32_t> radices, int count) {
  if (const std::optional<BitMap> first = BitMap::of(a, radices))
    if (const std::optional<BitMap> second = BitMap::of(b, radices))
      return *first == *second;
  std::optional<IndexCode> first = IndexCode::of(a), second = IndexCode::of(b);
  const auto known = static_cast<int>(radices.size());
  if (!first || !second || first->highestDigit() > known || second->highestDigit() > known ||
      elementsOf(radices) > maxTried)
    return false;
  SmallVector<int64_t> digits(static_cast<size_t>(count), 0);
  do {
    std::optional<int64_t> place = first->at(digits);
    if (!place || place != second->at(digits))
      return false;
  } while (countUp(digits, radices));
  return true;
}

namespace {

/// The permutation that moves element body(k) of digits `before` to place k of digits `after`, the lowest of `count`,
/// if there is one: the numbers for no digit and for one at a time say which it would be. It is, where the number is a
/// sum of what digits give; else all numbers say whether it is.
std::optional<digits::Permutation> permutationOf(Region &body, ArrayRef<int32_t> before, ArrayRef<int32_t> after,
                                                 int count) {
  const int64_t length = elementsOf(after);
  const size_t n = after.size();
  if (before.size() != n || elementsOf(before) != length)
    return std::nullopt;
  const bool isSum = LinearForm::ofAll(body, after).contains(body.front().getTerminator()->getOperand(0)) ||
                     BitMap::of(body, after).has_value();
  if (!isSum && length > maxTried)
    return std::nullopt;
  std::optional<IndexCode> code = IndexCode::of(body);
  if (!code || code->highestDigit() > static_cast<int>(n))
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
  if (isSum)
    return map.extended(count);
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

/// A gather whose numbers are affine has the shortest body for them.
struct AffineGather : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    const auto before = op.getInput().getType().getRadices().take_front(op.getLowest());
    const auto after = op.getType().getRadices().take_front(op.getNewLowest());
    std::optional<IndexCode> code = IndexCode::of(op.getBody());
    constexpr int64_t maxOperations = int64_t(1) << 26; // of all evaluations
    if (!code || code->highestDigit() > op.getNewLowest() || code->size() <= 4 * after.size() + 6 ||
        elementsOf(after) > maxOperations / static_cast<int64_t>(code->size()))
      return failure();
    const std::optional<AffineNumbers> map =
        affineNumbers(elementsOf(after), elementsOf(before), NumberAt{*code, after});
    if (!map)
      return failure();
    auto affine = GatherOp::create(rewriter, op.getLoc(), op.getType(), op.getInput(), op.getLowest());
    writeAffine(rewriter, op.getLoc(), affine.getBody(), after, *map);
    rewriter.replaceOp(op, affine);
    return success();
  }

private:
  /// The number that a code yields for the digits of k.
  struct NumberAt {
    IndexCode &code;
    ArrayRef<int32_t> radices;
    SmallVector<int64_t> digits = SmallVector<int64_t>(radices.size(), 0);

    std::optional<int64_t> operator()(int64_t k) {
      countTo(k, digits, radices);
      return code.at(digits);
    }
  };
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
    if (!yieldAlike(op.getBody(), inner.getBody(), digits.getRadices().take_front(lowest), digits.getNumDigits()))
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
    IRMapping outside;
    for (Operation &each : op.getBody().front().without_terminator())
      rewriter.clone(each, outside);
    Value index = outside.lookup(op.getBody().front().getTerminator()->getOperand(0));
    const auto own = inner.getType().getRadices().take_front(op.getLowest());
    YieldOp::create(rewriter, loc, numberAt(rewriter, loc, inner.getBody(), own, index, op.getNewLowest()));
    rewriter.replaceOp(op, both);
    return success();
  }
};

/// A gather whose numbers are sums modulo the length has one remainder, and no terms that cancel.
struct SumGather : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    const ArrayRef<int32_t> radices = op.getType().getRadices();
    const auto before = op.getInput().getType().getRadices().take_front(op.getLowest());
    const std::optional<ResidueSum> sum = ResidueSum::of(op.getBody(), radices.size(), elementsOf(before));
    const bool endsWithOne =
        op.getBody().front().getTerminator()->getOperand(0).getDefiningOp<arith::RemSIOp>() != nullptr;
    if (!sum || sum->remainders == endsWithOne)
      return failure();
    auto gather = GatherOp::create(rewriter, op.getLoc(), op.getType(), op.getInput(), op.getLowest());
    if (!sum->write(rewriter, op.getLoc(), gather.getBody(), radices, static_cast<size_t>(op.getNewLowest()))) {
      rewriter.eraseOp(gather);
      return failure();
    }
    rewriter.replaceOp(op, gather);
    return success();
  }
};

/// gather(resize(x)) -> gather(x), where nothing was made longer: an element keeps its number
struct GatherBeforeResize : OpRewritePattern<GatherOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(GatherOp op, PatternRewriter &rewriter) const override {
    auto resize = op.getInput().getDefiningOp<ResizeOp>();
    if (!resize || resize.pads() || resize.getNewLowest() != static_cast<int>(op.getLowest()))
      return failure();
    auto gather = GatherOp::create(rewriter, op.getLoc(), op.getType(), resize.getInput(), resize.getLowest());
    rewriter.cloneRegionBefore(op.getBody(), gather.getBody(), gather.getBody().end());
    rewriter.replaceOp(op, gather);
    return success();
  }
};

/// resize(scatter(x)) -> scatter(x), where as many elements have other digits: an element keeps its number
struct ResizeAfterScatter : OpRewritePattern<ResizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(ResizeOp op, PatternRewriter &rewriter) const override {
    auto scatter = op.getInput().getDefiningOp<ScatterOp>();
    if (!scatter || !scatter->hasOneUse() || op.getOldLength() != op.getNewLength() ||
        static_cast<int>(op.getLowest()) > scatter.getNewLowest())
      return failure();
    auto sent = ScatterOp::create(rewriter, scatter.getLoc(), op.getType(), scatter.getInput(), scatter.getLowest());
    rewriter.cloneRegionBefore(scatter.getBody(), sent.getBody(), sent.getBody().end());
    rewriter.replaceOp(op, sent);
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
  patterns.add<GatherToPermute, ComposeGathers, SumGather, AffineGather, GatherBeforeRepeat, GatherBeforeResize,
               DropUndone<GatherOp, ScatterOp>>(context);
}

void ScatterOp::getCanonicalizationPatterns(RewritePatternSet &patterns, MLIRContext *context) {
  patterns.add<ScatterToPermute, ResizeAfterScatter, DropUndone<ScatterOp, GatherOp>>(context);
}
