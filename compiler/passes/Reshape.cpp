// Input: steps, and resizes between digits of the same number of elements. Output: arguments and results of the
// function have the digits that steps next to them see, where that makes resizes superfluous.
//
// A buffer has no digits but those that its type gives it. So a resize of a whole argument into other digits of as many
// elements is no step, and neither is one of a result; between them they go through pointwise steps that depend on
// digits through the number of an element alone.
//
//   func @f(%x: seq<2**2 * 3>) { %0 = id.resize %x lowest 3 : <2**2 * 3> -> <2 * 3 * 2> … id.node [2] (%0) …
//   func @f(%x: seq<2 * 3 * 2>) { … id.node [2] (%x) …
//
// So that a resize of one dimension meets the argument, or the result, of several, permutations go down through it:
// `id.permute` brings the dimension's digits to the bottom, `id.resize` changes them, `id.permute` brings them back.
//
// Arrays whose layout has several dimensions keep their digits. What stays between two steps takes each element from
// the place of its number, as a gather does, so that a kernel of both exchanges it.
#include "compiler/passes/Elementwise.h"

#include "id/ArrayType.h"
#include "id/IndexCode.h"
#include "id/LinearForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_RESHAPE
#include "compiler/passes/Passes.h.inc"

namespace {

/// The resize that made the value, if it keeps all elements.
id::ResizeOp reshapeOf(Value value) {
  auto resize = value.getDefiningOp<id::ResizeOp>();
  return resize && resize.getOldLength() == resize.getNewLength() ? resize : id::ResizeOp();
}

/// The digits that a reshape changes: `first` is the lowest, `before` as many become `after` as many.
struct Changed {
  int first = 1, before = 0, after = 0;

  explicit Changed(id::ResizeOp reshape) {
    ArrayRef<int32_t> from = reshape.getInput().getType().getRadices(), to = reshape.getType().getRadices();
    for (; !from.empty() && !to.empty() && from.front() == to.front(); ++first) {
      from = from.drop_front();
      to = to.drop_front();
    }
    for (; !from.empty() && !to.empty() && from.back() == to.back();) {
      from = from.drop_back();
      to = to.drop_back();
    }
    before = static_cast<int>(from.size());
    after = static_cast<int>(to.size());
  }
};

/// reshape(permute(x)) -> permute(reshape(x)), where the digits that are reshaped stand side by side in x, too.
struct SinkPermute : OpRewritePattern<id::ResizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(id::ResizeOp op, PatternRewriter &rewriter) const override {
    auto permute = op.getInput().getDefiningOp<id::PermuteOp>();
    if (!permute || !reshapeOf(op.getResult()))
      return failure();
    const Changed digits(op);
    const digits::Permutation map = permute.getMap().getPermutation();
    if (digits.before == 0)
      return failure();
    const int source = map.source(digits.first);
    for (int i = 0; i < digits.before; ++i)
      if (map.source(digits.first + i) != source + i || map.complemented(digits.first + i))
        return failure();
    const int more = digits.after - digits.before;
    const ArrayRef<int32_t> old = permute.getInput().getType().getRadices();
    const ArrayRef<int32_t> changed = op.getType().getRadices().slice(digits.first - 1, digits.after);
    SmallVector<int32_t> radices(old.take_front(source - 1));
    radices.append(changed.begin(), changed.end());
    llvm::append_range(radices, old.drop_front(source - 1 + digits.before));
    const int count = static_cast<int>(radices.size());
    std::vector<int> sources;
    digits::Permutation complements = digits::Permutation::identity(count);
    for (int place = 1; place <= count; ++place) {
      if (place >= digits.first && place < digits.first + digits.after) {
        sources.push_back(source + place - digits.first);
        continue;
      }
      const int was = place < digits.first ? place : place - more, from = map.source(was);
      sources.push_back(from < source ? from : from + more);
      if (map.complemented(was))
        complements = complements.then(digits::Permutation::complement(count, place));
    }
    auto type = id::SeqType::get(op.getContext(), radices, op.getType().getElement());
    auto reshaped = id::ResizeOp::create(rewriter, op.getLoc(), type, permute.getInput(), old.size());
    auto moved = digits::Permutation::fromSources(sources).then(complements);
    rewriter.replaceOpWithNewOp<id::PermuteOp>(op, op.getType(), reshaped, id::PermAttr::get(op.getContext(), moved));
    return success();
  }
};

/// A reshape of the lowest digits is one of all, so that two that follow each other are one.
struct WidenReshape : OpRewritePattern<id::ResizeOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(id::ResizeOp op, PatternRewriter &rewriter) const override {
    const int digits = op.getInput().getType().getNumDigits();
    if (!reshapeOf(op.getResult()) || static_cast<int>(op.getLowest()) == digits)
      return failure();
    rewriter.replaceOpWithNewOp<id::ResizeOp>(op, op.getType(), op.getInput(), digits);
    return success();
  }
};

