#include "compiler/tools/Reference.h"

#include "compiler/codegen/ManifestWriter.h"
#include "compiler/frontend/Evaluate.h"
#include "compiler/frontend/ScalarArrays.h"
#include "compiler/frontend/ScalarMemory.h"

#include "host/ElementType.h"
#include "host/Memory.h"
#include "host/Progress.h"

#include <mutex>
#include <optional>

using namespace idc;
using frontend::Scalar;
using host::ScalarKind;

namespace {
/// An input or output: its element type and the elements of one problem.
struct Operand {
  std::string name, type;
  host::ElementType layout;
  int64_t elements = 1;

  Operand(std::string name, const frontend::Type &type)
      : name(std::move(name)), type(frontend::spellStructure(type)), layout(host::ElementType::parse(this->type)) {}
  Operand(std::string name, const frontend::Sequence &sequence) : Operand(std::move(name), *sequence.element) {
    for (int radix : sequence.radices)
      elements *= radix;
    if (elements > (int64_t(1) << 60) / layout.bytes)
      throw host::Error("'" + this->name + "' has more than 2^60 bytes, which cannot be evaluated");
  }
  int64_t bytes() const { return elements * layout.bytes; }
};

/// Arguments that a scalar takes: the parts of a complex one.
int64_t partsOf(const Operand &scalar) { return scalar.layout.fields[0].complex ? 2 : 1; }

/// A program with its operands.
struct Evaluation {
  const frontend::Program &program;
  tools::StepPlace placeOf; // empty: not known
  std::vector<Operand> inputs, scalars, outputs;

  Evaluation(const frontend::Program &program, tools::StepPlace placeOf)
      : program(program), placeOf(std::move(placeOf)) {
    for (const frontend::Parameter &parameter : program.inputs)
      inputs.emplace_back(parameter.name, program.values[parameter.value]);
    for (const frontend::ScalarParameter &scalar : program.scalars)
      scalars.emplace_back(scalar.name, *scalar.type);
    for (size_t i = 0; i < program.outputs.size(); ++i)
      outputs.emplace_back("y" + std::to_string(i), program.values[program.outputs[i]]);
  }

  /// One problem whose inputs, then scalars, begin at `from`. False with `error` set when it fails.
  bool run(const std::vector<const char *> &from, std::vector<std::vector<Scalar>> &results, std::string &error) const {
    auto next = from.begin();
    std::vector<std::vector<Scalar>> sequences;
    for (const Operand &input : inputs)
      sequences.push_back(frontend::loadScalars(*next++, input.layout, input.elements));
    std::vector<Scalar> values;
    for (const Operand &scalar : scalars)
      values.push_back(frontend::loadScalars(*next++, scalar.layout, 1).front());
    size_t done = 0;
    if (frontend::evaluate(program, sequences, values, results, error, [&](size_t, const auto &) { ++done; }))
      return true;
    if (placeOf && done < program.steps.size())
      error = placeOf(program.steps[done]) + ": " + error;
    return false;
  }
};
} // namespace

//===--- the reference of a run ---------------------------------------------------------------------------------===//

host::Reference tools::makeReference(const frontend::Program &program, StepPlace placeOf) {
  return [evaluation = Evaluation(program, std::move(placeOf))](const std::vector<std::vector<char>> &inputs) {
    std::vector<const char *> from;
    for (const std::vector<char> &input : inputs)
      from.push_back(input.data());
    std::vector<std::vector<Scalar>> results;
    std::string error;
    if (!evaluation.run(from, results, error))
      throw host::Error("the reference evaluation failed: " + error);
    std::vector<npy::Array> arrays;
    for (size_t i = 0; i < results.size(); ++i)
      arrays.push_back(frontend::toArray(results[i], evaluation.outputs[i].layout));
    return arrays;
  };
}

//===--- the module ---------------------------------------------------------------------------------------------===//

struct tools::ReferenceModule::State {
  Evaluation evaluation;
  idc_module *module = nullptr;
  std::mutex mutex;
  std::string error; // of the first problem that failed

  std::optional<host::Progress> progress; // of a launch

