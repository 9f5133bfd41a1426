// Input: digit flow. Output: the same; what a step chooses among elements of one sequence is a gather, which chooses
// among their numbers.
//
// Parts one behind the other, mirrored edges, halves that interleave by a condition: each element of the result is
// one of the sequence, and two accesses and a choice are one:
//
//   %1 = id.gather %x from { k min 4 };  %2 = id.gather %x from { k - 5 max 0 }
//   %3 = id.pointwise (%1, %2) { k < 5 ? %1 : %2 }
//
//   ->   %3 = id.gather %x from { k < 5 ? k min 4 : k - 5 max 0 }
//
// Gathers of gathers count as gathers of what all operands have in common, so that rounds in which parts are put behind
// others, and what is left goes on, are one gather at the end.
#include "compiler/passes/Elementwise.h"
#include "compiler/passes/Steps.h"

#include "id/IndexCode.h"
#include "id/LinearForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;

namespace idc::passes {
#define GEN_PASS_DEF_CHOOSENUMBERS
#include "compiler/passes/Passes.h.inc"

namespace {

/// Gathers of gathers: first the last one, which makes a value. None: the sequence itself.
using Way = SmallVector<id::GatherOp>;

/// The instructions of a map that is put together.
constexpr size_t maxInstructions = 1024;

/// The gathers of one and the same lowest digits from which a value comes, as far back as there are any.
Way wayTo(Value value) {
  Way way;
  for (auto gather = value.getDefiningOp<id::GatherOp>(); gather;
       gather = gather.getInput().getDefiningOp<id::GatherOp>()) {
    if (!way.empty() && gather.getNewLowest() != static_cast<int>(way.back().getLowest()))
      break;
    way.push_back(gather);
  }
  return way;
}

/// How much of the way leads from `source`; nothing where none does.
std::optional<size_t> partFrom(const Way &way, Value value, Value source) {
  if (value == source)
    return 0;
  const auto *last = llvm::find_if(way, [&](id::GatherOp gather) { return gather.getInput() == source; });
  return last == way.end() ? std::nullopt : std::optional<size_t>(last - way.begin() + 1);
}

/// A step that chooses each of its results among elements of one sequence.
struct Choice {
  id::PointwiseOp step;
  Value source;
  SmallVector<Way> ways; // of its operands, from the source
  int lowest = 0, newLowest = 0;

  static std::optional<Choice> of(id::PointwiseOp step) {
    if (step->getNumResults() != 1 || step->getNumOperands() < 2)
      return std::nullopt;
    const Type element = id::elementOf(step->getResult(0).getType());
    auto isAlike = [&](Value operand) { return id::elementOf(operand.getType()) == element; };
    if (!llvm::all_of(step->getOperands(), isAlike) ||
        !choosesElements(step.getBody(), static_cast<int>(id::leafTypes(element).size())))
      return std::nullopt;
    SmallVector<Way> ways;
    for (Value operand : step->getOperands())
      ways.push_back(wayTo(operand));
    SmallVector<Value> sources{step->getOperand(0)}; // the nearest first
    for (id::GatherOp gather : ways.front())
      sources.push_back(gather.getInput());
    for (Value source : sources)
      if (std::optional<Choice> choice = from(source, step, ways))
        return choice;
    return std::nullopt;
  }

  void write() {
    OpBuilder builder(step);
    const Location loc = step.getLoc();
    auto type = cast<id::SeqType>(step->getResult(0).getType());
    auto gather = id::GatherOp::create(builder, loc, type, source, lowest);
    builder.createBlock(&gather.getBody());
    const ArrayRef<int32_t> radices = type.getRadices().take_front(newLowest);
    const auto leaves = static_cast<unsigned>(id::leafTypes(type.getElement()).size());
    IRMapping values;
    for (auto [number, way] : llvm::enumerate(ways)) {
      Value index = id::numberOfLowest(builder, loc, radices);
      for (id::GatherOp each : way) {
        const auto own = each.getType().getRadices().take_front(each.getNewLowest());
        index = id::numberAt(builder, loc, each.getBody(), own, index, newLowest);
      }
      for (unsigned leaf = 0; leaf < leaves; ++leaf)
        values.map(step.getBody().getArgument(static_cast<unsigned>(number) * leaves + leaf), index);
    }
    cloneChoice(builder, step.getBody(), values);
    id::YieldOp::create(builder, loc, values.lookup(step.getBody().front().getTerminator()->getOperand(0)));
    eraseDead(gather.getBody().front()); // digits that nothing names
    step->getResult(0).replaceAllUsesWith(gather.getResult());
    step->erase();
  }

private:
  static std::optional<Choice> from(Value source, id::PointwiseOp step, ArrayRef<Way> ways) {
    Choice choice{step, source, {}};
    size_t instructions = 0;
    for (auto [operand, way] : llvm::zip_equal(step->getOperands(), ways)) {
      const std::optional<size_t> part = partFrom(way, operand, source);
      if (!part)
        return std::nullopt;
      Way own(way.begin(), way.begin() + static_cast<ptrdiff_t>(*part));
      if (!own.empty()) {
        const auto lowest = static_cast<int>(own.back().getLowest());
        if (choice.newLowest != 0 && (choice.newLowest != own.front().getNewLowest() || choice.lowest != lowest))
          return std::nullopt;
        choice.newLowest = own.front().getNewLowest();
        choice.lowest = lowest;
      }
      for (id::GatherOp gather : own)
        instructions += gather.getBody().front().getOperations().size();
      choice.ways.push_back(std::move(own));
    }
    const bool isGathered = choice.newLowest != 0;
    return isGathered && instructions <= maxInstructions ? std::optional(std::move(choice)) : std::nullopt;
  }
};

struct ChooseNumbers : impl::ChooseNumbersBase<ChooseNumbers> {
  void runOnOperation() override {
    for (Operation &op : llvm::make_early_inc_range(getOperation().getBody().front().without_terminator()))
      if (auto step = dyn_cast<id::PointwiseOp>(op))
        if (std::optional<Choice> choice = Choice::of(step))
          choice->write();
  }
};

} // namespace
} // namespace idc::passes