struct Reshape : impl::ReshapeBase<Reshape> {
  void runOnOperation() override {
    ofArguments.clear();
    RewritePatternSet patterns(&getContext());
    patterns.add<SinkPermute, WidenReshape>(&getContext());
    id::PermuteOp::getCanonicalizationPatterns(patterns, &getContext());
    id::ResizeOp::getCanonicalizationPatterns(patterns, &getContext());
    const FrozenRewritePatternSet resizes(std::move(patterns));
    if (failed(applyPatternsGreedily(getOperation(), resizes)))
      return signalPassFailure();
    for (Operation &op : llvm::make_early_inc_range(body().without_terminator()))
      if (auto step = dyn_cast<id::PointwiseOp>(op)) {
        moveDown(step);
        if (llvm::all_of(step.getInputs(), [&](Value input) { return isOfArguments(input); }) && isOfNumbers(step))
          ofArguments.insert(step);
      }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body().without_terminator())))
      if (auto step = dyn_cast<id::PointwiseOp>(op))
        moveUp(step);
    // Steps have moved from between reshapes.
    if (failed(applyPatternsGreedily(getOperation(), resizes)))
      return signalPassFailure();
    takeArguments();
    takeResults();
    for (Operation &op : llvm::make_early_inc_range(body().without_terminator()))
      if (auto resize = dyn_cast<id::ResizeOp>(op))
        gatherBetweenSteps(resize);
    func::FuncOp function = getOperation();
    function.setFunctionType(
        FunctionType::get(&getContext(), body().getArgumentTypes(), body().getTerminator()->getOperandTypes()));
  }

