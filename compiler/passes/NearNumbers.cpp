#include "compiler/passes/NearNumbers.h"

#include "compiler/passes/Elementwise.h"

#include "id/IndexCode.h"
#include "id/LinearForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <utility>

using namespace mlir;
using namespace idc;
using namespace idc::passes;

namespace {

struct Interval {
  int64_t least, greatest;
};

/// Follows how far from k, of some interval, the numbers of a body are.
class Distances {
public:
  Distances(Region &body, ArrayRef<int32_t> radices)
      : radices(radices), length(id::elementsOf(radices)), forms(id::LinearForm::ofAll(body, radices.size())) {}

  /// Of `value` - k; nothing where that is not known.
  std::optional<Interval> of(Value value, Interval k) {
    if (++followed > maxFollowed)
      return std::nullopt;
    if (auto form = forms.find(value); form != forms.end()) {
      const std::optional<int64_t> factor = form->second.factor(radices);
      const int64_t offset = form->second.constant;
      if (factor == 0)
        return Interval{offset - k.greatest, offset - k.least};
      return factor == 1 ? Interval{offset, offset} : fromNumber(form->second);
    }
    Operation *op = value.getDefiningOp();
    if (auto select = dyn_cast_or_null<arith::SelectOp>(op))
      return ofChoice(select, k);
    APInt constant;
    if (!op || op->getNumOperands() != 2 || !matchPattern(op->getOperand(1), m_ConstantInt(&constant)))
      return std::nullopt;
    const int64_t by = constant.getSExtValue();
    if (isa<arith::AddIOp, arith::SubIOp>(op))
      return moved(of(op->getOperand(0), k), isa<arith::AddIOp>(op) ? by : -by);
    if (isa<arith::RemSIOp>(op) && by == length)
      return modulo(of(op->getOperand(0), k));
    return std::nullopt;
  }

  /// The argument that a choice among arguments is; null where that is not known, or are several.
  BlockArgument argumentAt(Value value, Interval k) {
    auto select = value.getDefiningOp<arith::SelectOp>();
    if (!select)
      return dyn_cast<BlockArgument>(value);
    const auto [then, otherwise] = split(select.getCondition(), k);
    const bool isThen = then.least <= then.greatest;
    if (isThen && otherwise.least <= otherwise.greatest)
      return {};
    return argumentAt(isThen ? select.getTrueValue() : select.getFalseValue(), k);
  }

  /// Whether a value is made of some of these arguments for any such k.
  bool isMadeOf(Value value, ArrayRef<BlockArgument> arguments, Interval k) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return llvm::is_contained(arguments, argument);
    if (++followed > maxFollowed)
      return true;
    auto isOperandMade = [&](Value operand) { return isMadeOf(operand, arguments, k); };
    auto select = value.getDefiningOp<arith::SelectOp>();
    if (!select)
      return llvm::any_of(value.getDefiningOp()->getOperands(), isOperandMade);
    const auto [then, otherwise] = split(select.getCondition(), k);
    auto isBranchMade = [&](Value branch, Interval own) {
      return own.least <= own.greatest && isMadeOf(branch, arguments, own);
    };
    return isOperandMade(select.getCondition()) || isBranchMade(select.getTrueValue(), then) ||
           isBranchMade(select.getFalseValue(), otherwise);
  }

  bool wraps = false;     // a remainder by the length was left out
  bool isByRange = false; // single digits were taken to be anything

private:
  static constexpr int maxFollowed = 256;
  ArrayRef<int32_t> radices;
  int64_t length;
  DenseMap<Value, id::LinearForm> forms;
  int followed = 0;

  static std::optional<Interval> moved(std::optional<Interval> distance, int64_t by) {
    return distance ? std::optional(Interval{distance->least + by, distance->greatest + by}) : std::nullopt;
  }

  /// The same numbers modulo the length, around 0.
  std::optional<Interval> modulo(std::optional<Interval> distance) {
    if (!distance)
      return std::nullopt;
    wraps = true;
    const int64_t around = distance->least + (distance->greatest - distance->least) / 2 + length / 2;
    return moved(distance, -(around - (around % length + length) % length));
  }

