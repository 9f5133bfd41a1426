//===- Operands.cpp - a module's operands in memory -----------------------===//

#include "host/Operands.h"
#include "host/Error.h"
#include "host/RandomInput.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace idc::host {

static bool contains(const std::vector<int32_t> &numbers, int32_t number) {
  return std::find(numbers.begin(), numbers.end(), number) != numbers.end();
}

Operands::Operands(const idc_module *module, int64_t batch, bool inPlace) : batch(batch) {
  if (batch < 1)
    throw Error("the batch is " + std::to_string(batch) + "; it must be at least 1");
  idc_operand described;
  idc_layout layout;
  for (int32_t i = 0; i < idc_input_count(module); ++i) {
    check(idc_input(module, i, &described));
    check(idc_input_layout(module, i, &layout));
    describe(described, layout, inputs);
  }
  for (int32_t i = 0; i < idc_output_count(module); ++i) {
    check(idc_output(module, i, &described));
    check(idc_output_layout(module, i, &layout));
    describe(described, layout, outputs);
  }
  std::vector<int32_t> taken;
  for (int32_t i = 0; inPlace && i < idc_output_count(module); ++i) {
    int32_t input = 0;
    while (input < idc_input_count(module) && (!idc_in_place(module, input, i) || contains(taken, input)))
      ++input;
    if (input == idc_input_count(module))
      continue;
    taken.push_back(input);
    outputs[size_t(i)].offset = inputs[size_t(input)].offset;
    outputs[size_t(i)].isOnInput = true;
  }
  if (inPlace && taken.empty())
    throw Error("no output may have the memory of an input");
}

/// The numbers of an element: first byte and bytes.
static std::vector<std::pair<int64_t, int64_t>> numbersOf(const ElementType &type) {
  std::vector<std::pair<int64_t, int64_t>> numbers;
  for (const Field &field : type.fields)
    for (int part = 0; part < (field.complex ? 2 : 1); ++part)
      numbers.emplace_back(field.offset + part * size(field.kind), size(field.kind));
  return numbers;
}

/// Calls move(memory, dense, bytes) for every number or element: where it lies in the operand's memory and in its dense
/// form.
template <typename Move> void Operand::forEachElement(const Move &move) const {
  for (int64_t i = 0; i < elements; ++i) {
    int64_t place = layoutOffset + i / elementsPerProblem * batchStride, rest = i % elementsPerProblem;
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d])
      place += rest % sizes[d] * strides[d];
    for (const Plane &plane : planes)
      move(size_t(plane.start + place * plane.bytes), size_t(i * type.bytes + plane.from), size_t(plane.bytes));
  }
}

std::vector<char> Operand::spread(const std::vector<char> &data, char fill) const {
  std::vector<char> memory(size_t(memoryBytes), fill);
  forEachElement([&](size_t at, size_t from, size_t bytes) { std::memcpy(&memory[at], &data[from], bytes); });
  return memory;
}

std::vector<char> Operand::gather(const std::vector<char> &memory) const {
  std::vector<char> data(static_cast<size_t>(bytes));
  forEachElement([&](size_t at, size_t to, size_t bytes) { std::memcpy(&data[to], &memory[at], bytes); });
  return data;
}

void Operands::describe(const idc_operand &described, const idc_layout &layout, std::vector<Operand> &side) {
  constexpr int64_t alignment = 256;
  auto aligned = [](int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; };
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
  operand.sizes.assign(layout.sizes, layout.sizes + layout.dimensions);
  operand.strides.assign(layout.strides, layout.strides + layout.dimensions);
  operand.layoutOffset = layout.offset;
  operand.batchStride = layout.batch_stride;
  int64_t dense = 1, reach = 1;
  for (size_t d = operand.sizes.size(); d-- > 0; dense *= operand.sizes[d]) {
    operand.dense &= operand.sizes[d] == 1 || operand.strides[d] == dense;
    reach += (operand.sizes[d] - 1) * operand.strides[d];
  }
  operand.dense &= layout.planes == 1 && layout.offset == 0 && layout.batch_stride == dense;
  if (layout.batch_stride > 0 &&
      batch - 1 > (most / described.element_bytes - reach - layout.offset) / layout.batch_stride)
    throw Error("'" + operand.name + "' is too large at batch " + std::to_string(batch));
  reach += layout.offset + (batch - 1) * layout.batch_stride;
  std::vector<std::pair<int64_t, int64_t>> parts{{0, described.element_bytes}};
  if (layout.planes > 1)
    parts = numbersOf(operand.type);
  for (auto [from, bytes] : parts) {
    operand.planes.push_back({aligned(operand.memoryBytes), from, bytes});
    operand.memoryBytes = operand.planes.back().start + reach * bytes;
  }
  if (operand.memoryBytes > most - setBytes)
    throw Error("the operands are too large at batch " + std::to_string(batch));
  setBytes += aligned(operand.memoryBytes);
  operandBytes += operand.bytes;
  side.push_back(std::move(operand));
}

void Operands::launch(const idc_module *module, char *set, const std::vector<std::vector<char>> &scalars,
                      char *workspace, void *stream) const {
  std::vector<const void *> inputPointers, scalarPointers;
  std::vector<void *> outputPointers;
  for (const Operand &operand : inputs)
    for (const Operand::Plane &plane : operand.planes)
      inputPointers.push_back(set + operand.offset + plane.start);
  for (const std::vector<char> &scalar : scalars)
    scalarPointers.push_back(scalar.data());
  for (const Operand &operand : outputs)
    for (const Operand::Plane &plane : operand.planes)
      outputPointers.push_back(set + operand.offset + plane.start);
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
  if (!operand.dense) {
    data.resize(static_cast<size_t>(operand.bytes));
    for (int64_t filled = period; filled < operand.bytes; filled += period)
      std::memcpy(&data[size_t(filled)], &data[0], size_t(std::min(period, operand.bytes - filled)));
    memory.upload(start, operand.spread(data, betweenElements).data(), operand.memoryBytes);
    return;
  }
  memory.upload(start, data.data(), period);
  for (int64_t filled = period; filled < operand.bytes; filled *= 2)
    memory.copy(start + filled, start, std::min(filled, operand.bytes - filled));
}

} // namespace idc::host
