// Input: the algebra. Output: digit flow: at most one permutation between the last step and each result.
//
// A permutation P moves the element at digits t to digits P(t), so a step after P is P after the same step with its
// digits renamed: place p reads digit P.source(p).
//
//   twiddle(permute(x, P), f)  ->  permute(twiddle(x, f[t_p := t_source(p)]), P)
//   node [i](permute(x, P))    ->  permute(node [source(i)](x), P)
//   pointwise(permute(x, P))   ->  permute(pointwise(x), P), id.digit and id.omega in the body renamed
//
// A complemented digit t reads as r-1-t in exponents and bodies. Several operands move together when all come through
// the same permutation; where they differ, the first one's is pushed and the others keep the difference on their edge.
// An operand that is repeated along digits keeps the permutation that puts them in place, unless all operands are.
// A node on a complemented digit takes and gives its elements in reverse order along that digit. A node that removes or
// inserts digits stops the permutation.
#include "compiler/passes/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace idc;
using digits::Permutation;
using digits::Polynomial;

namespace idc::passes {
#define GEN_PASS_DEF_PUSHPERMUTATIONS
#include "compiler/passes/Passes.h.inc"

namespace {

/// The exponent in the digits before the permutation.
Polynomial renamed(const Polynomial &polynomial, const Permutation &p, ArrayRef<int32_t> radicesAfter) {
  return polynomial.substitute([&](int place) {
    Polynomial digit = Polynomial::digit(p.source(place));
    return p.complemented(place) ? Polynomial::constant(radicesAfter[place - 1] - 1) - digit : digit;
  });
}

struct PushThroughTwiddle : OpRewritePattern<id::TwiddleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(id::TwiddleOp op, PatternRewriter &rewriter) const override {
    auto permute = op.getInput().getDefiningOp<id::PermuteOp>();
    if (!permute)
      return failure();
    id::SeqType before = permute.getInput().getType();
    Polynomial exponent = renamed(op.getExponent().getPolynomial(), permute.getMap().getPermutation(),
                                  permute.getResult().getType().getRadices());
    exponent = exponent.reduced(op.getRoot(), std::vector<int>(before.getRadices().begin(), before.getRadices().end()));
    auto moved = id::TwiddleOp::create(rewriter, op.getLoc(), before, permute.getInput(), op.getRoot(),
                                       id::PolyAttr::get(op.getContext(), exponent));
    rewriter.replaceOpWithNewOp<id::PermuteOp>(op, op.getType(), moved.getResult(), permute.getMap());
    return success();
  }
};

/// permute before a repetition -> after it, the repeated digits staying where they are.
struct PushThroughRepeat : OpRewritePattern<id::RepeatOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(id::RepeatOp op, PatternRewriter &rewriter) const override {
    auto permute = op.getInput().getDefiningOp<id::PermuteOp>();
    if (!permute)
      return failure();
    SmallVector<int32_t> radices(permute.getInput().getType().getRadices());
    llvm::append_range(radices, op.getType().getRadices().drop_front(radices.size()));
    auto type = id::SeqType::get(op.getContext(), radices, op.getType().getElement());
    auto moved = id::RepeatOp::create(rewriter, op.getLoc(), type, permute.getInput());
    Permutation map = permute.getMap().getPermutation().extended(static_cast<int>(radices.size()));
    rewriter.replaceOpWithNewOp<id::PermuteOp>(op, op.getType(), moved.getResult(),
                                               id::PermAttr::get(op.getContext(), map));
    return success();
  }
};

bool isRepeated(Value value) {
  while (auto permute = value.getDefiningOp<id::PermuteOp>())
    value = permute.getInput();
  return value.getDefiningOp<id::RepeatOp>() != nullptr;
}

/// The permutation of the operand that leads: the first that is no repetition of something smaller, if any. Following a
/// repetition would move the larger operands.
id::PermuteOp leadingPermutation(Operation *op) {
  for (Value operand : op->getOperands())
    if (!isRepeated(operand))
      return operand.getDefiningOp<id::PermuteOp>();
  return op->getOperand(0).getDefiningOp<id::PermuteOp>();
}

/// The operands before the leading permutation; the others composed with its inverse where theirs differs.
bool takeOperands(Operation *op, PatternRewriter &rewriter, id::PermuteOp &first, SmallVector<Value> &operands) {
  first = leadingPermutation(op);
  if (!first)
    return false;
  Permutation inverse = first.getMap().getPermutation().inverse();
  for (Value operand : op->getOperands()) {
    auto permute = operand.getDefiningOp<id::PermuteOp>();
    if (permute && permute.getMap() == first.getMap()) {
      operands.push_back(permute.getInput());
      continue;
    }
    auto type =
        id::SeqType::get(op->getContext(), first.getInput().getType().getRadices(), id::elementOf(operand.getType()));
    operands.push_back(
        id::PermuteOp::create(rewriter, op->getLoc(), type, operand, id::PermAttr::get(op->getContext(), inverse)));
  }
  return true;
}

