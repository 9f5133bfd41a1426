// gpu-check: runs compiled programs on a GPU and compares them with references. docs/gpu-check.md says how to use it.
//
// Exit status: 0 all passed, 1 something failed, 2 wrong use or no GPU, 3 a program broke the CUDA context or did not
// finish; its failure is in the results file, and the next call goes on with the programs after it.
#include "Check.h"
#include "CommandLine.h"
#include "Cuda.h"
#include "Results.h"
#include "Watchdog.h"
#include <cstdio>
#include <cstring>
#include <random>

using namespace gpucheck;

namespace {

constexpr double referenceLimit = 1e-17; // the reference against sums in long double; f64 roundoff is 1.1e-16

void print(const KernelFile &file, const CaseResult &r) {
  std::printf("%-14s %10zu  %9.2e %9.2e %6.2f  %9.2e  %s\n", file.name().c_str(), r.batch, r.error, r.cufftError,
              r.cufftError > 0 ? r.error / r.cufftError : 0.0, r.worst,
              r.passed() ? "pass" : ("FAIL " + r.complaint()).c_str());
}

int run(const CommandLine &line) {
  const bool quick = line.has("--quick");
  const uint64_t seed =
      line.has("--seed") ? std::strtoull(line.value("--seed", "").c_str(), nullptr, 10) : std::random_device{}();
  Checker checker(quick, seed);
  const Machine machine = describeMachine();
  std::printf("%s, driver %s, CUDA %s, cuFFT %s, seed %llu\n", machine.gpu.c_str(), machine.driver.c_str(),
              machine.cudaRuntime.c_str(), machine.cufft.c_str(), static_cast<unsigned long long>(seed));
  if (!quick) {
    const double error = checker.reference().validate();
    std::printf("reference against sums in long double: %.1e\n", error);
    if (!(error < referenceLimit)) {
      std::fprintf(stderr, "the reference transforms are wrong\n");
      return 2;
    }
  }

  ResultsFile results(line.value("--results", ""), machine, seed);
  Watchdog watchdog(std::chrono::seconds(quick ? 300 : 40));
  std::printf("%-14s %10s  %9s %9s %6s  %9s\n", "program", "batch", "error", "cuFFT", "ratio", "worst");
  size_t passed = 0, failed = 0, skipped = 0;
  const std::vector<KernelFile> files = listKernels(line.value("--kernels", "build/gpu/kernels"), line.selection());
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
      std::fprintf(stderr, "%s broke the CUDA context\n", file.name().c_str());
      std::fflush(stdout);
      std::_Exit(3);
    }
  }
  if (skipped)
    std::printf("%zu programs skipped: their results are in the file already\n", skipped);
  std::printf("%zu passed, %zu failed\n", passed, failed);
  if (files.empty()) {
    std::fprintf(stderr, "no compiled programs match\n");
    return 2;
  }
  return failed ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  try {
    const CommandLine line(argc, argv, {"--kernels", "--results", "--seed"}, {"--quick", "--help"});
    if (line.has("--help")) {
      std::puts("gpu-check [--kernels FOLDER] [--results FILE] [--seed NUMBER] [--quick]\n"
                "          [--only n=3,8 program=fft,ifft type=f32]");
      return 0;
    }
    return run(line);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "gpu-check: %s\n", error.what());
    return 2;
  }
}