  State(const frontend::Program &program, StepPlace placeOf) : evaluation(program, std::move(placeOf)) {}
  void run(void *const *args, int64_t batch, int64_t firstProblem, int64_t lastProblem);
  void finished(int64_t problem, int64_t batch);

  /// Kernels get pointers and numbers only, so that the module they belong to is found here.
  static State *current;
};
tools::ReferenceModule::State *tools::ReferenceModule::State::current = nullptr;

void tools::ReferenceModule::State::finished(int64_t problem, int64_t batch) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!progress)
    progress.emplace(size_t(batch));
  progress->finished("problem " + std::to_string(problem));
}

void tools::ReferenceModule::State::run(void *const *args, int64_t batch, int64_t firstProblem, int64_t lastProblem) {
  const std::vector<Operand> &inputs = evaluation.inputs, &outputs = evaluation.outputs;
  for (int64_t problem = firstProblem; problem < lastProblem; ++problem) {
    std::vector<const char *> from;
    for (size_t i = 0; i < inputs.size(); ++i)
      from.push_back(static_cast<const char *>(args[i]) + problem * inputs[i].bytes());
    size_t next = inputs.size() + outputs.size();
    for (const Operand &scalar : evaluation.scalars) {
      from.push_back(static_cast<const char *>(args[next]));
      next += static_cast<size_t>(partsOf(scalar));
    }
    std::vector<std::vector<Scalar>> results;
    std::string failure;
    if (!evaluation.run(from, results, failure)) {
      std::lock_guard<std::mutex> lock(mutex);
      if (error.empty())
        error = failure;
      return;
    }
    for (size_t i = 0; i < outputs.size(); ++i)
      frontend::storeScalars(results[i], outputs[i].layout,
                             static_cast<char *>(args[inputs.size() + i]) + problem * outputs[i].bytes());
    finished(problem, batch);
  }
}

static std::string manifest(const Evaluation &evaluation) {
  codegen::ManifestInfo info;
  info.entry = info.symbol = evaluation.program.entry;
  info.target = "cpu";
  info.sizes = evaluation.program.sizes;
  info.types = evaluation.program.types;
  conversion::LoweredKernel kernel;
  kernel.name = info.symbol;
  auto add = [&](const std::vector<Operand> &operands, std::vector<codegen::ManifestArray> &arrays,
                 conversion::Buffer::Kind kind) {
    for (const Operand &operand : operands) {
      kernel.buffers.push_back({kind, static_cast<int>(arrays.size()), operand.bytes()});
      arrays.push_back({operand.name, operand.type, operand.layout.bytes, operand.elements});
    }
  };
  add(evaluation.inputs, info.inputs, conversion::Buffer::Kind::Input);
  add(evaluation.outputs, info.outputs, conversion::Buffer::Kind::Output);
  for (const auto &[scalar, parameter] : llvm::zip(evaluation.scalars, evaluation.program.scalars)) {
    int64_t parts = partsOf(scalar), bytes = scalar.layout.bytes / parts;
    for (int64_t part = 0; part < parts; ++part)
      kernel.scalars.push_back({static_cast<int>(info.scalars.size()), part * bytes, bytes, {}});
    info.scalars.push_back({scalar.name, scalar.type, scalar.layout.bytes, parameter.required});
  }
  return codegen::writeManifest(info, {kernel}, {});
}

tools::ReferenceModule::ReferenceModule(const frontend::Program &program, StepPlace placeOf)
    : state(std::make_unique<State>(program, std::move(placeOf))) {
  if (State::current)
    throw host::Error("only one reference module can exist at a time");
  auto lookup = [](const char *, void *) -> idc_cpu_kernel {
    return [](void *const *args, int64_t batch, int64_t first, int64_t last) {
      State::current->run(args, batch, first, last);
    };
  };
  std::string text = manifest(state->evaluation);
  host::check(idc_cpu_module_create(text.data(), text.size(), lookup, nullptr, &state->module));
  State::current = state.get();
}

tools::ReferenceModule::~ReferenceModule() {
  State::current = nullptr;
  idc_module_unload(state->module);
}

const idc_module *tools::ReferenceModule::get() const { return state->module; }
std::string tools::ReferenceModule::error() const { return state->error; }
