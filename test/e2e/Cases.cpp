//===- Cases.cpp - numeric test cases ---------------------------------------===//

#include "Cases.h"

#include "npy/Npy.h"

#include <cmath>
#include <cstring>
#include <random>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>

using namespace idc;
using namespace idc::test;

extern char **environ;

static void call(const std::vector<std::string> &words) {
  std::vector<char *> arguments;
  std::string line;
  for (const std::string &word : words) {
    arguments.push_back(const_cast<char *>(word.c_str()));
    line += (line.empty() ? "" : " ") + word;
  }
  arguments.push_back(nullptr);
  pid_t child = 0;
  if (int error = posix_spawnp(&child, arguments[0], nullptr, nullptr, arguments.data(), environ))
    throw std::runtime_error("cannot start " + words[0] + ": " + std::strerror(error));
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0)
    throw std::runtime_error("this failed: " + line);
}

static npy::DType elementType(const Case &test) {
  if (isComplex(test.oracle))
    return test.precision == Precision::F32 ? npy::DType::C8 : npy::DType::C16;
  return test.precision == Precision::F32 ? npy::DType::F4 : npy::DType::F8;
}

/// Uniform in [-1, 1], rounded to Real; the same for the same case everywhere.
template <typename Real> static Values randomValues(const Case &test) {
  std::mt19937_64 engine(uint64_t(test.n) * 1000 + uint64_t(test.batch));
  auto next = [&] { return static_cast<long double>(Real(double(int64_t(engine()) >> 11) * 0x1p-52)); };
  Values values(size_t(test.batch) << test.n);
  for (auto &value : values) {
    long double real = next();
    value = {real, isComplex(test.oracle) ? next() : 0.0L};
  }
  return values;
}

template <typename Real> static std::vector<char> encode(const Values &values, bool complexElements) {
  std::vector<Real> numbers;
  for (const auto &value : values) {
    numbers.push_back(Real(value.real()));
    if (complexElements)
      numbers.push_back(Real(value.imag()));
  }
  std::vector<char> bytes(numbers.size() * sizeof(Real));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

template <typename Real> static Values decode(const std::vector<char> &bytes, bool complexElements) {
  std::vector<Real> numbers(bytes.size() / sizeof(Real));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  size_t parts = complexElements ? 2 : 1;
  Values values(numbers.size() / parts);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = {numbers[i * parts], complexElements ? numbers[i * parts + 1] : Real(0)};
  return values;
}

template <typename Real> static double relativeErrorAs(const Command &command, const Case &test) {
  bool complexElements = isComplex(test.oracle);
  int64_t points = int64_t(1) << test.n;
  Values values = randomValues<Real>(test);
  npy::Array input;
  input.type = elementType(test);
  input.shape = {test.batch, points};
  input.data = encode<Real>(values, complexElements);
  std::string inputFile = command.folder + "/input.npy", outputFile = command.folder + "/output.npy";
  npy::write(inputFile, input);

  std::vector<std::string> words = {command.idc,
                                    "run",
                                    command.program,
                                    "--entry",
                                    command.entry,
                                    "--set",
                                    "n=" + std::to_string(test.n),
                                    "--set",
                                    test.precision == Precision::F32 ? "T=f32" : "T=f64",
                                    "--batch",
                                    std::to_string(test.batch),
                                    "--target",
                                    command.target,
                                    "--input",
                                    inputFile,
                                    "--output",
                                    outputFile};
  words.insert(words.end(), command.options.begin(), command.options.end());
  call(words);

  npy::Array output = npy::read(outputFile);
  if (output.type != input.type || output.data.size() != input.data.size())
    throw std::runtime_error("the output is an array of " + std::to_string(output.elements()) + " " +
                             npy::name(output.type) + ", the input one of " + std::to_string(input.elements()) + " " +
                             npy::name(input.type));
  Values actual = decode<Real>(output.data, complexElements);
  apply(test.oracle, points, values);
  long double difference = 0, reference = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    difference += std::norm(actual[i] - values[i]);
    reference += std::norm(values[i]);
  }
  return double(std::sqrt(difference / reference));
}

double idc::test::relativeError(const Command &command, const Case &test) {
  return test.precision == Precision::F32 ? relativeErrorAs<float>(command, test)
                                          : relativeErrorAs<double>(command, test);
}

double idc::test::errorLimit(const Case &test) {
  double unitRoundoff = test.precision == Precision::F32 ? 0x1p-24 : 0x1p-53;
  return 4 * unitRoundoff * std::sqrt(double(test.n));
}
