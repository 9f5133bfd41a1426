//===- Operands.cpp - a module's operands in memory -----------------------===//

#include "host/Operands.h"
#include "host/Error.h"
#include "host/RandomInput.h"

#include <algorithm>
#include <limits>

namespace idc::host {

static bool contains(const std::vector<int32_t> &numbers, int32_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

Operands::Operands(const idc_module *module, int64_t batch, bool inPlace) : batch(batch) {
  if (batch < 1)
    throw Error("the batch is " + std::to_string(batch) + "; it must be at least 1");
  idc_operand described;
  for (int32_t i = 0; i < idc_input_count(module); ++i) {
    check(idc_input(module, i, &described));
    describe(described, inputs);
  }
  for (int32_t i = 0; i < idc_output_count(module); ++i) {
    check(idc_output(module, i, &described));
    describe(described, outputs);
  }
  std::vector<int32_t> taken;
  for (int32_t i = 0; inPlace && i < idc_output_count(module); ++i) {
    int32_t input = 0;
    while (input < idc_input_count(module) && (!idc_in_place(module, input, i) || contains(taken, input)))
      ++input;
    if (input == idc_input_count(module))
      throw Error("output '" + outputs[size_t(i)].name + "' cannot have the memory of an input");
    taken.push_back(input);
    outputs[size_t(i)].offset = inputs[size_t(input)].offset;
  }
}

void Operands::describe(const idc_operand &described, std::vector<Operand> &side) {
  constexpr int64_t alignment = 256;
  constexpr int64_t most = std::numeric_limits<int64_t>::max() / 4;
  Operand operand;
  operand.name = described.name;
  operand.type = ElementType::parse(described.type, described.element_bytes);
  operand.elementsPerProblem = described.elements;
  if (batch > most / described.element_bytes / described.elements)
    throw Error("'" + operand.name + "' is too large at batch " + std::to_string(batch));
  operand.elements = described.elements * batch;
  operand.bytes = operand.elements * described.element_bytes;
  operand.offset = setBytes;
  if (operand.bytes > most - setBytes)
    throw Error("the operands are too large at batch " + std::to_string(batch));
  setBytes += (operand.bytes + alignment - 1) / alignment * alignment;
  operandBytes += operand.bytes;
  side.push_back(std::move(operand));
}

void Operands::launch(const idc_module *module, char *set, const std::vector<std::vector<char>> &scalars,
                      char *workspace, void *stream) const {
  std::vector<const void *> inputPointers, scalarPointers;
  std::vector<void *> outputPointers;
  for (const Operand &operand : inputs)
    inputPointers.push_back(set + operand.offset);
  for (const std::vector<char> &scalar : scalars)
    scalarPointers.push_back(scalar.data());
  for (const Operand &operand : outputs)
    outputPointers.push_back(set + operand.offset);
  check(
      idc_launch(module, batch, inputPointers.data(), scalarPointers.data(), outputPointers.data(), workspace, stream));
}

void fillInput(Memory &memory, const Operands &operands, size_t index, char *set, int64_t problems, uint64_t seed,
               const Distribution &distribution) {
  const Operand &operand = operands.inputs[index];
  int64_t drawn = std::min(problems, operands.batch), period = operand.bytes / operands.batch * drawn;
  std::vector<char> data(static_cast<size_t>(period));
  fillRandomProblems(data.data(), drawn, operand.elementsPerProblem, operand.type, seed, index, distribution);
  char *start = set + operand.offset;
  memory.upload(start, data.data(), period);
  for (int64_t filled = period; filled < operand.bytes; filled *= 2)
    memory.copy(start + filled, start, std::min(filled, operand.bytes - filled));
}

} // namespace idc::host
