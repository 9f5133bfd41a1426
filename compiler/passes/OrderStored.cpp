// Input: digit flow. Output: the same; what steps on each element alone make of values in memory, and others take from
// far away, lies in memory as those values do.
//
// A value between kernels has its digits in the order of its sequence, which permutations have changed on their way to
// the end of the program: where a step takes rows above and below, the lowest digits count rows. What it makes of a
// row-major argument would be stored by columns, and the threads of a warp load and store either next to each other.
//
//   %2 = id.pointwise(%0, %1) f             ->     %2 = id.pointwise(%0, %1) f
//   %3 = id.gather %2 lowest 2 …                   %4 = id.pointwise(id.permute %2 [2, 1])    what is stored
//                                                  %3 = id.gather (id.permute %4 [2, 1]) lowest 2 …
//
// An argument of other radices than two that is returned with other digits lowest is stored by such a step, too, whose
// block can turn it.
#include "compiler/passes/PointwiseMoves.h"
#include "compiler/passes/Steps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_ORDERSTORED
#include "compiler/passes/Passes.h.inc"

namespace {

/// Digits of a value, each with those of what is made of it that it decides.
using Places = SmallVector<SmallVector<int>>;

/// The orders of a value's digits in which what it is made of lies in memory, lowest addresses first, and how many of
/// its operands lie so.
class LoadOrders {
public:
  explicit LoadOrders(const DenseSet<Value> &stored) : stored(stored) {}

  /// The order of most; nothing where it is made of anything else than steps on each element alone make of near
  /// elements.
  std::optional<digits::Permutation> of(id::PointwiseOp step) {
    votes.clear();
    seen.clear();
    Places places;
    for (int digit = 1; digit <= cast<id::SeqType>(step.getOutputs()[0].getType()).getNumDigits(); ++digit)
      places.push_back({digit});
    if (!llvm::all_of(step.getInputs(), [&](Value input) { return add(input, places); }))
      return std::nullopt;
    if (votes.empty())
      return std::nullopt;
    const auto most = llvm::max_element(votes, [](const auto &a, const auto &b) { return a.second < b.second; });
    return digits::Permutation::fromSources(most->first);
  }

private:
  const DenseSet<Value> &stored;
  std::map<std::vector<int>, int> votes; // of equally many the least changed order
  DenseSet<Operation *> seen;            // steps, each of which is looked at once, and so many of them
  static constexpr size_t mostSteps = 256;

  bool add(Value value, Places places) {
    for (Operation *op = value.getDefiningOp(); op && !stored.contains(value); op = value.getDefiningOp()) {
      if (isa<id::PointwiseOp>(op))
        return !seen.insert(op).second ||
               (seen.size() <= mostSteps &&
                llvm::all_of(op->getOperands(), [&](Value input) { return add(input, places); }));
      if (auto permute = dyn_cast<id::PermuteOp>(op)) {
        Places before(places.size());
        for (auto [place, digits] : llvm::enumerate(places))
          before[static_cast<size_t>(permute.getMap().getPermutation().source(static_cast<int>(place) + 1)) - 1] =
              digits;
        places = std::move(before);
      } else if (auto gather = dyn_cast<id::GatherOp>(op)) {
        count(places, gather.getLowest(), gather.getNewLowest());
      } else if (auto resize = dyn_cast<id::ResizeOp>(op)) {
        count(places, resize.getLowest(), resize.getNewLowest());
      } else {
        return false;
      }
      value = op->getOperand(0);
    }
    std::vector<int> order;
    for (const SmallVector<int> &decided : places)
      llvm::append_range(order, decided);
    if (!digits::Permutation::isBijection(order)) // of one element, repeated
      return false;
    ++votes[order];
    return true;
  }

  /// The lowest digits count together what `now` ones did: in their order, where they are as many.
  static void count(Places &places, size_t lowest, size_t now) {
    if (lowest == now)
      return;
    SmallVector<int> counted;
    for (const SmallVector<int> &digits : ArrayRef(places).take_front(now))
      llvm::append_range(counted, digits);
    places.erase(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(now));
    places.insert(places.begin(), lowest, {});
    if (!places.empty())
      places.front().insert(places.front().begin(), counted.begin(), counted.end());
  }
};

struct OrderStored : impl::OrderStoredBase<OrderStored> {
  void runOnOperation() override {
    DenseSet<Value> stored;
    for (id::PointwiseOp step : llvm::to_vector(getOperation().getBody().front().getOps<id::PointwiseOp>())) {
      if (step.getOutputs().size() != 1 || !isStoredForFar(step))
        continue;
      const std::optional<digits::Permutation> order = LoadOrders(stored).of(step);
      stored.insert(order && !order->isIdentity() ? arrange(step, *order) : step.getOutputs()[0]);
    }
    for (OpOperand &result : getOperation().getBody().front().getTerminator()->getOpOperands())
      if (isTurned(result.get())) {
        OpBuilder builder(result.getOwner());
        result.set(heldCopy(builder, result.get()));
      }
  }

private:
  /// True for an argument of other radices than two whose neighbours become others: a step has blocks that turn it.
  static bool isTurned(Value value) {
    auto permute = value.getDefiningOp<id::PermuteOp>();
    return permute && isa<BlockArgument>(permute.getInput()) && permute.getMap().getPermutation().source(1) != 1 &&
           permute.getType().getNumElements() > beyondBlock && !id::areBits(id::radicesOf(permute.getType()));
  }

  static bool isStoredForFar(id::PointwiseOp step) {
    const Value made = step.getOutputs()[0];
    if (cast<id::SeqType>(made.getType()).getNumElements() <= beyondBlock)
      return false;
    const SmallVector<Operation *> takers = takersOf(made);
    return llvm::any_of(takers, isFarGather) &&
           llvm::none_of(takers, [](Operation *taker) { return isa<func::ReturnOp>(taker); });
  }

  /// What is stored in that order; others take a permutation of it.
  static Value arrange(id::PointwiseOp step, const digits::Permutation &order) {
    Value made = step.getOutputs()[0];
    OpBuilder builder(step.getContext());
    builder.setInsertionPointAfter(step);
    auto permuted = [&](Value value, const digits::Permutation &map) {
      return id::PermuteOp::create(builder, step.getLoc(), movedType(cast<id::SeqType>(value.getType()), map), value,
                                   id::PermAttr::get(builder.getContext(), map));
    };
    id::PermuteOp inOrder = permuted(made, order);
    const Value held = heldCopy(builder, inOrder);
    id::PermuteOp back = permuted(held, order.inverse());
    made.replaceUsesWithIf(back, [&](OpOperand &use) { return use.getOwner() != inOrder; });
    return held;
  }
};

} // namespace
} // namespace idc::passes
