// gpu-linked: an application that links generated libraries, as users do. Checks every size against cuFFT, capture in
// graphs, loading from many threads, PTX of an older architecture, the CPU, errors; measures what a call costs.
//
// Exit status: 0 all right, 1 something is wrong, 2 no GPU.
#include "Cuda.h"
#include "CufftPlan.h"
#include "RandomData.h"
#include "Reference.h"
#include "host/ToolMain.h"

#include "linked.h"     // n = 8 .. 24 for this GPU and the CPU
#include "linked_old.h" // n = 12 for sm_80

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <functional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace gpucheck;

namespace {

constexpr int smallest = 8, largest = 24;
constexpr size_t elements = size_t(1) << largest, elementBytes = 8;
// A difference from cuFFT that no rounding explains.
constexpr double wrongResult = 1e-6;

int failures = 0;

void expect(bool right, const std::string &what) {
  std::printf("%-5s %s\n", right ? "ok" : "WRONG", what.c_str());
  failures += !right;
}

int64_t batchOf(int n) { return n < 22 ? int64_t(1) << (22 - n) : 1; }

struct Fixture {
  Fixture()
      : x(elements * elementBytes), y(elements * elementBytes), other(elements * elementBytes), workspace(most()) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    fillNormal(x.as<float>(), 2 * elements, 1, stream);
    CHECK_CUDA(cudaStreamSynchronize(stream));
  }
  static size_t most() {
    int64_t bytes = 16;
    for (int n = smallest; n <= largest; ++n)
      bytes = std::max(bytes, linked_workspace_size(n, batchOf(n)));
    return size_t(bytes);
  }
  double difference(const Buffer &a, const Buffer &b, int n, size_t batch) const {
    return worstDifference(Real::F32, a.data(), 1, b.data(), size_t(2) << n, batch, stream);
  }

  Buffer x, y, other, workspace;
  cudaStream_t stream;
};

void checkCaptureBeforeLoading(Fixture &f) {
  cudaGraph_t graph = nullptr;
  CHECK_CUDA(cudaStreamBeginCapture(f.stream, cudaStreamCaptureModeGlobal));
  int status = linked(12, 1, f.x.data(), f.y.data(), nullptr, f.stream);
  expect(status == IDC_ERROR_NOT_LOADED, std::string("before loading, in a capture: ") + linked_message(status));
  expect(cudaStreamEndCapture(f.stream, &graph) == cudaSuccess, "the capture goes on");
  CHECK_CUDA(cudaGraphDestroy(graph));
}

/// Enqueued, and as a graph.
void checkSize(Fixture &f, int n) {
  const int64_t batch = batchOf(n);
  const size_t bytes = (size_t(batch) << n) * elementBytes;
  f.y.poison(f.stream);
  f.workspace.poison(f.stream);
  int launched = linked(n, batch, f.x.data(), f.y.data(), f.workspace.data(), f.stream);
  CufftPlan({Real::F32, Exponents{n}, size_t(batch), f.stream}).execute(Transform::Forward, f.x.data(), f.other.data());
  double difference = f.difference(f.y, f.other, n, size_t(batch));
  uint64_t sum = checksum(f.y.data(), bytes, f.stream);

  f.y.poison(f.stream);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK_CUDA(cudaStreamBeginCapture(f.stream, cudaStreamCaptureModeGlobal));
  int captured = linked(n, batch, f.x.data(), f.y.data(), f.workspace.data(), f.stream);
  CHECK_CUDA(cudaStreamEndCapture(f.stream, &graph));
  CHECK_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  CHECK_CUDA(cudaGraphLaunch(executable, f.stream));
  bool same = checksum(f.y.data(), bytes, f.stream) == sum;
  CHECK_CUDA(cudaGraphExecDestroy(executable));
  CHECK_CUDA(cudaGraphDestroy(graph));
  char text[128];
  std::snprintf(text, sizeof text, "n = %2d, batch %5lld: difference from cuFFT %.1e; the graph's bits are %s", n,
                static_cast<long long>(batch), difference, same ? "the same" : "others");
  expect(!launched && !captured && same && difference < wrongResult, text);
}

void checkOtherTargets(Fixture &f) {
  constexpr int n = 12, batch = 4;
  const size_t bytes = (size_t(batch) << n) * elementBytes;
  CHECK_CUDA(cudaStreamSynchronize(f.stream));
  linked(n, batch, f.x.data(), f.y.data(), nullptr, f.stream);
  int status = linked_old(n, batch, f.x.data(), f.other.data(), f.workspace.data(), f.stream);
  double difference = f.difference(f.y, f.other, n, batch);
  expect(!status && difference < wrongResult, std::string("from the PTX of sm_80: ") + linked_old_message(status));

  auto *x = static_cast<float *>(std::aligned_alloc(64, bytes)),
       *y = static_cast<float *>(std::aligned_alloc(64, bytes));
  void *workspace = std::aligned_alloc(64, (size_t(linked_workspace_size(n, batch)) + 64) / 64 * 64);
  CHECK_CUDA(cudaMemcpy(x, f.x.data(), bytes, cudaMemcpyDeviceToHost));
  status = linked(n, batch, x, y, workspace, IDC_CPU);
  CHECK_CUDA(cudaMemcpy(f.other.data(), y, bytes, cudaMemcpyHostToDevice));
  difference = f.difference(f.y, f.other, n, batch);
  expect(!status && difference < wrongResult, std::string("on the CPU: ") + linked_message(status));

  void *managed, *pinned;
  CHECK_CUDA(cudaMallocManaged(&managed, 4096));
  CHECK_CUDA(cudaMallocHost(&pinned, 4096));
  expect(idc_stream_for(f.x.data(), f.stream) == f.stream && idc_stream_for(managed, f.stream) == f.stream &&
             idc_stream_for(pinned, f.stream) == IDC_CPU && idc_stream_for(x, f.stream) == IDC_CPU,
         "idc_stream_for: device, managed, pinned and ordinary memory");
  CHECK_CUDA(cudaFree(managed));
  CHECK_CUDA(cudaFreeHost(pinned));
  std::free(x);
  std::free(y);
  std::free(workspace);
}

