#include "compiler/adjoint/StepMaker.h"

#include "compiler/adjoint/BodyAdjoint.h"
#include "compiler/adjoint/IndexFormula.h"

#include "compiler/frontend/Value.h"

using namespace idc;
using namespace idc::adjoint;
using frontend::Body;
using frontend::Instr;
using frontend::Op;
using frontend::Step;
using frontend::TypeRef;

static int emit(Body &body, Op op, const TypeRef &type, std::vector<int> operands) {
  Instr instr;
  instr.op = op;
  instr.type = type;
  instr.operands = std::move(operands);
  body.instrs.push_back(std::move(instr));
  return static_cast<int>(body.params.size() + body.instrs.size()) - 1;
}

static int emit(Body &body, Instr instr) {
  body.instrs.push_back(std::move(instr));
  return static_cast<int>(body.params.size() + body.instrs.size()) - 1;
}

int StepMaker::value(std::vector<int> radices, const TypeRef &element) {
  program.values.push_back({std::move(radices), element, place});
  return static_cast<int>(program.values.size()) - 1;
}

Step StepMaker::step(Step::Kind kind, const char *name, std::vector<int> inputs) {
  Step result;
  result.kind = kind;
  result.name = name;
  result.loc = place;
  result.inputs = std::move(inputs);
  return result;
}

int StepMaker::finish(Step step, std::vector<int> radices, const TypeRef &element) {
  const int made = value(std::move(radices), element);
  step.outputs = {made};
  program.steps.push_back(std::move(step));
  return made;
}

Body StepMaker::zero(const TypeRef &element) const {
  Body body;
  for (const TypeRef &leaf : frontend::leaves(element))
    body.results.push_back(emit(body, constant(leaf, 0)));
  return body;
}

int StepMaker::permute(int value, const digits::Permutation &permutation) {
  if (permutation.isIdentity())
    return value;
  Step made = step(Step::Kind::Permute, "permute", {value});
  made.permutation = permutation;
  std::vector<int> after = permutation.apply(radices(value));
  return finish(std::move(made), std::move(after), TypeRef(element(value)));
}

static std::vector<int> replaced(const std::vector<int> &radices, int lowest, const std::vector<int> &own) {
  std::vector<int> result = own;
  result.insert(result.end(), radices.begin() + lowest, radices.end());
  return result;
}

static int64_t product(const std::vector<int> &radices) {
  int64_t count = 1;
  for (int radix : radices)
    count *= radix;
  return count;
}

int StepMaker::resize(int value, int lowest, const std::vector<int> &own) {
  Step made = step(Step::Kind::Resize, "resize", {value});
  made.lowest = lowest;
  if (product(own) > product({radices(value).begin(), radices(value).begin() + lowest}))
    made.body = zero(element(value));
  return finish(std::move(made), replaced(radices(value), lowest, own), TypeRef(element(value)));
}

int StepMaker::move(Step::Kind kind, int value, int lowest, const std::vector<int> &own, Body index) {
  Step made = step(kind, kind == Step::Kind::Gather ? "gather" : "scatter", {value});
  made.lowest = lowest;
  made.body = std::move(index);
  return finish(std::move(made), replaced(radices(value), lowest, own), TypeRef(element(value)));
}

