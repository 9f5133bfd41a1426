// Input: the algebra. Output: the algebra, products with roots of unity as id.twiddle.
//
// A pointwise step of one input whose body is the product of its argument and an omega with a polynomial exponent,
// perhaps conjugated, becomes id.twiddle, whose exponent later passes split and move.
//
//   %1 = id.pointwise(%0) { ^bb0(%x): %w = id.omega(8, t2*t1)  %y = complex.mul %x, %w  id.yield %y }
//   -> %1 = id.twiddle %0 omega(8, t2*t1)
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

struct ProductWithRoot : OpRewritePattern<id::PointwiseOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(id::PointwiseOp op, PatternRewriter &rewriter) const override {
    if (op.getInputs().size() != 1 || op.getOutputs().size() != 1 ||
        op.getInputs()[0].getType() != op.getOutputs()[0].getType())
      return failure();
    Block &block = op.getBody().front();
    if (block.getNumArguments() != 1)
      return failure();
    Operation *product = block.getTerminator()->getOperand(0).getDefiningOp();
    if (!isa_and_nonnull<complex::MulOp, id::ModMulOp>(product))
      return failure();
    Value data = product->getOperand(0), factor = product->getOperand(1);
    if (data != block.getArgument(0))
      std::swap(data, factor);
    int64_t root = 1;
    digits::Polynomial exponent;
    if (data != block.getArgument(0) || !rootOfUnity(factor, root, exponent))
      return failure();
    ArrayRef<int32_t> radices = id::radicesOf(op.getInputs()[0].getType());
    exponent = exponent.reduced(root, std::vector<int>(radices.begin(), radices.end()));
    rewriter.replaceOpWithNewOp<id::TwiddleOp>(op, op.getOutputs()[0].getType(), op.getInputs()[0], root,
                                               id::PolyAttr::get(op.getContext(), exponent));
    return success();
  }
};

struct ExtractTwiddles : impl::ExtractTwiddlesBase<ExtractTwiddles> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<ProductWithRoot>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

} // namespace
} // namespace idc::passes
