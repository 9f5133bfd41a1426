#include "compiler/explain/Frames.h"

#include "compiler/explain/Text.h"
#include "compiler/explain/TileValues.h"
#include "compiler/frontend/Evaluate.h"
#include "compiler/frontend/ScalarArrays.h"
#include "host/ElementText.h"

#include "llvm/ADT/STLExtras.h"

using namespace idc;
using namespace idc::explain;
using frontend::Scalar;

static constexpr int64_t mostElements = 64;
static constexpr size_t mostSteps = 200;

namespace {

int64_t elementsOf(const frontend::Sequence &sequence) {
  int64_t elements = 1;
  for (int radix : sequence.radices)
    elements *= radix;
  return elements;
}

/// High digits as rows, as many low ones as make up to eight columns.
Table tableOf(const std::string &caption, const std::vector<Scalar> &leaves, const frontend::Sequence &sequence) {
  constexpr int64_t mostColumns = 8;
  const auto type = host::ElementType::parse(frontend::spellStructure(*sequence.element));
  const npy::Array values = frontend::toArray(leaves, type);
  const int64_t elements = elementsOf(sequence);
  std::vector<int> low, high = sequence.radices;
  int64_t columns = 1;
  while (!high.empty() && columns * high.front() <= mostColumns) {
    columns *= high.front();
    low.push_back(high.front());
    high.erase(high.begin());
  }
  const int all = static_cast<int>(sequence.radices.size()), lowest = static_cast<int>(low.size());
  Table table{caption, {""}, {}};
  if (!high.empty())
    table.columns[0] = host::digitNames(all, lowest + 1) + (low.empty() ? "" : " \\ ");
  if (!low.empty())
    table.columns[0] += host::digitNames(lowest, 1);
  for (int64_t column = 0; column < columns; ++column)
    table.columns.push_back(host::digitsText(host::digitsOf(column, low)));
  for (int64_t row = 0; row < elements / columns; ++row) {
    table.rows.push_back({host::digitsText(host::digitsOf(row, high)), {}});
    for (int64_t column = 0; column < columns; ++column)
      table.rows.back().cells.push_back(
          {host::elementText(values, row * columns + column, values.elements() / elements)});
  }
  return table;
}

} // namespace

std::vector<Frame> explain::valueFrames(const Facts &facts) {
  const frontend::Program &program = *facts.program;
  if (program.steps.size() > mostSteps ||
      llvm::any_of(program.values, [](const auto &value) { return elementsOf(value) > mostElements; }))
    return {};
  std::vector<Frame> frames{{"the inputs", "elements are numbered through all inputs; scalars are 1", {}}};
  const std::vector<std::vector<Scalar>> inputs = numberedInputs(facts);
  for (const auto &[input, leaves] : llvm::zip(program.inputs, inputs))
    frames.back().tables.push_back(tableOf(input.name, leaves, program.values[static_cast<size_t>(input.value)]));
  std::vector<std::vector<Scalar>> results;
  std::string error;
  auto observe = [&](size_t number, const std::vector<const std::vector<Scalar> *> &given) {
    const frontend::Step &step = program.steps[number];
    const StepSource &source = facts.stepSources[number];
    frames.push_back({describe(program, step), source.place + (source.text.empty() ? "" : ": " + source.text), {}});
    for (const auto &[value, leaves] : llvm::zip(step.outputs, given))
      frames.back().tables.push_back(tableOf("", *leaves, program.values[static_cast<size_t>(value)]));
  };
  const std::vector<Scalar> scalars = frontend::scalarsNear(program, 1);
  const bool isEvaluated = frontend::evaluate(program, inputs, scalars, results, error, observe);
  return isEvaluated ? frames : std::vector<Frame>();
}
