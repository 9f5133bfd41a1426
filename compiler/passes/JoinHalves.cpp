// Input: the algebra. Output: the same program; results of two halves one behind the other are joined by a digit.
//
// Where a program puts a sequence behind another one, each element of the result is chosen from one of them. Those that
// make both halves store them at their places, where a node that does nothing puts in the digit that chooses:
//
//   %1 = id.gather %a from { k min N/2 - 1 };  %2 = id.gather %b from { k - N/2 max 0 }
//   %3 = id.pointwise (%1, %2) { k < N/2 ? %1 : %2 };  return %3           // <N>
//
//   ->   %3 = id.node [n] (%a, %b) { both }                                // <N/2 * 2>
//
// So far of results, and what is put behind others in them, of more elements than a block holds: others are exchanged
// where a block has both halves.
#include "compiler/passes/NearNumbers.h"
#include "compiler/passes/Steps.h"

#include "id/IndexCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_JOINHALVES
#include "compiler/passes/Passes.h.inc"

namespace {

struct JoinHalves : impl::JoinHalvesBase<JoinHalves> {
  void runOnOperation() override {
    // What is joined last first: those that join its halves store these at their places then.
    DenseSet<Operation *> joined;
    auto joins = [&](Operation *user) { return isa<func::ReturnOp>(user) || joined.contains(user); };
    const auto steps = llvm::to_vector(getOperation().getBody().front().getOps<id::PointwiseOp>());
    for (id::PointwiseOp step : llvm::reverse(steps))
      if (llvm::all_of(step->getUsers(), joins))
        join(step, joined);
  }

private:
  /// Where the half of a step's result that begins with element `first` comes from, element by element.
  static Value halfOf(id::PointwiseOp step, int64_t first, int64_t length) {
    auto type = cast<id::SeqType>(step.getOutputs()[0].getType());
    for (Value operand : step.getInputs()) {
      auto gather = operand.getDefiningOp<id::GatherOp>();
      if (!gather)
        return {};
      const Numbers half{first, first + length - 1};
      const auto lowest = static_cast<size_t>(gather.getNewLowest());
      const std::optional<unsigned> taken = operandAt(step, lowest, half);
      if (!taken || step.getInputs()[*taken] != operand)
        continue;
      const auto counted = gather.getInput().getType().getRadices().take_front(gather.getLowest());
      const bool isWhole = id::elementsOf(counted) == length &&
                           id::elementsOf(type.getRadices().take_front(lowest)) == 2 * length &&
                           distanceAt(gather, half) == -first;
      return isWhole ? gather.getInput() : Value();
    }
    return {};
  }

  static void join(id::PointwiseOp step, DenseSet<Operation *> &joined) {
    auto gather = step.getInputs().empty() ? id::GatherOp() : step.getInputs()[0].getDefiningOp<id::GatherOp>();
    if (!gather || step->getNumResults() != 1)
      return;
    auto type = cast<id::SeqType>(step.getOutputs()[0].getType());
    const int64_t all = id::elementsOf(type.getRadices().take_front(gather.getNewLowest()));
    if (all <= beyondBlock || all % 2 != 0)
      return;
    Value low = halfOf(step, 0, all / 2), high = halfOf(step, all / 2, all / 2);
    if (!low || !high || low.getType() != high.getType())
      return;
    OpBuilder builder(step);
    const Location loc = step.getLoc();
    const ArrayRef<int32_t> own = cast<id::SeqType>(low.getType()).getRadices();
    SmallVector<int32_t> radices(own.begin(), own.begin() + static_cast<ptrdiff_t>(gather.getLowest()));
    radices.push_back(2);
    radices.append(own.begin() + static_cast<ptrdiff_t>(gather.getLowest()), own.end());
    auto both = id::SeqType::get(builder.getContext(), radices, type.getElement());
    const auto digit = static_cast<int64_t>(gather.getLowest()) + 1;
    auto node = id::NodeOp::create(builder, loc, TypeRange(both), {digit}, ValueRange{low, high});
    OpBuilder inside(builder);
    Block *body = id::createBody(inside, node);
    inside.setInsertionPointToEnd(body);
    id::YieldOp::create(inside, loc, body->getArguments());
    Value result = node.getOutputs()[0];
    if (both != type)
      result = id::ResizeOp::create(builder, loc, type, result, digit);
    joined.insert(node);
    if (Operation *op = result.getDefiningOp(); op != node)
      joined.insert(op);
    step.getOutputs()[0].replaceAllUsesWith(result);
    SmallVector<Value> inputs(step.getInputs());
    step.erase();
    for (Value input : inputs)
      if (input.use_empty())
        input.getDefiningOp()->erase();
  }
};

} // namespace
} // namespace idc::passes
