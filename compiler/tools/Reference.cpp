#include "compiler/tools/Reference.h"

#include "compiler/codegen/ManifestWriter.h"
#include "compiler/frontend/Evaluate.h"

#include "host/ElementType.h"
#include "host/HalfFloat.h"
#include "host/Memory.h"

#include <cstring>
#include <mutex>

using namespace idc;
using frontend::Scalar;
using host::ScalarKind;

//===--- elements as bytes --------------------------------------------------------------------------------------===//

template <class T> static T load(const char *from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}
template <class T, class From> static void store(char *to, From from) {
  T value = static_cast<T>(from);
  std::memcpy(to, &value, sizeof value);
}

static bool isReal(ScalarKind kind) {
  return kind == ScalarKind::F16 || kind == ScalarKind::BF16 || kind == ScalarKind::F32 || kind == ScalarKind::F64;
}

static long double loadReal(ScalarKind kind, const char *from) {
  if (kind == ScalarKind::F16)
    return host::fromHalf(load<uint16_t>(from));
  if (kind == ScalarKind::BF16)
    return host::fromBFloat16(load<uint16_t>(from));
  return kind == ScalarKind::F32 ? load<float>(from) : load<double>(from);
}

static void storeReal(ScalarKind kind, long double value, char *to) {
  if (kind == ScalarKind::F16)
    store<uint16_t>(to, host::toHalf(static_cast<float>(value)));
  else if (kind == ScalarKind::BF16)
    store<uint16_t>(to, host::toBFloat16(static_cast<float>(value)));
  else if (kind == ScalarKind::F32)
    store<float>(to, value);
  else
    store<double>(to, value);
}

/// The leaf of an element at `from`.
static Scalar loadLeaf(const host::Field &field, const char *from) {
  Scalar s;
  from += field.offset;
  if (isReal(field.kind)) {
    s.re = loadReal(field.kind, from);
    if (field.complex)
      s.im = loadReal(field.kind, from + host::size(field.kind));
  } else if (field.kind == ScalarKind::Bool) {
    s.integer = *from != 0;
  } else if (field.kind == ScalarKind::I32) {
    s.integer = load<int32_t>(from);
  } else if (field.kind == ScalarKind::U32) {
    s.integer = load<uint32_t>(from);
  } else {
    s.integer = load<int64_t>(from);
  }
  return s;
}

static void storeLeaf(const host::Field &field, const Scalar &value, char *to) {
  to += field.offset;
  if (isReal(field.kind)) {
    storeReal(field.kind, value.re, to);
    if (field.complex)
      storeReal(field.kind, value.im, to + host::size(field.kind));
  } else if (field.kind == ScalarKind::Bool) {
    store<char>(to, value.integer != 0);
  } else if (host::size(field.kind) == 4) {
    store<uint32_t>(to, value.integer);
  } else {
    store<int64_t>(to, value.integer);
  }
}

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
  }
  int64_t bytes() const { return elements * layout.bytes; }

  std::vector<Scalar> load(const char *from) const {
    std::vector<Scalar> leaves;
    for (int64_t i = 0; i < elements; ++i, from += layout.bytes)
      for (const host::Field &field : layout.fields)
        leaves.push_back(loadLeaf(field, from));
    return leaves;
  }
  void store(const std::vector<Scalar> &leaves, char *to) const {
    auto leaf = leaves.begin();
    for (int64_t i = 0; i < elements; ++i, to += layout.bytes)
      for (const host::Field &field : layout.fields)
        storeLeaf(field, *leaf++, to);
  }
};

/// A program with its operands: sequences, then scalars.
struct Evaluation {
  const frontend::Program &program;
  std::vector<Operand> inputs, outputs;

  explicit Evaluation(const frontend::Program &program) : program(program) {
    for (const frontend::Parameter &parameter : program.inputs)
      inputs.emplace_back(parameter.name, program.values[parameter.value]);
    for (const frontend::ScalarParameter &scalar : program.scalars)
      inputs.emplace_back(scalar.name, *scalar.type);
    for (size_t i = 0; i < program.outputs.size(); ++i)
      outputs.emplace_back("y" + std::to_string(i), program.values[program.outputs[i]]);
  }

