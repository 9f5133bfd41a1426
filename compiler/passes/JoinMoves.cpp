// Input: digit flow. Output: the same; results that are elements of arguments, moved alone, are made by one step.
//
// A result that a program only moves to takes a kernel, and so does each one; of one argument it is read as often. One
// step that does nothing holds an element of each, and its kernel loads what they share once, or finds it in the cache:
//
//   %0 = id.gather %x from { k + 1 mod N };  %1 = id.gather %x from { k - 1 mod N };  return %0, %1
//
//   ->   %2, %3 = id.pointwise(%0, %1) { yield both };  return %2, %3
//
// Results of as many digits, whose neighbours lie in sectors that they share. What is done to the elements of arguments
// on their own, behind such moves, takes part: it makes its results beside.
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

/// True where each digit stays at its place, counted down at most.
bool keepsOrder(id::PermuteOp permute) {
  const digits::Permutation map = permute.getMap().getPermutation();
  return llvm::all_of(llvm::seq(1, map.size() + 1), [&](int place) { return map.source(place) == place; });
}

/// The argument whose elements a value has, in another order, repeated, or some of them; null for others, and where
/// warps read more sectors than they fill, or what somebody else has planned.
BlockArgument argumentOf(Value value, const Target &machine) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument;
  if (auto resize = value.getDefiningOp<id::ResizeOp>(); resize && !resize.pads())
    return argumentOf(resize.getInput(), machine);
  if (auto permute = value.getDefiningOp<id::PermuteOp>(); permute && keepsOrder(permute))
    return argumentOf(permute.getInput(), machine);
  auto gather = value.getDefiningOp<id::GatherOp>();
  if (!gather || gather->hasAttr(tiledAttr) || gather->hasAttr(nearAttr) ||
      isScattered(gather.getBody(), gather.getType().getRadices().take_front(gather.getNewLowest()),
                  id::elementBytes(gather.getType().getElement()), machine))
    return {};
  return argumentOf(gather.getInput(), machine);
}

/// Those whose elements a step takes, each on its own, that makes nothing but results; none for others.
SmallVector<BlockArgument> argumentsOf(id::PointwiseOp step, const Target &machine) {
  SmallVector<BlockArgument> arguments;
  for (Value input : step.getInputs()) {
    arguments.push_back(argumentOf(input, machine));
    if (!arguments.back() || id::radicesOf(input.getType()) != id::radicesOf(step->getResult(0).getType()))
      return {};
  }
  return llvm::all_of(step->getUsers(), llvm::IsaPred<func::ReturnOp>) ? arguments : SmallVector<BlockArgument>();
}

/// What one step is to make: values that it yields as they are, and what steps make that are there already.
struct Joined {
  ArrayRef<int32_t> radices;
  SmallVector<BlockArgument> arguments;
  SmallVector<OpOperand *> moves; // of the return
  SmallVector<id::PointwiseOp> steps;
  size_t values = 0; // that a thread holds of each element

  /// Of other arguments only what is as wide as a register: kernels of narrow elements take several at once if they do
  /// nothing else. As many values as registers have room for beside each other.
  bool canTake(ArrayRef<BlockArgument> more, size_t added) const {
    constexpr size_t most = 16;
    constexpr int64_t registerBytes = 4;
    auto isWide = [](BlockArgument argument) {
      return id::elementBytes(id::elementOf(argument.getType())) >= registerBytes;
    };
    const bool isShared = llvm::any_of(more, [&](BlockArgument each) { return llvm::is_contained(arguments, each); });
    return values + added <= most && (isShared || (llvm::all_of(arguments, isWide) && llvm::all_of(more, isWide)));
  }
};

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
    auto joinedWith = [&](Type type, ArrayRef<BlockArgument> arguments, size_t values) -> Joined & {
      auto found = llvm::find_if(all, [&](const Joined &each) {
        return each.radices == ArrayRef(id::radicesOf(type)) && each.canTake(arguments, values);
      });
      Joined &joined = found == all.end() ? all.emplace_back(Joined{id::radicesOf(type), {}, {}, {}}) : *found;
      llvm::append_range(joined.arguments, arguments);
      joined.values += values;
      return joined;
    };
    for (OpOperand &result : body.getTerminator()->getOpOperands())
      if (BlockArgument argument = argumentOf(result.get(), *machine))
        joinedWith(result.get().getType(), argument, 2).moves.push_back(&result);
    for (auto step : body.getOps<id::PointwiseOp>())
      if (SmallVector<BlockArgument> arguments = argumentsOf(step, *machine); !arguments.empty())
        joinedWith(step->getResult(0).getType(), arguments, step->getNumOperands() + step->getNumResults())
            .steps.push_back(step);
    for (Joined &each : all)
      if (each.moves.size() + each.steps.size() > 1)
        join(each, body.getTerminator());
  }

private:
  static void join(Joined &joined, Operation *end) {
    OpBuilder builder(end);
    SmallVector<Value> inputs;
    SmallVector<Type> types;
    for (id::PointwiseOp step : joined.steps) {
      llvm::append_range(inputs, step.getInputs());
      llvm::append_range(types, step->getResultTypes());
    }
    for (OpOperand *move : joined.moves) {
      inputs.push_back(move->get());
      types.push_back(move->get().getType());
    }
    auto both = id::PointwiseOp::create(builder, end->getLoc(), types, inputs);
    Block *body = id::createBody(builder, both);
    ArrayRef<BlockArgument> moved = body->getArguments();
    SmallVector<Value> yielded;
    OpBuilder inside = OpBuilder::atBlockEnd(body);
    size_t made = 0;
    for (id::PointwiseOp step : joined.steps) {
      Block &own = step.getBody().front();
      IRMapping values;
      for (BlockArgument argument : own.getArguments())
        values.map(argument, moved[argument.getArgNumber()]);
      moved = moved.drop_front(own.getNumArguments());
      for (Operation &op : own.without_terminator())
        inside.clone(op, values);
      for (Value value : own.getTerminator()->getOperands())
        yielded.push_back(values.lookupOrDefault(value));
      for (Value result : step->getResults())
        result.replaceAllUsesWith(both->getResult(made++));
    }
    llvm::append_range(yielded, moved);
    id::YieldOp::create(inside, both.getLoc(), yielded);
    for (OpOperand *move : joined.moves)
      move->set(both->getResult(made++));
    for (id::PointwiseOp step : joined.steps)
      step.erase();
  }
};

} // namespace
} // namespace idc::passes
