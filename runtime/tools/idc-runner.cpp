//===- idc-runner.cpp - runs compiled kernels with the driver alone -------===//
//
// Needs the NVIDIA driver and nothing else: neither the compiler nor the CUDA toolkit.
//
//===----------------------------------------------------------------------===//

#include "host/Jobs.h"
#include "host/Memory.h"
#include "host/Messages.h"
#include "host/Run.h"

#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <memory>

using namespace idc::host;

static const char help[] = R"(usage: idc-runner KERNELS MANIFEST [options]
       idc-runner --jobs JOBS.json --results RESULTS.json

Runs the kernels of a fatbin, cubin or PTX file as its manifest says. The second form times the candidates that
`idc tune` has written, and goes on where an earlier run ended.

  --batch N         problems to run (default 1)
  --input X.npy     an input, once for each in order; without it inputs are random (normal)
  --scalar S=V      the value of a run-time scalar, once for each (complex: RE,IM)
  --output Y.npy    where to write an output, once for each in order
  --expect Y.npy    a reference for an output, once for each in order
  --random NAME=D   how a random input is drawn: x=uniform, b=3+|normal|; ",zero/K" makes every K-th problem zero
  --sketch S.npy    where to write a small sketch of an output, once for each in order
  --expect-sketch S.npy   a sketch that an output is compared with, once for each in order
  --in-place        every output has the memory of the first input that it may have
  --launches K      launch K times in all and compare the results of each with the first one's, bit by bit
  --tolerance E     largest relative L2 error that passes (default 1e-5)
  --seed S          seed of random inputs (default 0)
  --time            print the median time, GB/s of input and output, and the ratio to a device copy
  --latency         print the median time of one of 64 dependent executions, recorded in one graph
  --repeat K        measurements of which the median is taken (default 20)
  --help            print this text
  --version         print the version

The exit status is 0 on success, 1 when an output misses its reference or the run fails, 2 for wrong usage.
)";

namespace {

struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Options {
  bool help = false, version = false;
  std::vector<std::string> files; // kernels, manifest
  RunRequest request;
  std::string jobs, results;
};

long long parseInteger(const std::string &option, const std::string &text, long long least, long long most) {
  char *end = nullptr;
  errno = 0;
  long long value = std::strtoll(text.c_str(), &end, 10);
  if (text.empty() || *end || errno || value < least || value > most)
    throw UsageError(option + " needs an integer of at least " + std::to_string(least) + ", not '" + text + "'");
  return value;
}

double parseTolerance(const std::string &text) {
  char *end = nullptr;
  double value = std::strtod(text.c_str(), &end);
  if (text.empty() || *end || !std::isfinite(value) || value < 0)
    throw UsageError("--tolerance needs a number that is not negative, not '" + text + "'");
  return value;
}

void addDistribution(RunRequest &request, const std::string &text) {
  size_t equals = text.find('=');
  if (equals == std::string::npos ||
      !request.distributions.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
    throw UsageError("--random needs NAME=DISTRIBUTION once for an input, not '" + text + "'");
}

Options parseOptions(int argc, char **argv) {
  constexpr long long most = std::numeric_limits<long long>::max();
  Options options;
  RunRequest &request = options.request;
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    if (word.compare(0, 2, "--") != 0) {
      options.files.push_back(word);
      continue;
    }
    std::string option = word.substr(0, word.find('='));
    if (option == word && option == "--help") {
      options.help = true;
      return options;
    }
    if (option == word && option == "--version") {
      options.version = true;
      return options;
    }
    if (option == word && option == "--time") {
      request.time = true;
      continue;
    }
    if (option == word && option == "--in-place") {
      request.inPlace = true;
      continue;
    }
    if (option == word && option == "--latency") {
      request.latency = true;
      continue;
    }
    auto value = [&]() -> std::string {
      if (option != word)
        return word.substr(option.size() + 1);
      if (i + 1 == argc)
        throw UsageError(option + " needs a value");
      return argv[++i];
    };
    if (option == "--jobs")
      options.jobs = value();
    else if (option == "--results")
      options.results = value();
    else if (option == "--batch")
      request.batch = parseInteger(option, value(), 1, most);
    else if (option == "--input")
      request.inputs.push_back(value());
    else if (option == "--scalar")
      request.scalars.push_back(value());
    else if (option == "--output")
      request.outputs.push_back(value());
    else if (option == "--expect")
      request.expected.push_back(value());
    else if (option == "--sketch")
      request.sketches.push_back(value());
    else if (option == "--expect-sketch")
      request.expectedSketches.push_back(value());
    else if (option == "--random")
      addDistribution(request, value());
    else if (option == "--tolerance")
      request.tolerance = parseTolerance(value());
    else if (option == "--seed")
      request.seed = uint64_t(parseInteger(option, value(), 0, most));
    else if (option == "--launches")
      request.launches = parseInteger(option, value(), 1, most);
    else if (option == "--repeat")
      request.repeat = int(parseInteger(option, value(), 1, 1000000));
    else
      throw UsageError("unknown option '" + word + "'");
  }
  if (options.jobs.empty() != options.results.empty())
    throw UsageError("--jobs and --results go together");
  if (!options.jobs.empty() && options.files.empty())
    return options;
  if (options.files.size() != 2)
    throw UsageError("needs two files, the kernels and the manifest, not " + std::to_string(options.files.size()));
  return options;
}

int runModule(const Options &options) {
  idc_module *module = nullptr;
  check(idc_module_load_files(options.files[0].c_str(), options.files[1].c_str(), &module));
  std::unique_ptr<idc_module, idc_status (*)(idc_module *)> owner(module, idc_module_unload);
  RunRequest request = options.request;
  request.module = module;
  RunReport report = run(request);
  print(std::cout, report);
  if (!std::cout.flush())
    throw Error("cannot write to standard output");
  return report.passed() ? EXIT_SUCCESS : EXIT_FAILURE;
}

} // namespace

int main(int argc, char **argv) {
  std::signal(SIGXFSZ, SIG_IGN); // a file that becomes too large is an error of the write
  try {
    Options options = parseOptions(argc, argv);
    if (options.help) {
      std::cout << help;
      return EXIT_SUCCESS;
    }
    if (options.version) {
      std::cout << "idc-runner " IDC_VERSION "\n";
      return EXIT_SUCCESS;
    }
    if (!options.jobs.empty()) {
      measureJobs(options.jobs, options.results, std::cout);
      return EXIT_SUCCESS;
    }
    return runModule(options);
  } catch (const UsageError &error) {
    printError(error.what() + std::string("; try 'idc-runner --help'"));
    return 2;
  } catch (const std::exception &error) {
    printError(error.what());
    return EXIT_FAILURE;
  }
}