  std::optional<Interval> ofChoice(arith::SelectOp select, Interval k) {
    const auto [then, otherwise] = split(select.getCondition(), k);
    std::optional<Interval> all;
    for (auto [value, own] : {std::pair(select.getTrueValue(), then), std::pair(select.getFalseValue(), otherwise)}) {
      if (own.least > own.greatest)
        continue;
      const std::optional<Interval> distance = of(value, own);
      if (!distance)
        return std::nullopt;
      all = all ? Interval{std::min(all->least, distance->least), std::max(all->greatest, distance->greatest)}
                : *distance;
    }
    return all;
  }

  /// How far from the number that the digits count a form is, whatever they are.
  std::optional<Interval> fromNumber(id::LinearForm form) {
    isByRange = true;
    form.multiples.resize(radices.size());
    int64_t weight = 1;
    for (auto [multiple, radix] : llvm::zip(form.multiples, radices)) {
      if (llvm::SubOverflow(multiple, weight, multiple))
        return std::nullopt;
      weight *= radix;
    }
    const auto range = form.range(radices);
    return range ? std::optional(Interval{range->first, range->second}) : std::nullopt;
  }

  /// A number as a multiple of k and what is left.
  struct Multiple {
    int64_t factor;
    Interval rest;
  };
  std::optional<Multiple> multipleOf(Value value, Interval k) {
    if (auto form = forms.find(value); form != forms.end())
      if (const std::optional<int64_t> factor = form->second.factor(radices))
        return Multiple{*factor, {form->second.constant, form->second.constant}};
    const bool before = std::exchange(wraps, false);
    const std::optional<Interval> distance = of(value, k);
    const bool isExact = !std::exchange(wraps, before); // else it is so far modulo the length
    return distance && isExact ? std::optional(Multiple{1, *distance}) : std::nullopt;
  }

  /// The k for which a condition may hold, and those for which it may not; all where it does not compare k.
  std::pair<Interval, Interval> split(Value condition, Interval k) {
    const std::pair both(k, k);
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    if (!compare || !compare.getLhs().getType().isInteger(64))
      return both;
    const std::optional<Multiple> left = multipleOf(compare.getLhs(), k), right = multipleOf(compare.getRhs(), k);
    if (!left || !right || std::abs(left->factor - right->factor) != 1)
      return both;
    // k compared with a bound, or the other way round.
    const bool isTurned = left->factor < right->factor;
    const Interval difference{right->rest.least - left->rest.greatest, right->rest.greatest - left->rest.least};
    const Interval bound = isTurned ? Interval{-difference.greatest, -difference.least} : difference;
    auto below = [&](bool orEqual) {
      return Interval{k.least, std::min(k.greatest, bound.greatest - (orEqual ? 0 : 1))};
    };
    auto from = [&](bool orEqual) { return Interval{std::max(k.least, bound.least + (orEqual ? 0 : 1)), k.greatest}; };
    auto isLess = [&](bool orEqual) {
      return isTurned ? std::pair(from(orEqual), below(!orEqual)) : std::pair(below(orEqual), from(!orEqual));
    };
    const Interval equal{std::max(k.least, bound.least), std::min(k.greatest, bound.greatest)};
    auto turned = [](std::pair<Interval, Interval> parts) { return std::pair(parts.second, parts.first); };
    using Predicate = arith::CmpIPredicate;
    switch (compare.getPredicate()) {
    case Predicate::slt:
      return isLess(false);
    case Predicate::sle:
      return isLess(true);
    case Predicate::sgt:
      return turned(isLess(true));
    case Predicate::sge:
      return turned(isLess(false));
    case Predicate::eq:
      return {equal, k};
    case Predicate::ne:
      return {k, equal};
    default: // of numbers without sign
      return both;
    }
  }
};

/// The code of a gather's numbers, where it is little work to try all of them.
std::optional<id::IndexCode> triable(id::GatherOp gather, ArrayRef<int32_t> radices) {
  constexpr int64_t maxOperations = int64_t(1) << 24; // of all evaluations
  const int64_t length = id::elementsOf(radices);
  std::optional<id::IndexCode> code = id::IndexCode::of(gather.getBody());
  if (!code || code->highestDigit() > static_cast<int>(radices.size()) || length > id::maxTried ||
      length > maxOperations / static_cast<int64_t>(code->size()))
    return std::nullopt;
  return code;
}

