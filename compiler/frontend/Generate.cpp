// Sequences that are made of nothing: `let w: T[2^n] = generate(e);`.
#include "compiler/frontend/Elaborator.h"

namespace idc::frontend {

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
  if (step.body.readsScalars())
    fail(expr, "a generated sequence is known when compiling, and this one depends on a parameter that is not");
  SequenceView view = output(tags, radixOf, element, expr.loc, 1, std::move(split));
  step.outputs = {view.value};
  program.steps.push_back(std::move(step));
  return Value::of(std::move(view));
}

} // namespace idc::frontend