/// Renames what a body says of its digits.
void renameBody(Region &body, const Permutation &p, ArrayRef<int32_t> before, ArrayRef<int32_t> after,
                PatternRewriter &rewriter) {
  SmallVector<Operation *> users;
  body.walk([&](Operation *op) {
    if (isa<id::DigitOp, id::OmegaOp>(op))
      users.push_back(op);
  });
  for (Operation *op : users) {
    if (auto omega = dyn_cast<id::OmegaOp>(op)) {
      Polynomial exponent = renamed(omega.getExponent().getPolynomial(), p, after)
                                .reduced(omega.getRoot(), std::vector<int>(before.begin(), before.end()));
      rewriter.modifyOpInPlace(op, [&] { omega.setExponentAttr(id::PolyAttr::get(op->getContext(), exponent)); });
      continue;
    }
    auto digit = cast<id::DigitOp>(op);
    int place = static_cast<int>(digit.getDigit());
    rewriter.modifyOpInPlace(op, [&] { digit.setDigit(p.source(place)); });
    if (p.complemented(place)) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointAfter(op);
      Value top = arith::ConstantOp::create(rewriter, op->getLoc(), rewriter.getI64IntegerAttr(after[place - 1] - 1));
      Value value = arith::SubIOp::create(rewriter, op->getLoc(), top, digit.getResult());
      rewriter.replaceAllUsesExcept(digit.getResult(), value, value.getDefiningOp());
    }
  }
}

/// Reorders the body's arguments and results of a node whose digits arrive complemented: element k of the body is the
/// element with those digits of k complemented. `radices` are those of the node's arrangement.
void reverseComplemented(id::NodeOp node, const Permutation &p, ArrayRef<int32_t> radices) {
  size_t arity = 1; // the node's own digits and types may disagree while it moves
  for (int64_t digit : node.getDigits())
    arity *= radices[digit - 1];
  std::vector<size_t> from(arity);
  bool identity = true;
  for (size_t k = 0; k < arity; ++k) {
    size_t rest = k, weight = 1;
    for (int64_t digit : llvm::reverse(node.getDigits())) {
      size_t radix = radices[digit - 1], value = rest % radix;
      from[k] += (p.complemented(static_cast<int>(digit)) ? radix - 1 - value : value) * weight;
      rest /= radix;
      weight *= radix;
    }
    identity &= from[k] == k;
  }
  if (identity)
    return;
  Block &block = node.getBody().front();
  // Values come operand by operand, each as `arity` elements of its leaves.
  auto permuted = [&](ValueRange operands, ValueRange values) {
    SmallVector<Value> result;
    size_t start = 0;
    for (Value operand : operands) {
      size_t leaves = id::leafTypes(id::elementOf(operand.getType())).size();
      for (size_t k = 0; k < arity; ++k)
        for (size_t leaf = 0; leaf < leaves; ++leaf)
          result.push_back(values[start + from[k] * leaves + leaf]);
      start += arity * leaves;
    }
    return result;
  };
  SmallVector<Value> sources = permuted(node.getInputs(), block.getArguments());
  SmallVector<SmallVector<OpOperand *>> uses;
  for (BlockArgument argument : block.getArguments()) {
    auto &list = uses.emplace_back();
    for (OpOperand &use : argument.getUses())
      list.push_back(&use);
  }
  for (auto [list, source] : llvm::zip(uses, sources))
    for (OpOperand *use : list)
      use->set(source);
  Operation *yield = block.getTerminator();
  yield->setOperands(permuted(node.getOutputs(), yield->getOperands()));
}

/// `op` with operands before the permutation and `rename`d attributes; its results permuted afterwards.
void moveOp(Operation *op, id::PermuteOp permute, ArrayRef<Value> operands, PatternRewriter &rewriter) {
  ArrayRef<int32_t> before = permute.getInput().getType().getRadices();
  ArrayRef<int32_t> after = permute.getResult().getType().getRadices();
  Operation *moved = rewriter.clone(*op);
  rewriter.modifyOpInPlace(moved, [&] {
    moved->setOperands(operands);
    for (Value result : moved->getResults())
      result.setType(id::SeqType::get(op->getContext(), before, id::elementOf(result.getType())));
  });
  renameBody(moved->getRegion(0), permute.getMap().getPermutation(), before, after, rewriter);
  if (auto node = dyn_cast<id::NodeOp>(moved)) {
    SmallVector<int64_t> digits;
    for (int64_t digit : node.getDigits())
      digits.push_back(permute.getMap().getPermutation().source(static_cast<int>(digit)));
    rewriter.modifyOpInPlace(moved, [&] {
      reverseComplemented(node, permute.getMap().getPermutation(), after);
      node.setDigits(digits);
    });
  }
  SmallVector<Value> results;
  for (auto [result, old] : llvm::zip(moved->getResults(), op->getResults()))
    results.push_back(
        id::PermuteOp::create(rewriter, op->getLoc(), old.getType(), result, permute.getMap()).getResult());
  rewriter.replaceOp(op, results);
}

struct PushThroughPointwise : OpRewritePattern<id::PointwiseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(id::PointwiseOp op, PatternRewriter &rewriter) const override {
    id::PermuteOp permute;
    SmallVector<Value> operands;
    if (!takeOperands(op, rewriter, permute, operands))
      return failure();
    moveOp(op, permute, operands, rewriter);
    return success();
  }
};

struct PushThroughNode : OpRewritePattern<id::NodeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(id::NodeOp op, PatternRewriter &rewriter) const override {
    if (!op.preservesDigits())
      return failure();
    id::PermuteOp permute;
    SmallVector<Value> operands;
    if (!takeOperands(op, rewriter, permute, operands))
      return failure();
    moveOp(op, permute, operands, rewriter);
    return success();
  }
};

struct PushPermutations : impl::PushPermutationsBase<PushPermutations> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<PushThroughTwiddle, PushThroughPointwise, PushThroughNode, PushThroughRepeat>(&getContext());
    id::PermuteOp::getCanonicalizationPatterns(patterns, &getContext());
    id::RepeatOp::getCanonicalizationPatterns(patterns, &getContext());
    GreedyRewriteConfig config;
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    config.setUseTopDownTraversal(true);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};

} // namespace
} // namespace idc::passes
