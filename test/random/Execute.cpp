#include "Execute.h"

#include "Guarded.h"

#include "compiler/codegen/CpuJit.h"
#include "compiler/codegen/LowerToLlvm.h"
#include "compiler/emulator/EmulatedModule.h"
#include "compiler/tools/Reference.h"

#include "host/ElementType.h"
#include "host/Error.h"
#include "host/Memory.h"
#include "idc/runtime.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>
#include <cstring>
#include <random>

using namespace idc;
using namespace idc::random;
using host::ScalarKind;

namespace {
using Data = std::vector<std::vector<char>>;

struct Operand {
  host::ElementType type;
  int64_t elements = 0; // of one problem
  int64_t alignment = 1;
  size_t bytes(int64_t batch) const { return static_cast<size_t>(elements * batch * type.bytes); }
};
} // namespace

static std::vector<Operand> operandsOf(const idc_module *module, bool outputs) {
  std::vector<Operand> operands;
  int32_t count = outputs ? idc_output_count(module) : idc_input_count(module);
  for (int32_t i = 0; i < count; ++i) {
    idc_operand described;
    idc_layout layout;
    host::check(outputs ? idc_output(module, i, &described) : idc_input(module, i, &described));
    host::check(outputs ? idc_output_layout(module, i, &layout) : idc_input_layout(module, i, &layout));
    operands.push_back(
        {host::ElementType::parse(described.type, described.element_bytes), described.elements, layout.alignment});
  }
  return operands;
}

//===--- data ---------------------------------------------------------------------------------------------------===//

template <class T> static void put(char *to, T value) { std::memcpy(to, &value, sizeof value); }
template <class T> static T get(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// Reals in [-1, 1]; of integers one half small, one half of any size.
static std::vector<char> randomData(const Operand &operand, int64_t elements, std::mt19937_64 &engine) {
  std::vector<char> data(static_cast<size_t>(elements * operand.type.bytes));
  char *element = data.data();
  for (int64_t i = 0; i < elements; ++i, element += operand.type.bytes)
    for (const host::Field &field : operand.type.fields)
      for (int part = 0; part <= field.complex; ++part) {
        char *to = element + field.offset + part * host::size(field.kind);
        uint64_t bits = engine();
        double real = static_cast<double>(static_cast<int64_t>(bits)) * std::ldexp(1, -63);
        int64_t integer = bits & 1 ? static_cast<int64_t>(bits >> 1) : static_cast<int64_t>(bits >> 1) % 9 - 4;
        if (field.modulus)
          integer = static_cast<int64_t>(bits & 2   ? bits % field.modulus
                                         : bits & 4 ? (bits >> 3) % 3 % field.modulus
                                                    : field.modulus - 1 - (bits >> 3) % 2);
        if (field.kind == ScalarKind::F32)
          put(to, static_cast<float>(real));
        else if (field.kind == ScalarKind::F64)
          put(to, real);
        else if (field.kind == ScalarKind::Bool)
          put<char>(to, bits & 1);
        else if (host::size(field.kind) == 4)
          put(to, static_cast<int32_t>(integer));
        else
          put(to, integer);
      }
  return data;
}

/// The first element that differs by more than rounding allows; empty when none does.
static std::string difference(const Operand &operand, const std::vector<Bound> &bounds, const std::vector<char> &actual,
                              const std::vector<char> &expected, int64_t batch) {
  auto realAt = [](const host::Field &field, const char *at) {
    return field.kind == ScalarKind::F32 ? double(get<float>(at)) : get<double>(at);
  };
  for (int64_t i = 0; i < batch * operand.elements; ++i)
    for (size_t leaf = 0; leaf < operand.type.fields.size(); ++leaf) {
      const host::Field &field = operand.type.fields[leaf];
      size_t bytes = static_cast<size_t>(host::size(field.kind));
      const char *a = actual.data() + i * operand.type.bytes + field.offset;
      const char *e = expected.data() + i * operand.type.bytes + field.offset;
      std::string place = "problem " + std::to_string(i / operand.elements) + ", element " +
                          std::to_string(i % operand.elements) +
                          (operand.type.fields.size() > 1 ? ", field " + std::to_string(leaf) : "") + ": ";
      if (field.kind != ScalarKind::F32 && field.kind != ScalarKind::F64) {
        if (std::memcmp(a, e, bytes) == 0)
          continue;
        auto integer = [&](const char *at) {
          return std::to_string(bytes == 1 ? get<char>(at) : bytes == 4 ? get<int32_t>(at) : get<int64_t>(at));
        };
        return place + integer(a) + " instead of " + integer(e);
      }
      // A compiler may order exact rewritings differently; the reference is rounded once more when it is stored.
      const Bound bound = bounds.empty() ? Bound{0, 0} : bounds[leaf]; // a written program is exact
      const double allowed =
          4 * bound.error + 2 * (bytes == 4 ? std::ldexp(1, -23) : std::ldexp(1, -52)) * bound.magnitude;
      double apart = 0;
      for (int part = 0; part <= field.complex; ++part)
        apart = std::hypot(apart, realAt(field, a + part * bytes) - realAt(field, e + part * bytes));
      if (apart <= allowed)
        continue;
      char text[128];
      std::snprintf(text, sizeof text, "%.9g instead of %.9g, apart by %.2g where rounding explains %.2g",
                    realAt(field, a), realAt(field, e), apart, allowed);
      return place + text;
    }
  return {};
}

//===--- runs ---------------------------------------------------------------------------------------------------===//

/// Launches on `inputs`. Throws host::Error.
static Data launch(const idc_module *module, int64_t batch, const Data &inputs, const std::vector<Operand> &outputs) {
  int64_t workspaceBytes = 0;
  host::check(idc_workspace_size(module, batch, &workspaceBytes));
  struct alignas(256) Line {
    char bytes[256];
  };
  auto lines = [](size_t bytes) {
    return std::vector<Line>(bytes / sizeof(Line) + 1, [] {
      Line line;
      std::memset(&line, 0xff, sizeof line);
      return line;
    }());
  };
  std::vector<Line> workspace = lines(static_cast<size_t>(workspaceBytes));
  std::vector<std::vector<Line>> in, out;
  std::vector<const void *> inputPointers;
  std::vector<void *> outputPointers;
  for (const std::vector<char> &input : inputs) {
    in.push_back(lines(input.size()));
    std::memcpy(in.back().data(), input.data(), input.size());
    inputPointers.push_back(in.back().data());
  }
  for (const Operand &output : outputs) {
    out.push_back(lines(static_cast<size_t>(output.elements * batch * output.type.bytes)));
    outputPointers.push_back(out.back().data());
  }
  host::check(
      idc_launch(module, batch, inputPointers.data(), nullptr, outputPointers.data(), workspace.data(), nullptr));
  Data results;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const char *begin = reinterpret_cast<const char *>(out[i].data());
    results.emplace_back(begin, begin + outputs[i].elements * batch * outputs[i].type.bytes);
  }
  return results;
}

