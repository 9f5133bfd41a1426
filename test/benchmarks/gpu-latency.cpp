// gpu-latency: times one transform at a time beside cuFFT, as one of many dependent executions recorded in a graph.
//
// The result of one execution is overwritten by the next, so that it can only begin when the one before has ended.
// Exit status: 0 all measured, 1 something was left out or gave wrong results, 2 wrong use or no GPU.
#include "CommandLine.h"
#include "Cuda.h"
#include "CufftPlan.h"
#include "Kernel.h"
#include "RandomData.h"
#include "Reference.h"
#include "Timing.h"
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

int run(const CommandLine &line) {
  CHECK_CUDA(cudaSetDevice(0));
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Machine machine = describeMachine();
  const std::vector<KernelFile> files = listKernels(line.value("--kernels", "build/gpu/latency"), line.selection());
  if (files.empty()) {
    std::fprintf(stderr, "no compiled programs match\n");
    return 2;
  }
  const std::string path = line.value("--results", "");
  std::FILE *csv = path.empty() ? nullptr : std::fopen(path.c_str(), "w");
  if (!path.empty() && !csv) {
    std::fprintf(stderr, "cannot write %s\n", path.c_str());
    return 2;
  }
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
  try {
    const CommandLine line(argc, argv, {"--kernels", "--results"}, {"--help"});
    if (line.has("--help")) {
      std::puts("gpu-latency [--kernels FOLDER] [--results FILE] [--only n=3,8 program=fft,ifft type=f32]");
      return 0;
    }
    return run(line);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "gpu-latency: %s\n", error.what());
    return 2;
  }
}
