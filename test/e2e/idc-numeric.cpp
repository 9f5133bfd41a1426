//===- idc-numeric.cpp - compares programs with oracles ---------------------===//
//
// Sweeps one program over sizes and compares `idc run` with an oracle. Prints a line per case; the exit status is 1
// when a case fails.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include "host/ToolMain.h"

#include <cstdio>
#include <filesystem>

using namespace idc::test;

namespace {

struct Sweep {
  Command command;
  Oracle oracle = Oracle::Dft;
  Precision precision = Precision::F32;
  int first = 1, last = 16;
  std::vector<int64_t> batches = {1};
};

void addOptions(CLI::App &tool, Sweep &sweep) {
  Command &command = sweep.command;
  tool.add_option("--program", command.program)->type_name("FILE.id")->required();
  tool.add_option("--entry", command.entry, "the algorithm")->type_name("NAME")->required();
  tool.add_option_function<std::string>("--oracle",
                                        [&sweep](const std::string &name) { sweep.oracle = *oracleNamed(name); })
      ->required()
      ->check(CLI::IsMember({"dft", "inverse-dft", "walsh-hadamard"}));
  tool.add_option_function<std::string>(
          "--sizes",
          [&sweep](const std::string &text) {
            const size_t dots = text.find("..");
            if (!CLI::detail::lexical_cast(text.substr(0, dots), sweep.first) ||
                !CLI::detail::lexical_cast(dots == text.npos ? text : text.substr(dots + 2), sweep.last) ||
                sweep.first < 1)
              throw CLI::ValidationError("--sizes", "needs A..B with A of at least 1, not '" + text + "'");
          },
          "exponents n of the sizes 2^n (default 1..16)")
      ->type_name("A..B");
  tool.add_option_function<std::string>(
          "--precision",
          [&sweep](const std::string &name) { sweep.precision = name == "f64" ? Precision::F64 : Precision::F32; },
          "default f32")
      ->check(CLI::IsMember({"f32", "f64"}));
  tool.add_option("--batches", sweep.batches, "used in turn, so that a sweep over sizes meets all of them (default 1)")
      ->type_name("B,…")
      ->delimiter(',')
      ->check(idc::host::atLeast(1));
  tool.add_option("--target", command.target, "cpu (default) or gpu")->type_name("T");
  tool.add_option("--folder", command.folder, "for the .npy files; made when it does not exist (default .)")
      ->type_name("DIR");
  tool.add_option("--idc", command.idc, "the compiler (default: idc on the PATH)")->type_name("PATH");
  tool.add_flag_callback(
      "--time", [&command] { command.options.push_back("--time"); }, "let idc measure, too");
}

int run(const Sweep &sweep) {
  std::filesystem::create_directories(sweep.command.folder);
  bool passed = true;
  for (int n = sweep.first; n <= sweep.last; ++n) {
    const int64_t batch = sweep.batches[size_t(n - sweep.first) % sweep.batches.size()];
    const Case test{sweep.oracle, sweep.precision, n, batch};
    const double error = relativeError(sweep.command, test), limit = errorLimit(test);
    const bool good = error <= limit;
    passed &= good;
    std::printf("%s %s 2^%d x %lld: relative L2 error %.2e, limit %.2e%s\n", sweep.command.entry.c_str(),
                sweep.precision == Precision::F32 ? "f32" : "f64", n, (long long)batch, error, limit,
                good ? "" : ": FAILED");
  }
  return passed ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App tool("Compares a program at many sizes with an oracle: FFTW in extended precision or a direct sum.");
  Sweep sweep;
  addOptions(tool, sweep);
  return idc::host::toolMain(tool, argc, argv, [&sweep] { return run(sweep); });
}