/// The same on arrays that lie between pages that must not be touched, inputs being read-only. `problem`: what went
/// wrong, or empty.
static Data launchGuarded(const idc_module *module, int64_t batch, const Data &inputs, GuardedArray::Side side,
                          std::string &problem) {
  int64_t workspaceBytes = 0;
  host::check(idc_workspace_size(module, batch, &workspaceBytes));
  GuardedArray workspace(static_cast<size_t>(workspaceBytes), IDC_POINTER_ALIGNMENT, side);
  std::vector<GuardedArray> in, out;
  std::vector<const void *> inputPointers;
  std::vector<void *> outputPointers;
  for (auto [i, operand] : llvm::enumerate(operandsOf(module, false))) {
    in.emplace_back(operand.bytes(batch), static_cast<size_t>(operand.alignment), side);
    llvm::copy(inputs[i], in.back().data());
    in.back().makeReadOnly();
    inputPointers.push_back(in.back().data());
  }
  for (const Operand &operand : operandsOf(module, true)) {
    out.emplace_back(operand.bytes(batch), static_cast<size_t>(operand.alignment), side);
    outputPointers.push_back(out.back().data());
  }
  problem = callInChild([&] {
    return idc_launch(module, batch, inputPointers.data(), nullptr, outputPointers.data(), workspace.data(), nullptr);
  });
  Data results;
  for (const GuardedArray &array : out)
    results.emplace_back(array.data(), array.data() + array.size());
  auto isIntact = [](const GuardedArray &array) { return array.isIntactBeside(); };
  if (problem.empty() && !(llvm::all_of(out, isIntact) && isIntact(workspace)))
    problem = "wrote beside an array";
  return results;
}

/// The text of the faults that the emulator saw.
static std::string faultsOf(const emulator::EmulatedModule &module) {
  std::string text;
  for (const emulator::KernelReport &report : module.reports())
    if (!report.passed())
      text += toText(report);
  return text;
}

namespace {
/// One program with its data and the results that it must have.
struct Trial {
  const Program &program;
  std::unique_ptr<Levels> levels;
  std::vector<Operand> outputs;
  Data inputs, expected;
  Outcome outcome; // of a machine that did something else

