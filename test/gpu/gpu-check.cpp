// gpu-check: runs compiled programs on a GPU and compares them with references. docs/gpu-check.md says how to use it.
//
// Exit status: 0 all passed, 1 something failed, 2 wrong use or no GPU, 3 a program broke the CUDA context or did not
// finish; its failure is in the results file, and the next call goes on with the programs after it.
#include "Check.h"
#include "Cuda.h"
#include "Results.h"
#include "SelectionOption.h"
#include "Watchdog.h"
#include "host/Messages.h"
#include "host/ToolMain.h"
#include <cstdio>
#include <random>

using namespace gpucheck;

namespace {

constexpr double referenceLimit = 1e-17; // the reference against sums in long double; f64 roundoff is 1.1e-16

void print(const KernelFile &file, const CaseResult &r) {
  std::printf("%-14s %10zu  %9.2e %9.2e %6.2f  %9.2e  %s\n", file.name().c_str(), r.batch, r.error, r.cufftError,
              r.cufftError > 0 ? r.error / r.cufftError : 0.0, r.worst,
              r.passed() ? "pass" : ("FAIL " + r.complaint()).c_str());
}

struct Options {
  std::string kernels = "build/gpu/kernels", results;
  uint64_t seed = std::random_device{}();
  bool quick = false;
  Selection selection;
};

int run(const Options &options) {
  const auto &[kernels, resultsPath, seed, quick, selection] = options;
  Checker checker(quick, seed);
  const Machine machine = describeMachine();
  std::printf("%s, driver %s, CUDA %s, cuFFT %s, seed %llu\n", machine.gpu.c_str(), machine.driver.c_str(),
              machine.cudaRuntime.c_str(), machine.cufft.c_str(), static_cast<unsigned long long>(seed));
  if (!quick) {
    const double error = checker.reference().validate();
    std::printf("reference against sums in long double: %.1e\n", error);
    if (!(error < referenceLimit))
      throw std::runtime_error("the reference transforms are wrong");
  }

  ResultsFile results(resultsPath, machine, seed);
  Watchdog watchdog(std::chrono::seconds(quick ? 300 : 40));
  std::printf("%-14s %10s  %9s %9s %6s  %9s\n", "program", "batch", "error", "cuFFT", "ratio", "worst");
  size_t passed = 0, failed = 0, skipped = 0;
  const std::vector<KernelFile> files = listKernels(kernels, selection);
  for (const KernelFile &file : files) {
    if (results.contains(file)) {
      skipped++;
      continue;
    }
    watchdog.restart(
        [&results, file] {
          CaseResult late;
          late.failure = "did not finish";
          results.append(file, {late});
          print(file, late);
          std::fflush(stdout);
        },
        3);
    const std::vector<CaseResult> cases = checker.run(file);
    results.append(file, cases);
    for (const CaseResult &r : cases) {
      print(file, r);
      ++(r.passed() ? passed : failed);
    }
    std::fflush(stdout);
    if (checker.lost()) {
      idc::host::printError(file.name() + " broke the CUDA context");
      std::fflush(stdout);
      std::_Exit(3);
    }
  }
  if (skipped)
    std::printf("%zu programs skipped: their results are in the file already\n", skipped);
  std::printf("%zu passed, %zu failed\n", passed, failed);
  if (files.empty())
    throw std::runtime_error("no compiled programs match");
  return failed ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App tool("Runs compiled programs on the GPU and compares them with references (docs/gpu-check.md).");
  Options options;
  tool.add_option("--kernels", options.kernels, "of the compiled programs")->type_name("FOLDER");
  tool.add_option("--results", options.results, "what is in it already is skipped")->type_name("FILE.csv");
  tool.add_option("--seed", options.seed, "of the data (default: another one each time)")->type_name("NUMBER");
  tool.add_flag("--quick", options.quick, "small batches, no comparison with cuFFT's errors");
  addSelection(tool, options.selection);
  return idc::host::toolMain(
      tool, argc, argv, [&options] { return run(options); }, 2);
}
