// Input: digit flow. Output: the same; gathers that would read scattered elements take them from what a block holds.
//
// A load through a gather reads where its numbers say. Memory answers a warp in sectors: where 32 neighbouring elements
// of the result lie in many more of them than they fill, each is read again and again. A block that holds all elements
// of the gather reads them in order instead, and exchanges them. A step that does nothing stands for what it holds:
// what takes the step's value from computed places is an exchange.
//
//   id.gather %arg0 from { 5*k + 3 mod 4096 }   ->   %0 = id.pointwise (%arg0) { nothing }   id.gather %0 from { … }
//
// Of what the program makes, the kernel that makes it brings the elements together where another one takes them, which
// acts on more other elements beside them than a block holds. The step that does nothing comes behind the gather then.
#include "compiler/passes/Passes.h"
#include "compiler/passes/PointwiseMoves.h"
#include "compiler/passes/ScatteredPlaces.h"
#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

#include "id/IndexCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_HOLDGATHERS
#include "compiler/passes/Passes.h.inc"

namespace {

/// What a pointwise step makes of nothing but arguments, each element of others and none of its number: it is made in
/// any digits.
id::PointwiseOp madeOfArguments(Value value) {
  auto pointwise = value.getDefiningOp<id::PointwiseOp>();
  if (!pointwise || pointwise->getNumResults() != 1 || !pointwise.getBody().getOps<id::DigitOp>().empty())
    return {};
  return llvm::all_of(pointwise->getOperands(),
                      [&](Value operand) {
                        return isa<BlockArgument>(operand) &&
                               id::radicesOf(operand.getType()) == id::radicesOf(value.getType());
                      })
             ? pointwise
             : id::PointwiseOp();
}

bool hasSmallDigits(id::SeqType type, int64_t lanes) {
  return llvm::all_of(type.getRadices(), [&](int32_t radix) { return radix <= lanes; });
}

/// Lets a block hold what a gather takes of arguments; a digit of more values than a warp has lanes, a prime number of
/// elements, gives way to small ones.
void hold(id::GatherOp gather, int64_t lanes) {
  OpBuilder builder(gather);
  const id::SeqType type = gather.getInput().getType();
  const auto lowest = static_cast<size_t>(gather.getLowest());
  const bool isHeld = hasSmallDigits(type, lanes);
  auto inDigits = [&](Value value) { return isHeld ? value : inSmallDigits(builder, value, lowest); };
  Value held;
  if (id::PointwiseOp made = madeOfArguments(gather.getInput())) {
    builder.setInsertionPoint(made);
    SmallVector<Value> operands = llvm::map_to_vector(made->getOperands(), inDigits);
    IRMapping map;
    map.map(made->getOperands(), operands);
    Operation *copy = builder.clone(*made, map);
    held = copy->getResult(0);
    held.setType(
        withLowest(type, lowest,
                   ArrayRef(id::radicesOf(operands.front().getType())).drop_back(type.getRadices().size() - lowest)));
  } else {
    held = heldCopy(builder, inDigits(gather.getInput()));
  }
  // What takes elements of a value that is made takes them of this one: the other need not be made.
  Value taken = gather.getInput();
  const size_t others = type.getRadices().size() - lowest;
  const auto newLowest = static_cast<int64_t>(id::radicesOf(held.getType()).size() - others);
  for (Operation *user : llvm::to_vector(taken.getUsers()))
    if (auto other = dyn_cast<id::GatherOp>(user);
        other && (other == gather || (!isa<BlockArgument>(taken) && other.getLowest() == lowest))) {
      other.setLowest(newLowest);
      other.getInputMutable().assign(held);
    }
}

struct HoldGathers : impl::HoldGathersBase<HoldGathers> {
  using HoldGathersBase::HoldGathersBase;

  void runOnOperation() override {
    const std::optional<Target> machine = findTarget(target, getOperation());
    if (!machine)
      return signalPassFailure();
    if (machine->kind == "cpu")
      return;
    for (auto gather : getOperation().getBody().front().getOps<id::GatherOp>()) {
      const auto given = gather.getType().getRadices().take_front(static_cast<size_t>(gather.getNewLowest()));
      const int64_t elementBytes = id::elementBytes(gather.getType().getElement());
      const auto length = [&](id::SeqType type, int lowest) {
        return id::elementsOf(type.getRadices().take_front(static_cast<size_t>(lowest))) *
               id::elementBytes(type.getElement());
      };
      const bool isOfArguments =
          isa<BlockArgument>(gather.getInput()) ||
          (madeOfArguments(gather.getInput()) && !hasSmallDigits(gather.getInput().getType(), machine->lanes));
      if (!isOfArguments) {
        constexpr double often = 1.5;
        // Other digits are acted on next, and no block holds these, too.
        const ActedOn next = actedOn(gather.getResult(), gather.getNewLowest(), /*next=*/true);
        if (next.lowest || next.others == 1 ||
            length(gather.getType(), gather.getNewLowest()) * next.others <= machine->sharedBytesBesideCache)
          continue;
        if (std::optional<double> again = sectorsAgain(gather.getBody(), given, elementBytes, *machine);
            !again || *again < often)
          continue;
        OpBuilder builder(gather->getContext());
        builder.setInsertionPointAfter(gather);
        Value held = heldCopy(builder, gather.getResult());
        held.getDefiningOp()->setAttr(heldAttr, builder.getUnitAttr());
        gather.getResult().replaceAllUsesExcept(held, held.getDefiningOp());
        continue;
      }
      const int64_t bytes = std::max(length(gather.getInput().getType(), static_cast<int>(gather.getLowest())),
                                     length(gather.getType(), gather.getNewLowest()));
      // What a gather of other digits takes is loaded by both.
      if (llvm::any_of(takersOf(gather.getResult()), llvm::IsaPred<id::GatherOp>))
        continue;
      // What has large digits itself is spread over threads and blocks as it is.
      const bool isTaken = hasSmallDigits(gather.getType(), machine->lanes) ||
                           llvm::all_of(gather->getUsers(), llvm::IsaPred<id::ResizeOp>);
      if (isTaken && canBeHeld(bytes, *machine) && isScattered(gather.getBody(), given, elementBytes, *machine))
        hold(gather, machine->lanes);
    }
  }
};

} // namespace
} // namespace idc::passes
