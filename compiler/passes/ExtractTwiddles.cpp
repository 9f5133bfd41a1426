// Input: the algebra. Output: the algebra, products with roots of unity as id.twiddle.
//
// A pointwise step of one input whose body is the product of its argument and an omega with a polynomial exponent,
// perhaps conjugated, becomes id.twiddle, whose exponent later passes split and move.
//
//   %1 = id.pointwise(%0) { ^bb0(%x): %w = id.omega(8, t2*t1)  %y = complex.mul %x, %w  id.yield %y }
//   -> %1 = id.twiddle %0 omega(8, t2*t1)
//
// A node that takes an element of an array only in a product with such an omega, or gives such a product as an element
// of an array, leaves it to an id.twiddle before or after it; of the node's digits (radix 2) the exponent becomes a
// factor t where the element has a one, 1 - t where it has a zero.
//
//   %1 = id.node [2] (%0) { ^bb0(%x, %y): %w = id.omega(4, t1)  %z = complex.mul %y, %w … }
//   -> %1 = id.twiddle %0 omega(4, t2*t1)  %2 = id.node [2] (%1) { ^bb0(%x, %y): … }
//
// Left alone: exponents that are no polynomial, products with more than one data argument.
#include "compiler/passes/Passes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_EXTRACTTWIDDLES
#include "compiler/passes/Passes.h.inc"

namespace {

/// root^exponent of a value made of omegas by products and conjugation; false otherwise.
bool rootOfUnity(Value value, int64_t &root, digits::Polynomial &exponent) {
  if (auto omega = value.getDefiningOp<id::OmegaOp>(); omega && !omega.getDynamic()) {
    root = omega.getRoot();
    exponent = omega.getExponent().getPolynomial();
    return true;
  }
  if (auto conj = value.getDefiningOp<complex::ConjOp>()) {
    if (!rootOfUnity(conj.getComplex(), root, exponent))
      return false;
    exponent = exponent * -1;
    return true;
  }
  return false;
}

/// Splits a product into data and a root of unity; false for other values.
bool productWithRoot(Value product, Value &data, int64_t &root, digits::Polynomial &exponent) {
  Operation *op = product.getDefiningOp();
  if (!isa_and_nonnull<complex::MulOp, id::ModMulOp>(op))
    return false;
  for (unsigned i : {0u, 1u}) {
    data = op->getOperand(i);
    if (rootOfUnity(op->getOperand(1 - i), root, exponent))
      return true;
  }
  return false;
}

id::TwiddleOp createTwiddle(OpBuilder &builder, Location loc, Value value, int64_t root,
                            const digits::Polynomial &exponent) {
  ArrayRef<int32_t> radices = id::radicesOf(value.getType());
  digits::Polynomial reduced = exponent.reduced(root, std::vector<int>(radices.begin(), radices.end()));
  return id::TwiddleOp::create(builder, loc, value.getType(), value, root,
                               id::PolyAttr::get(builder.getContext(), reduced));
}

struct ProductWithRoot : OpRewritePattern<id::PointwiseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(id::PointwiseOp op, PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 1 || op.getOutputs().size() != 1 ||
        op.getInputs()[0].getType() != op.getOutputs()[0].getType())
      return failure();
    Block &block = op.getBody().front();
    Value data;
    int64_t root = 1;
    digits::Polynomial exponent;
    if (block.getNumArguments() != 1 || !productWithRoot(block.getTerminator()->getOperand(0), data, root, exponent) ||
        data != block.getArgument(0))
      return failure();
    rewriter.replaceOp(op, createTwiddle(rewriter, op.getLoc(), op.getInputs()[0], root, exponent));
    return success();
  }
};

/// The element of the array `data` (an operand or result of the node, with all its digits, of one leaf) that has number
/// `position` among the leaves of all: as a factor that is 1 for its elements, 0 for others.
std::optional<digits::Polynomial> selects(id::NodeOp node, ValueRange values, size_t position, size_t &index) {
  for (auto [i, value] : llvm::enumerate(values)) {
    ArrayRef<int32_t> radices = id::radicesOf(value.getType());
    bool isArray = node.isArray(value);
    size_t leaves = id::leafTypes(id::elementOf(value.getType())).size();
    size_t count = isArray ? leaves * static_cast<size_t>(node.getArity()) : leaves;
    if (position >= count) {
      position -= count;
      continue;
    }
    if (!isArray || leaves != 1)
      return std::nullopt;
    index = i;
    auto factor = digits::Polynomial::constant(1);
    for (int64_t digit : llvm::reverse(node.getDigits())) {
      if (radices[digit - 1] != 2)
        return std::nullopt;
      auto t = digits::Polynomial::digit(static_cast<int>(digit));
      factor = factor * (position % 2 ? t : digits::Polynomial::constant(1) - t);
      position /= 2;
    }
    return factor;
  }
  return std::nullopt;
}

/// A product with a one, in a node.
struct ProductWithOne : OpRewritePattern<id::NodeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(id::NodeOp op, PatternRewriter &rewriter) const override {
    Value data;
    int64_t root = 1;
    digits::Polynomial exponent;
    for (Operation &product : op.getBody().front())
      if (product.getNumResults() == 1 && productWithRoot(product.getResult(0), data, root, exponent) &&
          exponent.reduced(root).isZero()) {
        rewriter.replaceOp(&product, data);
        return success();
      }
    return failure();
  }
};

struct ProductInNode : OpRewritePattern<id::NodeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(id::NodeOp op, PatternRewriter &rewriter) const override {
    Block &block = op.getBody().front();
    Value data;
    int64_t root = 1;
    digits::Polynomial exponent;
    size_t index = 0;
    auto varies = [&](Value product) {
      return productWithRoot(product, data, root, exponent) && !exponent.isConstant();
    };
    for (BlockArgument argument : block.getArguments()) {
      if (!argument.hasOneUse())
        continue;
      Operation *user = *argument.user_begin();
      if (user->getNumResults() != 1 || !varies(user->getResult(0)) || data != argument)
        continue;
      auto factor = selects(op, op.getInputs(), argument.getArgNumber(), index);
      if (!factor)
        continue;
      Value turned = createTwiddle(rewriter, op.getLoc(), op.getInputs()[index], root, exponent * *factor);
      rewriter.replaceOp(user, argument);
      rewriter.modifyOpInPlace(op, [&] { op.getInputsMutable()[index].assign(turned); });
      return success();
    }
    for (OpOperand &result : block.getTerminator()->getOpOperands()) {
      if (!varies(result.get()) || !result.get().hasOneUse())
        continue;
      auto factor = selects(op, op.getOutputs(), result.getOperandNumber(), index);
      if (!factor)
        continue;
      rewriter.modifyOpInPlace(block.getTerminator(), [&] { result.set(data); });
      rewriter.setInsertionPointAfter(op);
      Value output = op.getOutputs()[index];
      auto turned = createTwiddle(rewriter, op.getLoc(), output, root, exponent * *factor);
      rewriter.replaceAllUsesExcept(output, turned, turned);
      return success();
    }
    return failure();
  }
};

struct ExtractTwiddles : impl::ExtractTwiddlesBase<ExtractTwiddles> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ProductWithRoot, ProductWithOne, ProductInNode>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace idc::passes
