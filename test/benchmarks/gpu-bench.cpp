// gpu-bench: times compiled programs beside a device-to-device copy of the same bytes and cuFFT, in one process.
//
// Every program transforms 2^27 elements (f64: 2^26) out of place; the three operations alternate, each between two
// CUDA events, and all are queued before the first result is read, so that the GPU never waits for the host.
// Exit status: 0 all measured, 1 something was left out or gave wrong results, 2 wrong use or no GPU, 3 context lost.
#include "CommandLine.h"
#include "Cuda.h"
#include "CufftPlan.h"
#include "Kernel.h"
#include "RandomData.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>
#include <random>

using namespace gpucheck;

namespace {

constexpr int rounds = 15, warmUps = 2;
// A difference from cuFFT that no rounding explains.
double wrongResult(Real real) { return real == Real::F32 ? 1e-5 : 1e-13; }

class Event {
public:
  Event() { CHECK_CUDA(cudaEventCreate(&event)); }
  ~Event() { cudaEventDestroy(event); }
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;
  cudaEvent_t get() const { return event; }

private:
  cudaEvent_t event = nullptr;
};

/// Milliseconds of one operation over all rounds.
struct Times {
  double median = 0, least = 0, most = 0;
};

/// Runs the operations in turn, beginning each round with another one, and returns the times of each.
std::vector<Times> measure(const std::vector<std::function<void()>> &operations, cudaStream_t stream) {
  const size_t count = operations.size();
  for (int i = 0; i < warmUps; i++)
    for (const auto &operation : operations)
      operation();
  std::vector<Event> begin(rounds * count), end(rounds * count);
  for (size_t round = 0; round < rounds; round++) {
    for (size_t turn = 0; turn < count; turn++) {
      const size_t which = (round + turn) % count;
      CHECK_CUDA(cudaEventRecord(begin[round * count + which].get(), stream));
      operations[which]();
      CHECK_CUDA(cudaEventRecord(end[round * count + which].get(), stream));
    }
  }
  CHECK_CUDA(cudaStreamSynchronize(stream));
  std::vector<Times> result;
  for (size_t which = 0; which < count; which++) {
    std::vector<float> times(rounds);
    for (size_t round = 0; round < rounds; round++)
      CHECK_CUDA(
          cudaEventElapsedTime(&times[round], begin[round * count + which].get(), end[round * count + which].get()));
    std::sort(times.begin(), times.end());
    result.push_back({times[rounds / 2], times.front(), times.back()});
  }
  return result;
}

/// Brings the clocks up: copies for a third of a second.
void warmUp(cudaStream_t stream) {
  Buffer from(GiB), to(GiB);
  fillNormal(from.as<float>(), GiB / sizeof(float), 1, stream);
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(350)) {
    for (int i = 0; i < 20; i++)
      CHECK_CUDA(cudaMemcpyAsync(to.data(), from.data(), GiB, cudaMemcpyDeviceToDevice, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
  }
}

struct Measurement {
  size_t batch = 0, bytes = 0, workspaceBytes = 0; // bytes: of the input
  Times copy, cufft, idc;                          // cufft.median is 0 for programs that cuFFT has not
  double difference = 0;                           // largest relative L2 difference of a member from cuFFT
};

Measurement measureProgram(const KernelFile &file, uint64_t seed, cudaStream_t stream) {
  Measurement m;
  m.batch = (size_t(1) << (file.real == Real::F32 ? 27 : 26)) >> file.n;
  m.bytes = m.batch * file.bytesPerProblem();
  const Transform transform = file.program->transform;
  LoadedKernel kernel(file);
  m.workspaceBytes = kernel.workspaceBytes(m.batch);
  Buffer input(m.bytes), output(m.bytes), other(m.bytes), workspace(m.workspaceBytes);
  const size_t numbers = m.batch * file.components();
  if (file.real == Real::F32)
    fillNormal(input.as<float>(), numbers, seed, stream);
  else
    fillNormal(input.as<double>(), numbers, seed, stream);
  output.poison(stream);

  std::optional<CufftPlan> plan;
  std::vector<std::function<void()>> operations = {
      [&] { CHECK_CUDA(cudaMemcpyAsync(other.data(), input.data(), m.bytes, cudaMemcpyDeviceToDevice, stream)); },
      [&] {
        kernel.launch(m.batch, input.data(), output.data(), m.workspaceBytes ? workspace.data() : nullptr, stream);
      }};
  if (transform != Transform::Hadamard) {
    plan.emplace(file.real, file.n, m.batch, stream);
    operations.push_back([&] { plan->execute(transform, input.data(), other.data()); });
  }
  const std::vector<Times> times = measure(operations, stream);
  m.copy = times[0];
  m.idc = times[1];
  if (plan) {
    m.cufft = times[2];
    plan->execute(transform, input.data(), other.data());
  } else {
    CHECK_CUDA(cudaMemcpyAsync(other.data(), input.data(), m.bytes, cudaMemcpyDeviceToDevice, stream));
    hadamardInPlace(file.real, file.n, other.data(), numbers, stream);
  }
  m.difference =
      worstDifference(file.real, output.data(), file.unscale(), other.data(), file.components(), m.batch, stream);
  return m;
}

/// "1.234", or "-" when there is no such number.
std::string ratio(double numerator, double denominator) {
  if (numerator <= 0 || denominator <= 0)
    return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", numerator / denominator);
  return text;
}

void writeRow(std::FILE *csv, const Machine &machine, const KernelFile &file, const Measurement &m) {
  std::fprintf(csv, "%s,%s,%s,%s,%s,%s,%s,%d,%zu,%zu,%zu,%.6g,%.6g,%.6g,%.6g,%.6g,%.3g\n", timestamp().c_str(),
               machine.gpu.c_str(), machine.driver.c_str(), machine.cudaRuntime.c_str(), machine.cufft.c_str(),
               file.program->name, nameOf(file.real), file.n, m.batch, m.bytes, m.workspaceBytes, m.copy.median,
               m.cufft.median, m.idc.median, m.idc.least, m.idc.most, m.difference);
  std::fflush(csv);
}

void printRow(const KernelFile &file, const Measurement &m, bool wrong) {
  std::printf("%-14s %9zu  %8.3f %8s %8s %9s  %7.0f %8.1f%s\n", file.name().c_str(), m.batch, m.copy.median,
              ratio(m.cufft.median, m.copy.median).c_str(), ratio(m.idc.median, m.copy.median).c_str(),
              ratio(m.idc.median, m.cufft.median).c_str(), 2 * m.bytes / m.idc.median * 1e-6,
              double(m.workspaceBytes) / MiB, wrong ? "  WRONG RESULT" : "");
  std::fflush(stdout);
}

int run(const CommandLine &line) {
  CHECK_CUDA(cudaSetDevice(0));
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Machine machine = describeMachine();
  std::printf("%s, driver %s, CUDA %s, cuFFT %s, %s\n", machine.gpu.c_str(), machine.driver.c_str(),
              machine.cudaRuntime.c_str(), machine.cufft.c_str(), timestamp().c_str());
  const std::vector<KernelFile> files = listKernels(line.value("--kernels", "build/gpu/kernels"), line.selection());
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
    std::fputs("date,gpu,driver,cuda,cufft,program,type,n,batch,bytes,workspace_bytes,memcpy_ms,cufft_ms,idc_ms,"
               "idc_least_ms,idc_most_ms,difference\n",
               csv);
  warmUp(stream);
  std::printf("%-14s %9s  %8s %8s %8s %9s  %7s %8s\n", "program", "batch", "copy ms", "cuFFT", "idc", "idc/cuFFT",
              "GB/s", "ws MiB");
  int status = 0;
  const uint64_t seed = std::random_device{}();
  for (const KernelFile &file : files) {
    try {
      const Measurement m = measureProgram(file, seed, stream);
      const bool wrong = !(m.difference < wrongResult(file.real));
      if (csv)
        writeRow(csv, machine, file, m);
      printRow(file, m, wrong);
      if (wrong)
        status = 1;
    } catch (const CudaError &error) {
      std::printf("%-14s %s\n", file.name().c_str(), error.what());
      std::fflush(stdout);
      cudaGetLastError();
      if (cudaDeviceSynchronize() != cudaSuccess)
        return 3;
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
      std::puts("gpu-bench [--kernels FOLDER] [--results FILE] [--only n=3,8 program=fft,ifft type=f32]");
      return 0;
    }
    return run(line);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "gpu-bench: %s\n", error.what());
    return 2;
  }
}
