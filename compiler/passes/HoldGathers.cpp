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
#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

#include "id/IndexCode.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_HOLDGATHERS
#include "compiler/passes/Passes.h.inc"

namespace {

constexpr int64_t sectorBytes = 32;

/// How many times as many sectors a warp of so many lanes reads as it fills, in the mean over some of them; nothing
/// where run-time scalars decide.
std::optional<double> sectorsAgain(id::GatherOp gather, int64_t lanes) {
  std::optional<id::IndexCode> code = id::IndexCode::of(gather.getBody());
  if (!code)
    return std::nullopt;
  const auto radices = gather.getType().getRadices().take_front(static_cast<size_t>(gather.getNewLowest()));
  const int64_t bytes = id::elementBytes(gather.getType().getElement()), count = id::elementsOf(radices);
  constexpr int64_t warps = 16;
  int64_t read = 0, filled = 0;
  for (int64_t warp = 0; warp < warps; ++warp) {
    const int64_t first = count / lanes * warp / warps * lanes;
    DenseSet<int64_t> sectors;
    SmallVector<int64_t> digits(radices.size());
    for (int64_t k = first; k < std::min(first + lanes, count); ++k) {
      id::countTo(k, digits, radices);
      const std::optional<int64_t> number = code->at(digits);
      if (!number)
        return std::nullopt;
      for (int64_t byte = *number * bytes; byte < (*number + 1) * bytes; byte += sectorBytes)
        sectors.insert(byte / sectorBytes);
    }
    read += static_cast<int64_t>(sectors.size());
    filled += llvm::divideCeil(std::min(lanes, count - first) * bytes, sectorBytes);
  }
  return static_cast<double>(read) / static_cast<double>(filled);
}

/// True for what pointwise steps take, and results: what else takes a value reads it in its own way.
bool isForElements(Value value) {
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return isa<id::PointwiseOp, func::ReturnOp>(user) ||
           (isa<id::PermuteOp>(user) && isForElements(user->getResult(0)));
  });
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
      const auto length = [&](id::SeqType type, int lowest) {
        return id::elementsOf(type.getRadices().take_front(static_cast<size_t>(lowest))) *
               id::elementBytes(type.getElement());
      };
      auto argument = dyn_cast<BlockArgument>(gather.getInput());
      if (!argument) {
        constexpr double often = 1.5;
        // Other digits are acted on next, and no block holds these, too.
        const ActedOn next = actedOn(gather.getResult(), gather.getNewLowest(), /*next=*/true);
        if (next.lowest || next.others == 1 ||
            length(gather.getType(), gather.getNewLowest()) * next.others <= machine->sharedBytesBesideCache)
          continue;
        if (std::optional<double> again = sectorsAgain(gather, machine->lanes); !again || *again < often)
          continue;
        OpBuilder builder(gather->getContext());
        builder.setInsertionPointAfter(gather);
        Value held = heldCopy(builder, gather.getResult());
        held.getDefiningOp()->setAttr(heldAttr, builder.getUnitAttr());
        gather.getResult().replaceAllUsesExcept(held, held.getDefiningOp());
        continue;
      }
      if (!isForElements(gather.getResult()))
        continue;
      const int64_t bytes = std::max(length(gather.getInput().getType(), static_cast<int>(gather.getLowest())),
                                     length(gather.getType(), gather.getNewLowest()));
      const auto isHeld = [&](id::SeqType type) {
        return llvm::all_of(type.getRadices(), [&](int32_t radix) { return radix <= machine->lanes; });
      };
      constexpr int64_t resident = 3; // blocks, so that some load while others store
      if (bytes > machine->sharedBytesPerMultiprocessor / resident || !isHeld(gather.getInput().getType()) ||
          !isHeld(gather.getType()))
        continue;
      constexpr double tooOften = 2;
      if (std::optional<double> again = sectorsAgain(gather, machine->lanes); !again || *again <= tooOften)
        continue;
      OpBuilder builder(gather);
      gather.getInputMutable().assign(heldCopy(builder, argument));
    }
  }
};

} // namespace
} // namespace idc::passes
