#include "Execution.h"

#include "compiler/frontend/ScalarMemory.h"

#include "host/Error.h"
#include "host/Memory.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;
using namespace idc::test;
using codegen::Level;

const char *test::name(Device device) { return device == Device::Cpu ? "CPU" : "emulator"; }

static codegen::CompileRequest request(Device device, const std::string &file, const std::string &entry,
                                       const frontend::SizeMap &sizes, const frontend::TypeMap &types) {
  codegen::CompileRequest result;
  result.file = std::string(IDC_STDLIB_DIR) + "/" + file;
  result.libraries = {IDC_STDLIB_DIR};
  result.entry = entry;
  result.sizes = sizes;
  result.types = types;
  if (device == Device::Cpu)
    result.target = "cpu";
  return result;
}

static std::vector<Executable::Operand> operands(const idc_module *module, int32_t count,
                                                 idc_status (*describe)(const idc_module *, int32_t, idc_operand *)) {
  std::vector<Executable::Operand> result;
  for (int32_t i = 0; i < count; ++i) {
    idc_operand operand;
    host::check(describe(module, i, &operand));
    result.push_back({operand.name, host::ElementType::parse(operand.type, operand.element_bytes), operand.elements});
  }
  return result;
}

Executable::Executable(Device device, const std::string &file, const std::string &entry, const frontend::SizeMap &sizes,
                       const frontend::TypeMap &types)
    : compiler(request(device, file, entry, sizes, types)), module(tools::adopt(nullptr)) {
  if (device == Device::Cpu) {
    module = tools::cpuModule(compiler, llvm::errs());
  } else {
    emulated = tools::emulatedModule(compiler, {}, llvm::errs()).release();
    module = tools::adopt(emulated);
  }
  inputOperands = operands(module.get(), idc_input_count(module.get()), idc_input);
  scalarOperands = operands(module.get(), idc_scalar_count(module.get()), idc_scalar);
  outputOperands = operands(module.get(), idc_output_count(module.get()), idc_output);
}

std::vector<std::vector<char>> Executable::run(const std::vector<std::vector<char>> &inputs, int64_t batch,
                                               const std::vector<std::vector<char>> &scalars) const {
  std::vector<std::vector<char>> given = inputs, results;
  std::vector<const void *> from, values;
  std::vector<void *> to;
  for (const std::vector<char> &input : given)
    from.push_back(input.data());
  if (scalars.size() != scalarOperands.size())
    throw host::Error("the program has another number of scalars");
  for (const std::vector<char> &scalar : scalars)
    values.push_back(scalar.data());
  for (const Operand &output : outputOperands)
    results.emplace_back(static_cast<size_t>(output.bytes() * batch), '\xff'); // not a number, where it is one
  for (std::vector<char> &result : results)
    to.push_back(result.data());
  int64_t bytes = 0;
  host::check(idc_workspace_size(module.get(), batch, &bytes));
  std::vector<char> workspace(static_cast<size_t>(bytes), '\xff');
  host::check(idc_launch(module.get(), batch, from.data(), values.data(), to.data(), workspace.data(), nullptr));
  if (given != inputs)
    throw host::Error("an input was written to");
  if (emulated)
    for (const emulator::KernelReport &report : emulated->reports())
      if (!report.passed())
        throw host::Error(toText(report));
  return results;
}

std::vector<Buffer> Executable::run(const std::vector<Buffer> &inputs) const {
  if (inputs.size() != inputOperands.size())
    throw host::Error("the program has another number of inputs");
  const auto batch = static_cast<int64_t>(inputs.at(0).size()) / inputOperands[0].elements;
  std::vector<std::vector<char>> bytes;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Operand &operand = inputOperands[i];
    if (inputs[i].size() != static_cast<size_t>(operand.elements * batch) * operand.type.fields.size())
      throw host::Error("'" + operand.name + "' has another number of elements");
    bytes.emplace_back(static_cast<size_t>(operand.bytes() * batch));
    frontend::storeScalars(inputs[i], operand.type, bytes.back().data());
  }
  bytes = run(bytes, batch);
  std::vector<Buffer> results;
  for (size_t i = 0; i < bytes.size(); ++i)
    results.push_back(
        frontend::loadScalars(bytes[i].data(), outputOperands[i].type, outputOperands[i].elements * batch));
  return results;
}