private:
  DenseSet<Operation *> ofArguments; // steps that isOfNumbers(), of arguments and of what such steps make

  bool isOfArguments(Value value) const {
    return isa<BlockArgument>(value) || ofArguments.contains(value.getDefiningOp());
  }

  Block &body() { return getOperation().getBody().front(); }

  /// Several dimensions, whose digits a layout counts apart.
  static bool hasDimensions(Attribute layout) {
    auto fields = dyn_cast_or_null<DictionaryAttr>(layout);
    auto sizes = fields ? fields.getAs<DenseI64ArrayAttr>("sizes") : DenseI64ArrayAttr();
    return sizes && sizes.size() > 1;
  }

  static ArrayRef<int32_t> radicesOf(id::PointwiseOp step) { return id::radicesOf(step->getResult(0).getType()); }

  /// True when what the step does to an element depends on its number alone.
  static bool isOfNumbers(id::PointwiseOp step) { return id::dependsOnNumber(step.getBody(), radicesOf(step)); }

  /// An array that only this takes, and that may have other digits.
  bool isOwnArgument(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && value.hasOneUse() &&
           !hasDimensions(getOperation().getArgAttr(argument.getArgNumber(), id::layoutAttr));
  }

  /// A step on what has been reshaped is one on what it was before, reshaped.
  void moveDown(id::PointwiseOp step) {
    id::ResizeOp first;
    for (Value input : step.getInputs())
      if (id::ResizeOp reshape = reshapeOf(input)) {
        if (first && reshape.getInput().getType().getRadices() != first.getInput().getType().getRadices())
          return;
        first = reshape;
      } else if (!isOwnArgument(input)) {
        return;
      }
    if (!first || !isOfNumbers(step))
      return;
    const id::SeqType before = first.getInput().getType();
    id::renumber(step.getBody(), radicesOf(step), before.getRadices());
    for (OpOperand &input : step->getOpOperands()) {
      id::ResizeOp reshape = reshapeOf(input.get());
      if (!reshape) {
        input.set(reshaped(input.get(), before, step));
        continue;
      }
      input.set(reshape.getInput());
      if (reshape.getResult().use_empty())
        reshape.erase();
    }
    OpBuilder builder(step->getContext());
    builder.setInsertionPointAfter(step);
    for (Value result : step.getOutputs()) {
      const Type after = result.getType();
      result.setType(withElement(before, id::elementOf(after)));
      auto reshape = id::ResizeOp::create(builder, step.getLoc(), after, result, before.getNumDigits());
      result.replaceAllUsesExcept(reshape, reshape);
    }
  }

  /// The value in the digits of `like`, for the step.
  static Value reshaped(Value value, id::SeqType like, id::PointwiseOp step) {
    OpBuilder builder(step);
    return id::ResizeOp::create(builder, step.getLoc(), withElement(like, id::elementOf(value.getType())), value,
                                cast<id::SeqType>(value.getType()).getNumDigits());
  }

  /// A step on arguments, or on what such steps make of them, whose results are all reshaped alike is one on reshaped
  /// arguments.
  void moveUp(id::PointwiseOp step) {
    if (!ofArguments.contains(step))
      return;
    id::SeqType after;
    for (Value result : step.getOutputs())
      for (Operation *user : result.getUsers()) {
        auto resize = dyn_cast<id::ResizeOp>(user);
        if (!resize || !reshapeOf(resize.getResult()) || (after && after.getRadices() != resize.getType().getRadices()))
          return;
        after = resize.getType();
      }
    if (!after)
      return;
    id::renumber(step.getBody(), radicesOf(step), after.getRadices());
    for (OpOperand &input : step->getOpOperands())
      input.set(reshaped(input.get(), after, step));
    for (Value result : step.getOutputs()) {
      result.setType(withElement(after, id::elementOf(result.getType())));
      for (Operation *user : llvm::make_early_inc_range(result.getUsers())) {
        user->getResult(0).replaceAllUsesWith(result);
        user->erase();
      }
    }
  }

  /// Arguments that are used in other digits only, always the same.
  void takeArguments() {
    for (BlockArgument argument : body().getArguments()) {
      id::SeqType after;
      auto isAlike = [&](Operation *user) {
        auto resize = dyn_cast<id::ResizeOp>(user);
        if (!resize || !reshapeOf(resize.getResult()) || (after && after != resize.getType()))
          return false;
        after = resize.getType();
        return true;
      };
      if (!llvm::all_of(argument.getUsers(), isAlike) || !after ||
          hasDimensions(getOperation().getArgAttr(argument.getArgNumber(), id::layoutAttr)))
        continue;
      argument.setType(after);
      for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
        user->getResult(0).replaceAllUsesWith(argument);
        user->erase();
      }
    }
  }

  static bool isStep(Operation *op) { return isa_and_nonnull<id::PointwiseOp, id::TwiddleOp, id::NodeOp>(op); }
  static bool feedsSteps(Value value) {
    return llvm::all_of(value.getUsers(), [](Operation *user) {
      return isStep(user) || (isa<id::PermuteOp>(user) && feedsSteps(user->getResult(0)));
    });
  }

  static bool feedsScatters(Value value) {
    return llvm::all_of(value.getUsers(), [](Operation *user) {
      return isa<id::ScatterOp>(user) || (isa<id::PermuteOp>(user) && feedsScatters(user->getResult(0)));
    });
  }

  /// What steps take of what steps make is a gather of each element from its own number; what is stored is a scatter to
  /// it. So is what a crop leaves of what others take as well: kernels that make and crop it leave its rest out.
  void gatherBetweenSteps(id::ResizeOp resize) {
    Value source = resize.getInput();
    bool isShared = !source.hasOneUse();
    while (auto permute = source.getDefiningOp<id::PermuteOp>()) {
      source = permute.getInput();
      isShared |= !source.hasOneUse();
    }
    const bool isStored = feedsScatters(resize.getResult()), isCrop = isShared && !resize.pads() && !isStored;
    if ((!reshapeOf(resize.getResult()) && !isCrop) || !isStep(source.getDefiningOp()) ||
        (!feedsSteps(resize.getResult()) && !isStored))
      return;
    OpBuilder builder(resize);
    const Location loc = resize.getLoc();
    // Of as many elements, digits that are the same in both stay out of it.
    auto before = resize.getInput().getType().getRadices().take_front(resize.getLowest());
    auto lowest = resize.getType().getRadices().take_front(static_cast<size_t>(resize.getNewLowest()));
    while (!isCrop && !before.empty() && !lowest.empty() && before.back() == lowest.back()) {
      before = before.drop_back();
      lowest = lowest.drop_back();
    }
    if (isStored) {
      auto scatter = id::ScatterOp::create(builder, loc, resize.getType(), resize.getInput(), before.size());
      id::writeAffine(builder, loc, scatter.getBody(), before, {1, 0, id::elementsOf(before)});
      resize.replaceAllUsesWith(scatter.getResult());
      resize.erase();
      return;
    }
    auto gather = id::GatherOp::create(builder, loc, resize.getType(), resize.getInput(), before.size());
    id::writeAffine(builder, loc, gather.getBody(), lowest, {1, 0, id::elementsOf(lowest)});
    resize.replaceAllUsesWith(gather.getResult());
    resize.erase();
    moveToGather(gather);
  }

  /// A step on what is gathered lets another gather through, to be one with the first.
  static void moveToGather(id::GatherOp gather) {
    auto step = gather.getInput().getDefiningOp<id::PointwiseOp>();
    if (!step || !step->hasOneUse() || step->getNumOperands() != 1 ||
        !step.getInputs()[0].getDefiningOp<id::GatherOp>() || !namesNoDigit(step))
      return;
    Value gathered = gather.getResult(), made = step->getResult(0);
    const Type last = gathered.getType();
    gather->moveBefore(step);
    gather.setOperand(step.getInputs()[0]);
    gathered.replaceAllUsesWith(made);
    gathered.setType(withElement(last, id::elementOf(step.getInputs()[0].getType())));
    step.setOperand(0, gathered);
    made.setType(last);
  }

  void takeResults() {
    for (OpOperand &result : body().getTerminator()->getOpOperands())
      while (id::ResizeOp reshape = reshapeOf(result.get())) {
        if (hasDimensions(getOperation().getResultAttr(result.getOperandNumber(), id::layoutAttr)))
          break;
        result.set(reshape.getInput());
        if (reshape.getResult().use_empty())
          reshape.erase();
      }
  }
};

} // namespace
} // namespace idc::passes
