//===- idc-runner.cpp - runs compiled kernels with the driver alone -------===//
//
// Needs the NVIDIA driver and nothing else: neither the compiler nor the CUDA toolkit.
//
//===----------------------------------------------------------------------===//

#include "host/CpuFunctions.h"
#include "host/GroupModule.h"
#include "host/Jobs.h"
#include "host/Memory.h"
#include "host/Run.h"
#include "host/ToolMain.h"
#include "lib/Manifest.h"
#include "lib/WholeFile.h"

#include <csignal>
#include <iostream>
#include <memory>

using namespace idc::host;

namespace {

struct Options {
  std::string kernels, manifest, functions;
  RunRequest request;
  std::string jobs, results;
};

void addOptions(CLI::App &tool, Options &options) {
  RunRequest &request = options.request;
  auto list = [&](const char *name, std::vector<std::string> &values, const char *placeholder, const char *meaning) {
    tool.add_option(name, values, meaning)->type_name(placeholder)->allow_extra_args(false);
  };
  tool.add_option("KERNELS", options.kernels, "a fatbin, cubin or PTX file, or for the CPU a shared library")
      ->type_name("");
  tool.add_option("MANIFEST", options.manifest, "of the kernels")->type_name("");
  tool.add_option("--cpu", options.functions,
                  "a shared library with the functions of the CPU, where that takes a share of chunks")
      ->type_name("LIB.so");
  tool.add_option("--batch", request.batch, "problems to run (default 1)")->type_name("N")->check(atLeast(1));
  list("--input", request.inputs, "X.npy", "an input, once for each in order; without it inputs are random (normal)");
  list("--scalar", request.scalars, "S=V", "the value of a run-time scalar, once for each (complex: RE,IM)");
  list("--output", request.outputs, "Y.npy", "where to write an output, once for each in order");
  list("--expect", request.expected, "Y.npy", "a reference for an output, once for each in order");
  list("--random", request.distributions, "NAME=D",
       "how a random input is drawn: x=uniform, b=3+|normal|; \",zero/K\" makes every K-th problem zero");
  list("--sketch", request.sketches, "S.npy", "where to write a small sketch of an output, once for each in order");
  list("--expect-sketch", request.expectedSketches, "S.npy",
       "a sketch that an output is compared with, once for each in order");
  tool.add_flag("--in-place", request.inPlace, "every output has the memory of the first input that it may have");
  tool.add_option("--launches", request.launches,
                  "launch K times in all and compare the results of each with the first one's, bit by bit")
      ->type_name("K")
      ->check(atLeast(1));
  tool.add_option("--tolerance", request.tolerance, "largest relative L2 error that passes (default 1e-5)")
      ->type_name("E")
      ->check(CLI::Validator(
          [](const std::string &text) {
            double value = 0;
            return CLI::detail::lexical_cast(text, value) && value >= 0
                       ? std::string()
                       : "needs a number that is not negative, not '" + text + "'";
          },
          /*validator_desc=*/""));
  tool.add_option("--seed", request.seed, "seed of random inputs (default 0)")->type_name("S")->check(atLeast(0));
  tool.add_flag("--time", request.time,
                "print the median time, GB/s of input and output, and the ratio to a device copy");
  tool.add_flag("--latency", request.latency,
                "print the median time of one of 64 dependent executions, recorded in one graph");
  tool.add_option("--repeat", request.repeat, "measurements of which the median is taken (default 20)")
      ->type_name("K")
      ->check(atLeast(1));
  CLI::Option *jobs = tool.add_option("--jobs", options.jobs,
                                      "time the candidates that `idc tune` has written to this file, and go on where "
                                      "an earlier run ended")
                          ->type_name("JOBS.json");
  CLI::Option *results =
      tool.add_option("--results", options.results, "where to write the times")->type_name("RESULTS.json");
  jobs->needs(results);
  results->needs(jobs);
  tool.callback([&options] {
    if (options.jobs.empty() == options.manifest.empty())
      throw CLI::RequiredError("needs two files, the kernels and the manifest, or --jobs",
                               CLI::ExitCodes::RequiredError);
  });
}

int runModule(const Options &options) {
  constexpr int64_t largest = int64_t(1) << 30;
  const std::string image = idc::runtime::readFile(options.kernels, largest),
                    manifest = idc::runtime::readFile(options.manifest, largest);
  const bool isCpu = idc::runtime::parseManifest(manifest).isCpu();
  std::unique_ptr<CpuFunctions> functions;
  if (const std::string &path = isCpu ? options.kernels : options.functions; !path.empty())
    functions = std::make_unique<CpuFunctions>(path);
  idc_module *module = nullptr;
  if (isCpu) {
    check(idc_cpu_module_create(manifest.data(), manifest.size(), CpuFunctions::find, functions.get(), &module));
  } else {
    check(idc_host_module_load(image.data(), image.size(), manifest.data(), manifest.size(),
                               functions ? CpuFunctions::find : nullptr, functions.get(), &module));
  }
  std::unique_ptr<idc_module, idc_status (*)(idc_module *)> owner(module, idc_module_unload);
  RunRequest request = options.request;
  request.module = module;
  std::unique_ptr<GroupModule> group;
  if (idc_module_devices(module) > 1) {
    group = GroupModule::load(image, manifest);
    request.module = request.group = group.get();
  }
  RunReport report = run(request);
  print(std::cout, report);
  if (!std::cout.flush())
    throw Error("cannot write to standard output");
  return report.passed() ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

int main(int argc, char **argv) {
  std::signal(SIGXFSZ, SIG_IGN); // a file that becomes too large is an error of the write
  CLI::App tool("Runs the kernels of a fatbin, cubin or PTX file as its manifest says, or times candidates.");
  tool.footer("The exit status is 0 on success, 1 when an output misses its reference or the run fails, 2 for wrong "
              "usage.");
  Options options;
  addOptions(tool, options);
  return toolMain(tool, argc, argv, [&options] {
    if (options.jobs.empty())
      return runModule(options);
    measureJobs(options.jobs, options.results, std::cout);
    return EXIT_SUCCESS;
  });
}