int StepMaker::sumOverDigit(int value, int digit) {
  constexpr int most = 16; // values that one node adds
  const int radix = radices(value)[static_cast<size_t>(digit) - 1], digits = static_cast<int>(radices(value).size());
  if (radix > most) { // bits in its place, padded with zeros
    std::vector<int> sources = {digit}, bits;
    for (int other = 1; other <= digits; ++other)
      if (other != digit)
        sources.push_back(other);
    int moved = permute(value, digits::Permutation::fromSources(std::move(sources)));
    for (int64_t length = 1; length < radix; length *= 2)
      bits.push_back(2);
    moved = resize(moved, 1, bits);
    for (size_t bit = 0; bit < bits.size(); ++bit)
      moved = sumOverDigit(moved, 1);
    return moved;
  }
  const std::vector<TypeRef> parts = frontend::leaves(element(value));
  Step made = step(Step::Kind::Node, "sum", {value});
  made.digits = {digit};
  made.arrayInput = {true};
  made.arrayOutput = {false};
  for (int k = 0; k < radix; ++k)
    made.body.params.insert(made.body.params.end(), parts.begin(), parts.end());
  for (size_t leaf = 0; leaf < parts.size(); ++leaf) {
    if (!isDifferentiable(*parts[leaf])) {
      made.body.results.push_back(emit(made.body, constant(parts[leaf], 0)));
      continue;
    }
    int sum = static_cast<int>(leaf);
    for (int k = 1; k < radix; ++k)
      sum = emit(made.body, Op::Add, parts[leaf], {sum, k * static_cast<int>(parts.size()) + static_cast<int>(leaf)});
    made.body.results.push_back(sum);
  }
  std::vector<int> rest = radices(value);
  rest.erase(rest.begin() + (digit - 1));
  return finish(std::move(made), std::move(rest), TypeRef(element(value)));
}

int StepMaker::sum(const std::vector<int> &values) {
  if (values.size() == 1)
    return values[0];
  const std::vector<TypeRef> parts = frontend::leaves(element(values[0]));
  Step made = step(Step::Kind::Pointwise, "add", values);
  for (size_t i = 0; i < values.size(); ++i)
    made.body.params.insert(made.body.params.end(), parts.begin(), parts.end());
  for (size_t leaf = 0; leaf < parts.size(); ++leaf) {
    int sum = static_cast<int>(leaf);
    for (size_t i = 1; i < values.size() && isDifferentiable(*parts[leaf]); ++i)
      sum = emit(made.body, Op::Add, parts[leaf], {sum, static_cast<int>(i * parts.size() + leaf)});
    made.body.results.push_back(sum);
  }
  return finish(std::move(made), radices(values[0]), TypeRef(element(values[0])));
}

int StepMaker::masked(int value, const Body &place) {
  Step made = step(Step::Kind::Pointwise, "masked", {value});
  made.body.params = frontend::leaves(element(value));
  IntegerCode code(made.body);
  const int at = code.append(place);
  const int none = code.less(at, code.constant(0));
  for (size_t leaf = 0; leaf < made.body.params.size(); ++leaf) {
    const TypeRef type = made.body.params[leaf];
    const int nothing = emit(made.body, constant(type, 0));
    made.body.results.push_back(emit(made.body, Op::Select, type, {none, nothing, static_cast<int>(leaf)}));
  }
  return finish(std::move(made), radices(value), TypeRef(element(value)));
}

int StepMaker::addedAt(int value, int one, const std::vector<int> &own, int64_t index) {
  Step made = step(Step::Kind::Pointwise, "added", {value, one});
  std::vector<int> batch;
  for (size_t digit = own.size() + 1; digit <= radices(value).size(); ++digit)
    batch.push_back(static_cast<int>(digit));
  made.broadcastDigits = {{}, batch};
  const std::vector<TypeRef> parts = frontend::leaves(element(value));
  made.body.params = parts;
  made.body.params.insert(made.body.params.end(), parts.begin(), parts.end());
  IntegerCode code(made.body);
  const int here = emit(made.body, Op::Eq, frontend::boolType(), {code.index(own), code.constant(index)});
  for (size_t leaf = 0; leaf < parts.size(); ++leaf) {
    const int x = static_cast<int>(leaf), more = static_cast<int>(parts.size() + leaf);
    if (isDifferentiable(*parts[leaf])) {
      const int sum = emit(made.body, Op::Add, parts[leaf], {x, more});
      made.body.results.push_back(emit(made.body, Op::Select, parts[leaf], {here, sum, x}));
    } else {
      made.body.results.push_back(x);
    }
  }
  return finish(std::move(made), radices(value), TypeRef(element(value)));
}

int StepMaker::zeros(const std::vector<int> &radices, const TypeRef &element) {
  Step made = step(Step::Kind::Pointwise, "zero", {});
  made.body = zero(element);
  return finish(std::move(made), radices, element);
}
