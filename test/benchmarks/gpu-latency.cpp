// gpu-latency: times one transform at a time beside cuFFT, as one of many dependent executions recorded in a graph.
//
// The result of one execution is overwritten by the next, so that it can only begin when the one before has ended.
// Exit status: 0 all measured, 1 something was left out or gave wrong results, 2 wrong use or no GPU.
#include "Cuda.h"
#include "CufftPlan.h"
#include "Kernel.h"
#include "RandomData.h"
#include "Reference.h"
#include "SelectionOption.h"
#include "Timing.h"
#include "host/ToolMain.h"
#include <cstdio>
#include <optional>
#include <vector>

using namespace gpucheck;

namespace {

constexpr int executions = 64, rounds = 15;
// A difference from cuFFT that no rounding explains.
double wrongResult(Real real) { return real == Real::F32 ? 1e-5 : 1e-13; }

struct Measurement {
  double idc = 0, cufft = 0; // microseconds; cufft is 0 for programs that cuFFT has not
  double difference = 0;     // relative L2 difference from cuFFT
};

Measurement measureProgram(const KernelFile &file, cudaStream_t stream) {
  LoadedKernel kernel(file);
  const size_t bytes = file.bytesPerProblem();
  Buffer input(bytes), output(bytes), other(bytes), workspace(kernel.workspaceBytes(1));
  if (file.real == Real::F32)
    fillNormal(input.as<float>(), file.components(), 1, stream);
  else
    fillNormal(input.as<double>(), file.components(), 1, stream);
  const Transform transform = file.program->transform;
  std::optional<CufftPlan> plan;
  Graph own([&](int) { kernel.launch(1, {input.data()}, {output.data()}, workspace, stream); }, executions, stream);
  std::optional<Graph> theirs;
  if (transform != Transform::Hadamard) {
    plan.emplace(file.real, file.exponents, 1, stream);
    theirs.emplace([&](int) { plan->execute(transform, input.data(), other.data()); }, executions, stream);
  }
  std::vector<Operation> operations = {{[&] { own.launch(stream); }, {}}};
  if (theirs)
    operations.push_back({[&] { theirs->launch(stream); }, {}});
  const std::vector<Times> times = measure(operations, stream, rounds);
  const double each = 1e3 / executions; // microseconds of one for a millisecond of all
  Measurement m{times[0].median * each, theirs ? times[1].median * each : 0, 0};
  if (theirs)
    m.difference =
        worstDifference(file.real, output.data(), file.unscale(), other.data(), file.components(), 1, stream);
  return m;
}

struct Options {
  std::string kernels = "build/gpu/latency", results;
  Selection selection;
};

int run(const Options &options) {
  CHECK_CUDA(cudaSetDevice(0));
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Machine machine = describeMachine();
  const std::vector<KernelFile> files = listKernels(options.kernels, options.selection);
  if (files.empty())
    throw std::runtime_error("no compiled programs match");
  std::FILE *csv = options.results.empty() ? nullptr : std::fopen(options.results.c_str(), "w");
  if (!options.results.empty() && !csv)
    throw std::runtime_error("cannot write " + options.results);
  if (csv)
    std::fputs("date,gpu,driver,cuda,cufft,program,type,n,idc_us,cufft_us,difference\n", csv);
  std::printf("%s, cuFFT %s, %s\n%-14s %8s %8s %9s\n", machine.gpu.c_str(), machine.cufft.c_str(), timestamp().c_str(),
              "program", "idc us", "cuFFT us", "idc/cuFFT");
  int status = 0;
  for (const KernelFile &file : files) {
    try {
      const Measurement m = measureProgram(file, stream);
      const bool wrong = !(m.difference < wrongResult(file.real));
      std::printf("%-14s %8.3f %8.3f %9.2f%s\n", file.name().c_str(), m.idc, m.cufft, m.cufft ? m.idc / m.cufft : 0.0,
                  wrong ? "  WRONG RESULT" : "");
      std::fflush(stdout);
      if (csv)
        std::fprintf(csv, "%s,%s,%s,%s,%s,%s,%s,%s,%.6g,%.6g,%.3g\n", timestamp().c_str(), machine.gpu.c_str(),
                     machine.driver.c_str(), machine.cudaRuntime.c_str(), machine.cufft.c_str(), file.program->name,
                     nameOf(file.real), file.size().c_str(), m.idc, m.cufft, m.difference);
      if (wrong)
        status = 1;
    } catch (const CudaError &error) {
      std::printf("%-14s %s\n", file.name().c_str(), error.what());
      cudaGetLastError();
      status = 1;
    }
  }
  if (csv)
    std::fclose(csv);
  return status;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App tool("Times dependent transforms in a graph, one problem each, beside cuFFT.");
  Options options;
  tool.add_option("--kernels", options.kernels, "of the compiled programs")->type_name("FOLDER");
  tool.add_option("--results", options.results, "where to write the times")->type_name("FILE.csv");
  addSelection(tool, options.selection);
  return idc::host::toolMain(
      tool, argc, argv, [&options] { return run(options); }, 2);
}
