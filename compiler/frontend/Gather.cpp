// gather and scatter: stages that take elements from, or send them to, places that an expression of the index gives.
//
// The expression becomes the body of a step, an exact integer of digits: every intermediate value fits in 64 bits,
// which its bounds show, and divisions round down. Without run-time integers it is checked for every index, by bounds
// of parts of them where these settle it; with them it is reduced modulo the length.
#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/Evaluate.h"
#include "compiler/frontend/IndexBounds.h"

#include <algorithm>

namespace idc::frontend {

namespace {

Int product(const std::vector<int> &radices) {
  Int count = 1;
  for (int radix : radices)
    count *= radix;
  return count;
}

/// True for an integer made of scalars that are known at run time only.
bool dependsOnRunTime(const Untyped &value) {
  auto reads = [](const BodyBuilder &builder, int id) {
    const std::vector<Instr> &instrs = builder.body.instrs;
    std::set<int> needed = {id};
    for (auto next = needed.rbegin(); next != needed.rend(); ++next) {
      if (instrs[*next].op == Op::ScalarParam)
        return true;
      needed.insert(instrs[*next].operands.begin(), instrs[*next].operands.end());
    }
    return false;
  };
  return (value.scalarBuilder && reads(*value.scalarBuilder, value.scalar)) ||
         std::any_of(value.operands.begin(), value.operands.end(),
                     [](const UntypedRef &operand) { return dependsOnRunTime(*operand); });
}

} // namespace

Value Elaborator::applyMove(const Expr &expr, const std::vector<Value> &members, Context &context) {
  auto apply = [&](const std::vector<Value> &moved) {
    std::vector<Value> results;
    for (const Value &member : moved)
      results.push_back(Value::of(gathered(expr, *member.sequence, context)));
    return results.size() == 1 ? results[0] : Value::group(Value::Kind::Tuple, std::move(results));
  };
  return expr.digits ? applyAt(expr, expr.name, members, members.size(), context, apply) : apply(members);
}

SequenceView Elaborator::gathered(const Expr &expr, const SequenceView &view, Context &context) {
  const bool scatters = expr.name == "scatter", resizes = expr.stageArguments.size() == 2;
  const Expr &index = *expr.stageArguments.back();
  const std::vector<int> own = radicesOf(view);
  std::vector<int> radices = own;
  Split split = view.split;
  if (resizes) {
    Int length = 1;
    radices.clear();
    appendRadices(*expr.stageArguments[0], context, radices, length);
    std::reverse(radices.begin(), radices.end()); // least significant first
    split = {{split.size() == 1 ? split[0].first : "", static_cast<int>(radices.size())}};
  }
  const Int from = product(own), to = product(radices);
  if (scatters && from != to)
    fail(*expr.stageArguments[0],
         "'scatter' puts one element at each place, but " + spell(from) + " elements have " + spell(to) + " places");

  // The index, from the digits of the result; where an element is sent to, from those of the sequence.
  Step step;
  step.kind = scatters ? Step::Kind::Scatter : Step::Kind::Gather;
  step.name = expr.name;
  step.loc = expr.loc;
  builders.emplace_back();
  BodyBuilder &builder = builders.back();
  StageDigits stage;
  stage.isIndex = true;
  stage.radices = builder.radices = scatters ? own : radices;
  stage.split = scatters ? view.split : split;
  for (size_t digit = 1; digit <= stage.radices.size(); ++digit)
    stage.places.push_back(static_cast<int>(digit));
  BodyBuilder *outerBuilder = context.builder;
  const StageDigits *outerStage = context.stage;
  context.builder = &builder;
  context.stage = &stage;
  Value value = eval(index, context);
  context.builder = outerBuilder;
  context.stage = outerStage;
  if (value.kind != Value::Kind::Untyped || value.untyped->cls != Untyped::Class::Integer)
    fail(index, "the index of '" + expr.name + "' is an integer, not " + describe(value));

  UntypedRef place = value.untyped;
  if (dependsOnRunTime(*place)) {
    if (scatters)
      fail(index, "where 'scatter' sends elements is known at compile time; 'gather' takes run-time integers");
    std::string error;
    place = makeFloored(Op::Rem, place, integerConstant(from, index.loc), index.loc, error);
    if (!place)
      fail(index, error);
  }
  int result = emitInteger(*place, builder);
  step.body = builder.body;
  step.body.results = {result};
  if (scatters)
    checkScatter(index, step, own);
  else if (place == value.untyped)
    checkGather(index, step, *place, radices, from);
  return replaceDigits(view, std::move(step), radices, std::move(split));
}

void Elaborator::checkGather(const Expr &index, const Step &step, const Untyped &value, const std::vector<int> &radices,
                             Int from) {
  if (value.low >= 0 && value.high < from)
    return;
  auto failAt = [&](const Int &element, int64_t place) {
    fail(index, "element " + spell(element) + " of the result would be element " + spell(place) + " of a sequence of " +
                    spell(from) + " elements");
  };
  if (from <= INT64_MAX) {
    OutsideSearch outside(step.body, radices, static_cast<int64_t>(from));
    constexpr int64_t mostParts = 1 << 17; // beyond, elements one by one take less
    const OutsideSearch::Answer answer = outside.search(mostParts);
    if (answer == OutsideSearch::Answer::Outside)
      failAt(outside.first().element, outside.first().value);
    if (answer == OutsideSearch::Answer::Inside)
      return;
  }
  if (product(radices) > maxTried)
    fail(index, "the index of 'gather' may be from " + spell(value.low) + " to " + spell(value.high) +
                    ", and the sequence has " + spell(from) + " elements; more than " + std::to_string(maxTried) +
                    " are not tried one by one: keep it inside by min and max, or by a modulus at the end");
  Int element = 0;
  std::string error;
  bool inside = forEachIndex(
      step.body, radices, {},
      [&](int64_t place) {
        if (place < 0 || place >= from)
          failAt(element, place);
        ++element;
        return true;
      },
      error);
  if (!inside)
    fail(index, error);
}

void Elaborator::checkScatter(const Expr &index, const Step &step, const std::vector<int> &radices) {
  const Int count = product(radices);
  // Of more it is known of the ops' map, or refused.
  if (count > maxTried)
    return;
  std::vector<int64_t> sent(static_cast<size_t>(count), -1); // the element at each place
  int64_t element = 0;
  std::string error;
  bool inside = forEachIndex(
      step.body, radices, {},
      [&](int64_t place) {
        if (place < 0 || place >= count)
          fail(index,
               "'scatter' sends element " + spell(element) + " to place " + spell(place) + " of " + spell(count));
        if (int64_t &first = sent[static_cast<size_t>(place)]; first >= 0)
          fail(index, "'scatter' sends elements " + spell(first) + " and " + spell(element) + " to the same place " +
                          spell(place));
        else
          first = element;
        ++element;
        return true;
      },
      error);
  if (!inside)
    fail(index, error);
}

} // namespace idc::frontend
