#include "compiler/passes/ExchangeSides.h"

#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace idc;
using namespace idc::passes;
using digits::Field;

/// Digits that both mappings hold in a field.
static std::vector<int> commonDigits(const digits::Mapping &a, const digits::Mapping &b, Field field) {
  std::vector<int> common;
  for (const digits::Column &column : a[field])
    if (digits::Place place; column.digits.size() == 1 && b.find(column.digits[0], place) && place.field == field)
      common.push_back(column.digits[0]);
  return common;
}

/// Lets threads hold what the blocks of a cluster do; returns whether these held anything.
static bool inThreads(digits::Mapping &mapping) {
  bool held = false;
  for (const digits::Column &column : mapping[Field::Rank])
    if (column.digits.size() == 1) {
      mapping.push(Field::Warp, column.digits[0], column.radix);
      held = true;
    }
  mapping[Field::Rank].clear();
  return held;
}

ExchangeSides passes::sidesOf(id::ExchangeOp exchange) {
  const std::vector<int> together = id::exchangeWordDigits(exchange);
  ExchangeSides sides;
  sides.source = exchange.getInput().getType().getMapping().without(together);
  sides.target = exchange.getResult().getType().getMapping().without(together);
  sides.wordBytes = id::exchangeWordBytes(exchange.getInput().getType().getElement());
  if (!exchange.isOfBits())
    for (digits::Mapping *side : {&sides.source, &sides.target})
      side->splitThreads(std::numeric_limits<int64_t>::max()); // one number
  auto isHeld = [](const digits::Column &column) { return !column.digits.empty(); };
  if (llvm::all_of(sides.source[Field::Rank], isHeld) && llvm::all_of(sides.target[Field::Rank], isHeld)) {
    sides.betweenBlocks = !exchange.keeps(Field::Rank);
    return sides; // every element goes to one block
  }
  // What the blocks of a cluster hold and give away goes to all of them; what all hold, each takes its part of.
  const std::vector<int> stay = commonDigits(sides.source, sides.target, Field::Rank);
  sides.source = sides.source.without(stay), sides.target = sides.target.without(stay);
  sides.betweenBlocks = inThreads(sides.source);
  inThreads(sides.target);
  return sides;
}

std::vector<std::pair<int, int64_t>> passes::fixedDigits(id::ExchangeOp exchange) {
  std::vector<std::pair<int, int64_t>> fixed;
  if (!exchange.isComputed())
    return fixed;
  const ArrayRef<int32_t> radices = exchange.getInput().getType().getRadices();
  for (auto [run, number] : llvm::enumerate(exchange.getPlaces().front().getTerminator()->getOperands())) {
    APInt value;
    if (!matchPattern(number, m_ConstantInt(&value)))
      continue;
    int64_t rest = value.getSExtValue();
    for (int64_t digit : exchange.getRun(run)) {
      const int64_t radix = radices[static_cast<size_t>(digit) - 1];
      fixed.emplace_back(static_cast<int>(digit), rest % radix);
      rest /= radix;
    }
  }
  return fixed;
}

int passes::countConflicts(const ExchangeSides &sides, const digits::SharedLayout &layout) {
  return std::max(digits::countConflicts(sides.source, layout, sides.wordBytes),
                  digits::countConflicts(sides.target, layout, sides.wordBytes));
}
