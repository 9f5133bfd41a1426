// Shared by the front end's tests: programs from text or from Inputs, and what they compute.
#pragma once

#include "compiler/frontend/Elaborate.h"
#include "compiler/frontend/Evaluate.h"
#include "compiler/frontend/Parse.h"

#include "gtest/gtest.h"

#include <optional>
#include <random>
#include <string>
#include <vector>

namespace idc::frontend::test {

struct Elaborated {
  Diagnostics diagnostics;
  std::unique_ptr<Source> source;
  std::optional<Program> program;
  std::string messages() const { return diagnostics.str(); }
};

inline void elaborateInto(Elaborated &result, const std::string &entry, const SizeMap &sizes, const TypeMap &types) {
  if (result.source)
    result.program = elaborate(*result.source, entry, sizes, types, result.diagnostics);
}

/// Elaborates a program given as text.
inline std::unique_ptr<Elaborated> fromText(const std::string &text, const std::string &entry, const SizeMap &sizes,
                                            const TypeMap &types = {}) {
  auto result = std::make_unique<Elaborated>();
  result->source = parseText(text, "test.id", {IDC_STDLIB_DIR}, result->diagnostics);
  elaborateInto(*result, entry, sizes, types);
  return result;
}

/// Elaborates a program of a file in Inputs or, failing that, of the standard library.
inline std::unique_ptr<Elaborated> fromFile(const std::string &file, const std::string &entry, const SizeMap &sizes,
                                            const TypeMap &types = {}) {
  auto result = std::make_unique<Elaborated>();
  std::string path = std::string(file == "algorithms.id" ? IDC_INPUTS_DIR : IDC_STDLIB_DIR) + "/" + file;
  result->source = parseFile(path, {IDC_STDLIB_DIR}, result->diagnostics);
  elaborateInto(*result, entry, sizes, types);
  return result;
}

using Buffer = std::vector<Scalar>;

/// The outputs of a program; a mistake fails the test.
inline std::vector<Buffer> run(const Elaborated &elaborated, const std::vector<Buffer> &inputs,
                               const std::vector<Scalar> &scalars = {}) {
  std::vector<Buffer> outputs;
  std::string error;
  EXPECT_TRUE(elaborated.program.has_value()) << elaborated.messages();
  if (!elaborated.program)
    return {Buffer()};
  EXPECT_TRUE(evaluate(*elaborated.program, inputs, scalars, outputs, error)) << error;
  return outputs;
}

inline Buffer randomReals(size_t count, unsigned seed, bool complex = false) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> distribution(-1, 1);
  Buffer result(count);
  for (Scalar &value : result) {
    value.re = distribution(generator);
    if (complex)
      value.im = distribution(generator);
  }
  return result;
}

inline Buffer randomIntegers(size_t count, unsigned seed, int64_t low, int64_t high) {
  std::mt19937 generator(seed);
  std::uniform_int_distribution<int64_t> distribution(low, high);
  Buffer result(count);
  for (Scalar &value : result)
    value.integer = distribution(generator);
  return result;
}

/// 0, 1, 2, … as reals and integers.
inline Buffer counting(size_t count) {
  Buffer result(count);
  for (size_t i = 0; i < count; ++i) {
    result[i].re = static_cast<long double>(i);
    result[i].integer = static_cast<int64_t>(i);
  }
  return result;
}

inline long double distance(const Buffer &a, const Buffer &b) {
  long double worst = a.size() == b.size() ? 0 : 1e30L;
  for (size_t i = 0; i < a.size() && i < b.size(); ++i)
    worst = std::max(worst, std::max(std::abs(a[i].re - b[i].re), std::abs(a[i].im - b[i].im)));
  return worst;
}

/// X[k] = Σ_j x[j] · exp(-2πi·j·k/N), or its inverse without the scaling.
inline Buffer naiveDft(const Buffer &x, bool inverse = false) {
  int64_t size = static_cast<int64_t>(x.size());
  Buffer result(x.size());
  for (int64_t k = 0; k < size; ++k)
    for (int64_t j = 0; j < size; ++j) {
      Scalar w = rootOfUnity(size, inverse ? -(j * k) : j * k);
      result[k].re += x[j].re * w.re - x[j].im * w.im;
      result[k].im += x[j].re * w.im + x[j].im * w.re;
    }
  return result;
}

} // namespace idc::frontend::test