  void compare(const char *where, const Data &actual) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::string text = difference(outputs[i], program.results.empty() ? std::vector<Bound>() : program.results[i],
                                    actual[i], expected[i], program.batch);
      if (!text.empty()) {
        outcome = {Outcome::Kind::Different, where, "result " + std::to_string(i) + ", " + text};
        return;
      }
    }
  }
  void rejected(const char *where, llvm::Error error) {
    outcome = {Outcome::Kind::Rejected, where, llvm::toString(std::move(error))};
  }
  void runOnCpu(const Execution &execution);
  void emulate(const Execution &execution);
};
} // namespace

/// Machine code for this computer.
static llvm::Expected<codegen::CpuJit> codeOf(mlir::ModuleOp kernels) {
  if (failed(codegen::lowerToLlvmDialect(kernels)))
    return llvm::createStringError("cannot be lowered to the LLVM dialect");
  return codegen::CpuJit::compile(kernels);
}

void Trial::runOnCpu(const Execution &execution) {
  llvm::Expected<Levels::Kernels> kernels = levels->compile("cpu", execution.cpuChanges);
  if (!kernels)
    return rejected("CPU", kernels.takeError());
  llvm::Expected<codegen::CpuJit> jit = codeOf(*kernels->module);
  if (!jit)
    return rejected("CPU", jit.takeError());
  idc_module *module = nullptr;
  host::check(
      idc_cpu_module_create(kernels->manifest.data(), kernels->manifest.size(), codegen::CpuJit::find, &*jit, &module));
  std::unique_ptr<idc_module, idc_status (*)(idc_module *)> owner(module, idc_module_unload);
  for (auto side : {GuardedArray::Side::Low, GuardedArray::Side::High}) {
    std::string problem;
    compare("CPU", launchGuarded(module, program.batch, inputs, side, problem));
    if (!problem.empty())
      outcome = {Outcome::Kind::Different, "CPU",
                 problem + (side == GuardedArray::Side::Low ? " (nothing below arrays)" : " (nothing above arrays)")};
    if (outcome.failed())
      return;
  }
}

void Trial::emulate(const Execution &execution) {
  llvm::Expected<Levels::Kernels> kernels = levels->compile(execution.arch, execution.gpuChanges);
  if (!kernels)
    return rejected("emulator", kernels.takeError());
  if (execution.worthEmulating && !execution.worthEmulating())
    return;
  std::string text;
  llvm::raw_string_ostream stream(text);
  kernels->module->print(stream);
  emulator::EmulatorOptions options;
  options.seed = execution.seed;
  options.maxIterations = int64_t(1) << 16;
  std::optional<codegen::CpuJit> onCpu;
  if (kernels->onCpu) {
    llvm::Expected<codegen::CpuJit> jit = codeOf(*kernels->onCpu);
    if (!jit)
      return rejected("emulator", jit.takeError());
    onCpu.emplace(std::move(*jit));
  }
  llvm::Expected<std::unique_ptr<emulator::EmulatedModule>> module = emulator::EmulatedModule::create(
      text, kernels->manifest, options, codegen::CpuJit::find, onCpu ? &*onCpu : nullptr);
  if (!module)
    return rejected("emulator", module.takeError());
  try {
    compare("emulator", launch(module->get(), program.batch, inputs, outputs));
  } catch (const host::Error &error) {
    outcome = {Outcome::Kind::Different, "emulator", error.what()};
  }
  std::string faults = faultsOf(**module);
  if (!faults.empty())
    outcome = {Outcome::Kind::Different, "emulator", faults};
}

Outcome idc::random::execute(const Program &program, const Execution &execution) {
  llvm::Expected<std::unique_ptr<Levels>> levels = Levels::parse(program.text);
  if (!levels)
    return {Outcome::Kind::Rejected, "front end", llvm::toString(levels.takeError())};
  Trial trial{program, std::move(*levels), {}, {}, {}, {}};
  try {
    tools::ReferenceModule reference(trial.levels->program());
    trial.outputs = operandsOf(reference.get(), true);
    std::mt19937_64 engine(execution.seed);
    for (const Operand &input : operandsOf(reference.get(), false))
      trial.inputs.push_back(randomData(input, input.elements * program.batch, engine));
    trial.expected = launch(reference.get(), program.batch, trial.inputs, trial.outputs);
    if (!reference.error().empty())
      return {Outcome::Kind::Rejected, "reference", reference.error()};
  } catch (const host::Error &error) {
    return {Outcome::Kind::Rejected, "reference", error.what()};
  }
  if (execution.cpu)
    trial.runOnCpu(execution);
  if (execution.emulator && !trial.outcome.failed()) {
    Outcome onCpu = trial.outcome;
    trial.outcome = {};
    trial.emulate(execution);
    if (trial.outcome.kind == Outcome::Kind::Same)
      trial.outcome = onCpu;
  }
  return trial.outcome;
}
