// Sequences that are known when the program is compiled: `let w: T[2^n] = generate(e);`, and what is made of them.
#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/Evaluate.h"

#include <algorithm>

namespace idc::frontend {

namespace {

/// Numbers of a sequence that is computed when compiling.
constexpr int64_t maxNumbers = int64_t(1) << 22;
/// Of those that lie in a module, together.
constexpr int64_t maxBytes = int64_t(1) << 24;

int64_t elementsOf(const Sequence &sequence) {
  int64_t count = 1;
  for (int radix : sequence.radices)
    count *= radix;
  return count;
}

bool readsScalars(const Body &body) {
  return std::any_of(body.instrs.begin(), body.instrs.end(),
                     [](const Instr &instr) { return instr.op == Op::ScalarParam; });
}

/// Bytes of an element in memory, without padding.
int64_t bytesOf(const TypeRef &element) {
  int64_t bytes = 0;
  for (const TypeRef &leaf : leaves(element))
    bytes += leaf->kind == Type::Kind::Complex ? bitWidth(*leaf->element) / 4
             : leaf->kind == Type::Kind::Bool  ? 1
             : leaf->kind == Type::Kind::Mod   ? (leaf->modulus > UINT32_MAX ? 8 : 4)
                                               : bitWidth(*leaf) / 8;
  return bytes;
}

bool same(const Scalar &a, const Scalar &b) { return a.re == b.re && a.im == b.im && a.integer == b.integer; }

} // namespace

Value Elaborator::generate(const Expr &expr, const TypeExpr &type, Context &context) {
  TypeRef element = resolveType(type, context, false);
  std::vector<std::pair<std::string, int>> split;
  const std::vector<int> radices = shapeRadices(type, context, split);
  Step step;
  step.kind = Step::Kind::Pointwise;
  step.name = "generate";
  step.loc = expr.loc;
  builders.emplace_back();
  BodyBuilder &builder = builders.back();
  builder.radices = radices;
  StageDigits stage;
  std::vector<int> tags;
  std::map<int, int> radixOf;
  for (int digit = 1; digit <= static_cast<int>(radices.size()); ++digit) {
    tags.push_back(digit);
    radixOf[digit] = radices[digit - 1];
  }
  stage.places = tags;
  stage.radices = radices;
  stage.split = split;
  BodyBuilder *outerBuilder = context.builder;
  const StageDigits *outerStage = context.stage;
  context.builder = &builder;
  context.stage = &stage;
  Value value = coerce(eval(*expr.arguments[0], context), element, expr.arguments[0]->loc, builder, "an element");
  context.builder = outerBuilder;
  context.stage = outerStage;
  std::vector<int> results;
  flatten(value, builder, results);
  step.body = std::move(builder.body);
  step.body.results = std::move(results);
  if (readsScalars(step.body))
    fail(expr, "a generated sequence is known when compiling, and this one depends on a parameter that is not");
  SequenceView view = output(tags, radixOf, element, expr.loc, 1, std::move(split));
  step.outputs = {view.value};
  program.steps.push_back(std::move(step));
  return Value::of(std::move(view));
}

void Elaborator::foldConstants() {
  std::vector<bool> known(program.values.size(), false), needed(program.values.size(), false);
  std::vector<Step> constant, others;
  for (Step &step : program.steps) {
    const bool folds = !readsScalars(step.body) &&
                       std::all_of(step.inputs.begin(), step.inputs.end(), [&](int value) { return known[value]; });
    for (int value : step.outputs)
      known[value] = folds;
    (folds ? constant : others).push_back(std::move(step));
  }
  program.steps = std::move(others);
  if (constant.empty())
    return;
  for (const Step &step : constant)
    for (int value : step.outputs) {
      const Sequence &made = program.values[value];
      const int64_t numbers = countLeaves(*made.element, maxNumbers);
      if (elementsOf(made) > maxNumbers / numbers)
        fail(step.loc, "a sequence that is computed when compiling has at most " + std::to_string(maxNumbers) +
                           " numbers, and this one has " + std::to_string(elementsOf(made)) + " elements");
    }
  auto need = [&](int value) { needed[value] = known[value]; };
  for (const Step &step : program.steps)
    std::for_each(step.inputs.begin(), step.inputs.end(), need);
  std::for_each(program.outputs.begin(), program.outputs.end(), need);
  Program part;
  part.values = program.values;
  for (int value = 0; value < static_cast<int>(needed.size()); ++value)
    if (needed[value])
      part.outputs.push_back(value);
  part.steps = std::move(constant);
  std::vector<std::vector<Scalar>> results;
  std::string error;
  if (!evaluate(part, {}, {}, results, error))
    fail(part.steps.front().loc, "what is computed when compiling: " + error);

  // Equal ones once.
  std::vector<int> merged(program.values.size());
  for (size_t value = 0; value < merged.size(); ++value)
    merged[value] = static_cast<int>(value);
  for (size_t i = 0; i < results.size(); ++i) {
    const int value = part.outputs[i];
    const Sequence &own = program.values[value];
    auto equals = [&](const Constant &other) {
      const Sequence &sequence = program.values[other.value];
      return sequence.radices == own.radices && equal(*sequence.element, *own.element) &&
             std::equal(other.leaves.begin(), other.leaves.end(), results[i].begin(), results[i].end(), same);
    };
    auto known = std::find_if(program.constants.begin(), program.constants.end(), equals);
    if (known != program.constants.end())
      merged[value] = known->value;
    else
      program.constants.push_back({value, std::move(results[i])});
  }
  int64_t bytes = 0;
  for (const Constant &constant : program.constants)
    bytes += elementsOf(program.values[constant.value]) * bytesOf(program.values[constant.value].element);
  if (bytes > maxBytes)
    fail(part.steps.front().loc, "what is computed when compiling takes " + std::to_string(bytes) +
                                     " bytes, and a module holds at most " + std::to_string(maxBytes));
  for (Step &step : program.steps)
    for (int &value : step.inputs)
      value = merged[value];
  for (int &value : program.outputs)
    value = merged[value];
}

} // namespace idc::frontend
