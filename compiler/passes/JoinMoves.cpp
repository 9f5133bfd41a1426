// Input: digit flow. Output: the same; results that are elements of one argument, moved alone, are made by one step.
//
// A result that a program only moves to takes a kernel, and so does each one: the argument is read as often. One step
// that does nothing holds an element of each, and its kernel loads what they share once, or finds it in the cache:
//
//   %0 = id.gather %x from { k + 1 mod N };  %1 = id.gather %x from { k - 1 mod N };  return %0, %1
//
//   ->   %2, %3 = id.pointwise(%0, %1) { yield both };  return %2, %3
//
// Results of as many digits, whose neighbours lie in sectors that they share. What is done to the elements of an
// argument on their own, behind such moves, takes part: it makes its results beside.
#include "compiler/passes/Elementwise.h"
#include "compiler/passes/ScatteredPlaces.h"
#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_JOINMOVES
#include "compiler/passes/Passes.h.inc"

namespace {

/// The argument whose elements a value has, in another order, repeated, or some of them; null for others, and where
/// warps read more sectors than they fill, or what somebody else has planned.
BlockArgument argumentOf(Value value, const Target &machine) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument;
  Operation *op = value.getDefiningOp();
  if (auto resize = dyn_cast<id::ResizeOp>(op); resize && !resize.pads())
    return argumentOf(resize.getInput(), machine);
  auto gather = dyn_cast<id::GatherOp>(op);
  if (!gather || gather->hasAttr(tiledAttr) || gather->hasAttr(nearAttr) ||
      isScattered(gather.getBody(), gather.getType().getRadices().take_front(gather.getNewLowest()),
                  id::elementBytes(gather.getType().getElement()), machine))
    return {};
  return argumentOf(gather.getInput(), machine);
}

/// What one step is to make: values that it yields as they are, and a step whose results are there already.
struct Joined {
  BlockArgument argument;
  SmallVector<OpOperand *> moves; // of the return
  id::PointwiseOp step;           // or null

  ArrayRef<int32_t> radices() const { return id::radicesOf(moves.front()->get().getType()); }
};

/// A step on elements of one argument, each on its own, that makes nothing but results; null for others.
BlockArgument argumentOf(id::PointwiseOp step, const Target &machine) {
  BlockArgument argument;
  for (Value input : step.getInputs()) {
    BlockArgument own = argumentOf(input, machine);
    if (!own || (argument && own != argument) ||
        id::radicesOf(input.getType()) != id::radicesOf(step->getResult(0).getType()))
      return {};
    argument = own;
  }
  const bool isReturned = llvm::all_of(step->getUsers(), llvm::IsaPred<func::ReturnOp>);
  return isReturned ? argument : BlockArgument();
}

struct JoinMoves : impl::JoinMovesBase<JoinMoves> {
  using JoinMovesBase::JoinMovesBase;

  void runOnOperation() override {
    const std::optional<Target> machine = findTarget(target, getOperation());
    if (!machine)
      return signalPassFailure();
    if (machine->kind == "cpu" || isInParts(getOperation()))
      return;
    Block &body = getOperation().getBody().front();
    std::vector<Joined> all;
    auto joinedBy = [&](BlockArgument argument, Type type) -> Joined * {
      auto found = llvm::find_if(all, [&](const Joined &each) {
        return each.argument == argument && each.radices() == ArrayRef(id::radicesOf(type));
      });
      return found == all.end() ? nullptr : &*found;
    };
    for (OpOperand &result : body.getTerminator()->getOpOperands())
      if (BlockArgument argument = argumentOf(result.get(), *machine)) {
        Joined *joined = joinedBy(argument, result.get().getType());
        if (!joined)
          joined = &all.emplace_back(Joined{argument, {}, {}});
        joined->moves.push_back(&result);
      }
    for (auto step : body.getOps<id::PointwiseOp>())
      if (BlockArgument argument = argumentOf(step, *machine))
        if (Joined *joined = joinedBy(argument, step->getResult(0).getType()); joined && !joined->step)
          joined->step = step;
    for (Joined &each : all)
      if (each.moves.size() + (each.step ? 1 : 0) > 1)
        join(each);
  }

private:
  static void join(Joined &joined) {
    OpBuilder builder(joined.moves.front()->getOwner());
    SmallVector<Value> inputs;
    SmallVector<Type> types;
    if (joined.step) {
      llvm::append_range(inputs, joined.step.getInputs());
      llvm::append_range(types, joined.step->getResultTypes());
    }
    for (OpOperand *move : joined.moves) {
      inputs.push_back(move->get());
      types.push_back(move->get().getType());
    }
    auto both = id::PointwiseOp::create(builder, joined.moves.front()->get().getLoc(), types, inputs);
    Block *body = id::createBody(builder, both);
    auto moved = llvm::to_vector(body->getArguments());
    SmallVector<Value> yielded;
    OpBuilder inside = OpBuilder::atBlockEnd(body);
    if (joined.step) {
      Block &own = joined.step.getBody().front();
      IRMapping values;
      for (BlockArgument argument : own.getArguments())
        values.map(argument, moved[argument.getArgNumber()]);
      for (Operation &op : own.without_terminator())
        inside.clone(op, values);
      for (Value value : own.getTerminator()->getOperands())
        yielded.push_back(values.lookupOrDefault(value));
      moved.erase(moved.begin(), moved.begin() + own.getNumArguments());
    }
    llvm::append_range(yielded, moved);
    id::YieldOp::create(inside, both.getLoc(), yielded);
    size_t made = 0;
    if (joined.step) {
      for (Value result : joined.step->getResults())
        result.replaceAllUsesWith(both->getResult(made++));
      joined.step.erase();
    }
    for (OpOperand *move : joined.moves)
      move->set(both->getResult(made++));
  }
};

} // namespace
} // namespace idc::passes
