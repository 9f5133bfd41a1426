// Every program of the library in every size, type and batch: what the CPU target and the emulated GPU kernels compute
// against the direct evaluation of the program. IDC_MATRIX=full in the environment takes all combinations.
#include "Execution.h"
#include "Programs.h"

#include "compiler/frontend/Parse.h"
#include "compiler/frontend/ScalarMemory.h"

#include "host/Error.h"
#include "host/RandomInput.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdlib>
#include <set>

using namespace idc;
using namespace idc::test;

namespace {

double roundoff(host::ScalarKind kind) {
  switch (kind) {
  case host::ScalarKind::F16:
    return 0x1p-11;
  case host::ScalarKind::BF16:
    return 0x1p-8;
  case host::ScalarKind::F32:
    return 0x1p-24;
  default:
    return 0x1p-53;
  }
}

/// ‖actual - expected‖ / ‖expected‖ over the finite numbers; infinite where integers differ, or what is not finite.
double error(const Buffer &actual, const Buffer &expected) {
  if (actual.size() != expected.size())
    return INFINITY;
  long double difference = 0, norm = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    const frontend::Scalar &a = actual[i], &e = expected[i];
    if (a.integer != e.integer)
      return INFINITY;
    for (auto [x, y] : {std::pair(a.re, e.re), std::pair(a.im, e.im)}) {
      if (std::isfinite(x) != std::isfinite(y))
        return INFINITY;
      if (!std::isfinite(x))
        continue;
      difference += (x - y) * (x - y);
      norm += y * y;
    }
  }
  return static_cast<double>(std::sqrt(norm > 0 ? difference / norm : difference));
}

/// One program at one size and type.
class Trial {
public:
  Trial(const LibraryProgram &library, const frontend::SizeMap &sizes, const std::string &type)
      : library(library), sizes(sizes), types(library.typesFor(type)) {
    what = library.name + " of " + type;
    for (const auto &[size, value] : sizes)
      what += ", " + size + " = " + std::to_string(value);
    frontend::Diagnostics diagnostics;
    source = frontend::parseFile(std::string(IDC_STDLIB_DIR) + "/" + library.file, {IDC_STDLIB_DIR}, diagnostics);
    if (source)
      program = frontend::elaborate(*source, library.name, sizes, types, diagnostics);
    EXPECT_TRUE(program) << what << ": " << diagnostics.str();
  }

  /// Runs each batch and compares up to `compared` of its problems.
  void check(Device device, const std::vector<int64_t> &batches, int64_t compared) {
    if (!program)
      return;
    try {
      Executable executable(device, library.file, library.name, sizes, types);
      for (int64_t batch : batches)
        check(device, executable, batch, std::min(batch, compared));
    } catch (const host::Error &failure) {
      ADD_FAILURE() << what << " on the " << name(device) << ": " << failure.what();
    }
  }

private:
  void check(Device device, const Executable &executable, int64_t batch, int64_t compared) {
    std::vector<std::vector<char>> inputs;
    for (const Executable::Operand &operand : executable.inputs()) {
      auto found = library.distributions.find(operand.name);
      host::Distribution distribution;
      if (found != library.distributions.end())
        distribution = host::Distribution::parse(found->second);
      inputs.emplace_back(static_cast<size_t>(operand.bytes() * batch));
      host::fillRandomProblems(inputs.back().data(), batch, operand.elements, operand.type, 1, inputs.size(),
                               distribution);
    }
    std::vector<std::vector<char>> scalars;
    for (const Executable::Operand &scalar : executable.scalars()) {
      frontend::Scalar value;
      value.re = library.scalars.at(scalar.name);
      value.integer = static_cast<int64_t>(value.re);
      frontend::storeScalars({value}, scalar.type, scalars.emplace_back(static_cast<size_t>(scalar.bytes())).data());
    }
    std::vector<std::vector<char>> results = executable.run(inputs, batch, scalars);
    std::vector<Buffer> actual(results.size()), expected(results.size());
    for (int64_t k = 0; k < compared; ++k) {
      int64_t problem = compared == 1 ? 0 : (batch - 1) * k / (compared - 1);
      std::vector<Buffer> outputs = evaluate(executable, inputs, scalars, problem);
      for (size_t i = 0; i < results.size(); ++i) {
        Buffer one = load(executable.outputs()[i], results[i], problem);
        actual[i].insert(actual[i].end(), one.begin(), one.end());
        expected[i].insert(expected[i].end(), outputs.at(i).begin(), outputs[i].end());
      }
    }
    for (size_t i = 0; i < results.size(); ++i) {
      double limit = library.accuracy * roundoff(executable.outputs()[i].type.fields[0].kind);
      EXPECT_LE(error(actual[i], expected[i]), limit)
          << what << ", batch " << batch << " on the " << name(device) << ", output " << i;
    }
  }

  static Buffer load(const Executable::Operand &operand, const std::vector<char> &bytes, int64_t problem) {
    return frontend::loadScalars(bytes.data() + problem * operand.bytes(), operand.type, operand.elements);
  }

  std::vector<Buffer> evaluate(const Executable &executable, const std::vector<std::vector<char>> &inputs,
                               const std::vector<std::vector<char>> &scalars, int64_t problem) const {
    std::vector<Buffer> values, outputs;
    Buffer given;
    for (size_t i = 0; i < scalars.size(); ++i)
      given.push_back(load(executable.scalars()[i], scalars[i], 0).front());
    for (size_t i = 0; i < inputs.size(); ++i)
      values.push_back(load(executable.inputs()[i], inputs[i], problem));
    std::string message;
    EXPECT_TRUE(frontend::evaluate(*program, values, given, outputs, message)) << what << ": " << message;
    return outputs;
  }

  const LibraryProgram &library;
  frontend::SizeMap sizes;
  frontend::TypeMap types;
  std::string what;
  std::unique_ptr<frontend::Source> source;
  std::optional<frontend::Program> program;
};

class Matrix : public ::testing::TestWithParam<LibraryProgram> {};

} // namespace

namespace idc::test {
// For messages of GoogleTest.
static void PrintTo(const LibraryProgram &program, std::ostream *out) { *out << program.name; }
} // namespace idc::test

TEST_P(Matrix, Agrees) {
  const LibraryProgram &library = GetParam();
  const char *mode = std::getenv("IDC_MATRIX");
  const bool full = mode && std::string(mode) == "full";
  std::set<std::pair<std::string, frontend::SizeMap>> done; // a size of few digits may come twice
  for (size_t t = 0; t < library.types.size(); ++t)
    for (int64_t bits : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14}) {
      // Many sizes of the first type, one of every other.
      bool wanted = t == 0 ? bits < 6 || bits % 3 == 2 : bits == 1 + static_cast<int64_t>(t * 2 % 7);
      std::optional<frontend::SizeMap> sizes = library.sizesFor(bits, library.types[t]);
      if (!sizes || !(full || wanted) || !done.insert({library.types[t], *sizes}).second)
        continue;
      Trial trial(library, *sizes, library.types[t]);
      const bool small = bits <= 8;
      for (Device device : devices) {
        if (small || full)
          trial.check(device, {1, 3, 17}, small ? 3 : 1);
        else
          trial.check(device, {device == Device::Cpu && bits < 14 ? 3 : 1}, 1);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Library, Matrix, ::testing::ValuesIn(libraryPrograms()),
                         [](const auto &info) { return info.param.name; });
