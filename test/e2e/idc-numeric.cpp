//===- idc-numeric.cpp - compares programs with oracles ---------------------===//
//
// Sweeps one program over sizes and compares `idc run` with an oracle. Prints a line per case; the exit status is 1
// when a case fails.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <sstream>

using namespace idc::test;

static const char usage[] =
    "usage: idc-numeric --program FILE --entry NAME --oracle dft|inverse-dft|walsh-hadamard [options]\n"
    "  --sizes A..B      exponents n of the sizes 2^n (default 1..16)\n"
    "  --precision P     f32 (default) or f64\n"
    "  --batches B,...   used in turn, so that a sweep over sizes meets all of them (default 1)\n"
    "  --target T        cpu (default) or gpu\n"
    "  --folder DIR      for the .npy files; made when it does not exist (default .)\n"
    "  --idc PATH        the compiler (default: idc on the PATH)\n"
    "  --time            let idc measure, too\n";

[[noreturn]] static void fail(const std::string &message) {
  std::fprintf(stderr, "idc-numeric: %s\n%s", message.c_str(), usage);
  std::exit(2);
}

static int64_t positive(const std::string &text) {
  char *end = nullptr;
  long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || value < 1)
    fail("'" + text + "' is no positive number");
  return value;
}

int main(int argc, char **argv) {
  Command command;
  Case test;
  std::optional<Oracle> oracle;
  int first = 1, last = 16;
  std::vector<int64_t> batches = {1};
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    if (option == "--time") {
      command.options.push_back(option);
      continue;
    }
    if (++i == argc)
      fail("'" + option + "' is unknown or needs a value");
    std::string value = argv[i];
    if (option == "--program") {
      command.program = value;
    } else if (option == "--entry") {
      command.entry = value;
    } else if (option == "--oracle") {
      oracle = oracleNamed(value);
    } else if (option == "--sizes") {
      size_t dots = value.find("..");
      first = int(positive(value.substr(0, dots)));
      last = dots == std::string::npos ? first : int(positive(value.substr(dots + 2)));
    } else if (option == "--precision" && (value == "f32" || value == "f64")) {
      test.precision = value == "f32" ? Precision::F32 : Precision::F64;
    } else if (option == "--batches") {
      batches.clear();
      std::istringstream list(value);
      for (std::string item; std::getline(list, item, ',');)
        batches.push_back(positive(item));
    } else if (option == "--target") {
      command.target = value;
    } else if (option == "--folder") {
      command.folder = value;
    } else if (option == "--idc") {
      command.idc = value;
    } else {
      fail("no option '" + option + " " + value + "'");
    }
  }
  if (command.program.empty() || command.entry.empty() || !oracle || batches.empty())
    fail("--program, --entry and --oracle are needed");
  test.oracle = *oracle;

  bool passed = true;
  try {
    std::filesystem::create_directories(command.folder);
    for (test.n = first; test.n <= last; ++test.n) {
      test.batch = batches[size_t(test.n - first) % batches.size()];
      double error = relativeError(command, test), limit = errorLimit(test);
      bool good = error <= limit;
      passed &= good;
      std::printf("%s %s 2^%d x %lld: relative L2 error %.2e, limit %.2e%s\n", command.entry.c_str(),
                  test.precision == Precision::F32 ? "f32" : "f64", test.n, (long long)test.batch, error, limit,
                  good ? "" : ": FAILED");
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "idc-numeric: %s\n", error.what());
    return 1;
  }
  return passed ? 0 : 1;
}