/// Tries all numbers, until one is farther than `most`.
std::optional<Nearness> byAll(id::GatherOp gather, ArrayRef<int32_t> radices, int64_t most) {
  std::optional<id::IndexCode> code = triable(gather, radices);
  if (!code)
    return std::nullopt;
  const int64_t length = id::elementsOf(radices);
  Nearness near;
  SmallVector<int64_t> digits(radices.size(), 0);
  int64_t k = 0;
  do {
    const std::optional<int64_t> number = code->at(digits);
    if (!number)
      return std::nullopt;
    int64_t distance = *number - k++;
    if (std::abs(distance) > length / 2) {
      distance += distance < 0 ? length : -length;
      near.wraps = true;
    }
    near.below = std::max(near.below, -distance);
    near.above = std::max(near.above, distance);
    if (near.atEnds() > most)
      return std::nullopt;
  } while (id::countUp(digits, radices));
  return near;
}

} // namespace

std::optional<int64_t> passes::distanceAt(id::GatherOp gather, Numbers elements) {
  Distances distances(gather.getBody(), gather.getType().getRadices().take_front(gather.getNewLowest()));
  const std::optional<Interval> distance =
      distances.of(gather.getBody().front().getTerminator()->getOperand(0), {elements.first, elements.last});
  return distance && distance->least == distance->greatest && !distances.wraps ? std::optional(distance->least)
                                                                               : std::nullopt;
}

bool passes::areUnused(id::GatherOp gather, Numbers elements) {
  const auto lowest = static_cast<size_t>(gather.getNewLowest());
  return llvm::all_of(gather.getResult().getUses(), [&](OpOperand &use) {
    auto step = dyn_cast<id::PointwiseOp>(use.getOwner());
    if (!step)
      return false;
    Block &body = step.getBody().front();
    unsigned first = 0; // of the operand's leaves
    for (Value before : step.getInputs().take_front(use.getOperandNumber()))
      first += static_cast<unsigned>(id::leafTypes(id::elementOf(before.getType())).size());
    const SmallVector<BlockArgument> leaves(
        body.getArguments().slice(first, id::leafTypes(gather.getType().getElement()).size()));
    Distances distances(step.getBody(), id::radicesOf(use.get().getType()).take_front(lowest));
    return llvm::none_of(body.getTerminator()->getOperands(), [&](Value yielded) {
      return distances.isMadeOf(yielded, leaves, {elements.first, elements.last});
    });
  });
}

std::optional<unsigned> passes::operandAt(id::PointwiseOp step, size_t lowest, Numbers elements) {
  auto type = cast<id::SeqType>(step.getOutputs()[0].getType());
  const int leaves = static_cast<int>(id::leafTypes(type.getElement()).size());
  if (step->getNumResults() != 1 || !choosesElements(step.getBody(), leaves))
    return std::nullopt;
  Distances distances(step.getBody(), type.getRadices().take_front(lowest));
  BlockArgument argument =
      distances.argumentAt(step.getBody().front().getTerminator()->getOperand(0), {elements.first, elements.last});
  return argument ? std::optional(argument.getArgNumber() / static_cast<unsigned>(leaves)) : std::nullopt;
}

int64_t passes::mostAtEnds(Type element) {
  return mostTileBytes / std::max<int64_t>(1, id::elementBytes(element)) / tileToEnds / 2;
}

std::optional<Nearness> passes::nearnessOf(id::GatherOp gather, int64_t most) {
  if (gather.getInput().getType().getRadices() != gather.getType().getRadices())
    return std::nullopt;
  const auto radices = gather.getType().getRadices().take_front(gather.getNewLowest());
  Distances distances(gather.getBody(), radices);
  const std::optional<Interval> distance =
      distances.of(gather.getBody().front().getTerminator()->getOperand(0), {0, id::elementsOf(radices) - 1});
  // Of more numbers than are tried, those by single digits are taken to be far: blocks that hold these digits exchange
  // them, which takes fewer kernels than tiles (nine steps on 2^22 elements three instead of four).
  if (distance)
    if (const Nearness near{std::max<int64_t>(0, -distance->least), std::max<int64_t>(0, distance->greatest),
                            distances.wraps};
        near.atEnds() <= most && (!distances.isByRange || triable(gather, radices)))
      return near;
  return byAll(gather, radices, most);
}