/// All threads find the library unloaded.
void checkThreads(Fixture &f) {
  constexpr int n = 12, batch = 64, threads = 64, launches = 50; // each thread's results: a 64th of the buffer
  constexpr size_t bytes = (size_t(batch) << n) * elementBytes;
  linked(n, batch, f.x.data(), f.y.data(), nullptr, f.stream);
  const uint64_t sum = checksum(f.y.data(), bytes, f.stream);
  linked_unload();
  std::atomic<int> wrong{0};
  std::vector<std::thread> workers;
  for (int i = 0; i < threads; ++i)
    workers.emplace_back([&, i] { // without a context of its own: that of device 0
      void *stream = nullptr;
      wrong += idc_stream_create(&stream) != IDC_SUCCESS;
      for (int k = 0; k < launches; ++k)
        wrong += linked(n, batch, f.x.data(), f.other.as<char>() + size_t(i) * bytes, nullptr, stream) != 0;
      wrong += idc_stream_synchronize(stream) != IDC_SUCCESS;
      idc_stream_destroy(stream);
    });
  for (std::thread &worker : workers)
    worker.join();
  for (int i = 0; i < threads; ++i)
    wrong += checksum(f.other.as<char>() + size_t(i) * bytes, bytes, f.stream) != sum;
  expect(wrong == 0, "64 threads and streams load at once and launch");
}

void checkChildProcess(Fixture &f) {
  std::fflush(stdout);
  if (pid_t child = fork()) {
    int status = -1;
    waitpid(child, &status, 0);
    expect(status == 0, "a child process gets an error, not a crash");
    return;
  }
  _exit(linked(12, 1, f.x.data(), f.y.data(), nullptr, nullptr) == 0);
}

/// Microseconds that a call takes on the CPU; never so many that the driver's queue is full.
double cost(const std::function<void()> &call) {
  constexpr int calls = 300, rounds = 30;
  double least = 1e9;
  for (int round = 0; round < rounds; ++round) {
    auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i)
      call();
    std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    least = std::min(least, time.count() / calls);
    CHECK_CUDA(cudaDeviceSynchronize());
  }
  return least;
}

/// A kernel of one block that does nothing, launched by the driver alone.
void measureCalls(Fixture &f) {
  CUmodule module;
  CUfunction empty;
  const char *ptx = ".version 7.0\n.target sm_70\n.address_size 64\n"
                    ".visible .entry empty(.param .u64 x, .param .u64 y, .param .u64 batch) { ret; }\n";
  if (cuModuleLoadData(&module, ptx) || cuModuleGetFunction(&empty, module, "empty"))
    throw CudaError("the empty kernel cannot be loaded");
  int64_t batch = 1;
  void *x = f.x.data(), *y = f.y.data(), *arguments[] = {&x, &y, &batch};
  double bare = cost([&] { cuLaunchKernel(empty, 1, 1, 1, 256, 1, 1, 32768, f.stream, arguments, nullptr); });
  CufftPlan plan(Real::F32, Exponents{12}, 1, f.stream);
  double cufft = cost([&] { plan.execute(Transform::Forward, f.x.data(), f.y.data()); });
  std::printf("a call on the CPU: cuLaunchKernel %.3f us, cuFFT of 2^12 %.3f us\n", bare, cufft);
  for (int n : {8, 12, 16, 20, 24}) {
    double own = cost([&] { linked(n, 1, f.x.data(), f.y.data(), f.workspace.data(), f.stream); });
    std::printf("  n = %2d: %.3f us\n", n, own);
    if (n <= 12) // one plain kernel
      expect(own - bare < 1, "within 1 us of a bare launch");
  }
  cuModuleUnload(module);
}

int run() {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
    throw std::runtime_error("no GPU");
  Fixture f;
  checkCaptureBeforeLoading(f);
  auto begin = std::chrono::steady_clock::now();
  int status = linked_load();
  std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
  std::printf("all sizes, GPU and CPU, loaded in %.1f ms\n", time.count());
  expect(status == IDC_SUCCESS, linked_message(status));
  for (int n = smallest; n <= largest; ++n)
    checkSize(f, n);
  checkOtherTargets(f);
  measureCalls(f);
  checkThreads(f);
  checkChildProcess(f);
  return failures != 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App tool("Checks an application that links generated libraries (docs/linking.md).");
  return idc::host::toolMain(tool, argc, argv, run, 2);
}