  /// One problem whose inputs begin at `from`. False with `error` set when it fails.
  bool run(const std::vector<const char *> &from, std::vector<std::vector<Scalar>> &results, std::string &error) const {
    std::vector<std::vector<Scalar>> sequences;
    std::vector<Scalar> scalars;
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::vector<Scalar> leaves = inputs[i].load(from[i]);
      if (i < program.inputs.size())
        sequences.push_back(std::move(leaves));
      else
        scalars.push_back(leaves.front());
    }
    return frontend::evaluate(program, sequences, scalars, results, error);
  }
};
} // namespace

//===--- the reference of a run ---------------------------------------------------------------------------------===//

/// Leaves as numbers without the precision of their type. Complex numbers that NumPy has no type for are pairs.
static npy::Array toArray(const std::vector<Scalar> &values, const host::Field &field) {
  npy::Array array;
  bool real = isReal(field.kind), isUnsigned = field.kind == ScalarKind::U32 || field.kind == ScalarKind::U64;
  bool complex = field.complex && host::size(field.kind) >= 4;
  array.shape = {static_cast<int64_t>(values.size()) * (field.complex && !complex ? 2 : 1)};
  array.type = complex ? npy::DType::C16 : real ? npy::DType::F8 : isUnsigned ? npy::DType::U8 : npy::DType::I8;
  array.data.resize(static_cast<size_t>(array.elements() * npy::size(array.type)));
  char *to = array.data.data();
  for (const Scalar &value : values) {
    if (real)
      store<double>(to, value.re);
    else
      store<int64_t>(to, value.integer);
    to += sizeof(double);
    if (field.complex) {
      store<double>(to, value.im);
      to += sizeof(double);
    }
  }
  return array;
}

host::Reference tools::makeReference(const frontend::Program &program) {
  return [evaluation = Evaluation(program)](const std::vector<std::vector<char>> &inputs) {
    std::vector<const char *> from;
    for (const std::vector<char> &input : inputs)
      from.push_back(input.data());
    from.resize(evaluation.inputs.size());
    if (inputs.size() < from.size())
      throw host::Error("the reference evaluation needs the values of the program's scalars");
    std::vector<std::vector<Scalar>> results;
    std::string error;
    if (!evaluation.run(from, results, error))
      throw host::Error("the reference evaluation failed: " + error);
    std::vector<npy::Array> arrays;
    for (size_t i = 0; i < results.size(); ++i)
      arrays.push_back(toArray(results[i], evaluation.outputs[i].layout.fields[0]));
    return arrays;
  };
}

//===--- the module ---------------------------------------------------------------------------------------------===//

struct tools::ReferenceModule::State {
  Evaluation evaluation;
  idc_module *module = nullptr;
  std::mutex mutex;
  std::string error; // of the first problem that failed

  explicit State(const frontend::Program &program) : evaluation(program) {}
  void run(void *const *args, int64_t firstProblem, int64_t lastProblem);

  /// Kernels get pointers and numbers only, so that the module they belong to is found here.
  static State *current;
};
tools::ReferenceModule::State *tools::ReferenceModule::State::current = nullptr;

void tools::ReferenceModule::State::run(void *const *args, int64_t firstProblem, int64_t lastProblem) {
  const std::vector<Operand> &inputs = evaluation.inputs, &outputs = evaluation.outputs;
  for (int64_t problem = firstProblem; problem < lastProblem; ++problem) {
    std::vector<const char *> from;
    for (size_t i = 0; i < inputs.size(); ++i)
      from.push_back(static_cast<const char *>(args[i]) + problem * inputs[i].bytes());
    std::vector<std::vector<Scalar>> results;
    std::string failure;
    if (!evaluation.run(from, results, failure)) {
      std::lock_guard<std::mutex> lock(mutex);
      if (error.empty())
        error = failure;
      return;
    }
    for (size_t i = 0; i < outputs.size(); ++i)
      outputs[i].store(results[i], static_cast<char *>(args[inputs.size() + i]) + problem * outputs[i].bytes());
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
  return codegen::writeManifest(info, {kernel}, {});
}

tools::ReferenceModule::ReferenceModule(const frontend::Program &program) : state(std::make_unique<State>(program)) {
  if (State::current)
    throw host::Error("only one reference module can exist at a time");
  auto lookup = [](const char *, void *) -> idc_cpu_kernel {
    return [](void *const *args, int64_t, int64_t first, int64_t last) { State::current->run(args, first, last); };
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
