// Programs on data in the host's memory, beside the link's limit and cuFFT called chunk by chunk.
//
// usage: gpu-host-memory [--runs N] [--pageable] [--in-place] [--slow-link] [--gpus N] CASE…
// A case is NAME:PREFIX[:OTHER]: the prefix of an image and a manifest (PREFIX.fatbin, PREFIX.json) for host memory;
// then for complex f32 transforms their sides (65536x65536), or the prefix of the same program for data on the GPU.
// Where the CPU takes a share of chunks its functions are in PREFIX.so; a program for the CPU is that and a manifest.
// Data are random and differ in every element; arrays are page-locked, unless behind --pageable. Results are compared
// with the GPU's, of cuFFT or of the other program, in all elements, if its memory holds them. A line per case: how
// large the error is (relative, L2), seconds, their share of the least time that the passes' bytes take on the link,
// both ways at the same time as measured in this run; and seconds of cuFFT chunk by chunk. Behind --in-place results
// take the memory of arguments where the program may (idc compile --in-place), and cuFFT is not called. Behind
// --slow-link the link seems half as fast.
#include "Cuda.h"
#include "host/CpuFunctions.h"
#include "idc/host_memory.h"
#include "runtime/lib/Driver.h"
#include "runtime/lib/Shares.h"
#include "runtime/lib/WholeFile.h"
#include "test/benchmarks/ChunkedCufft.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using idc::host::CpuFunctions;
using idc::runtime::Manifest;
using idc::runtime::Operand;

namespace {

void check(idc_status status) {
  if (status)
    throw std::runtime_error(idc_message(status));
}
std::string readText(const std::string &path) { return idc::runtime::readFile(path, int64_t(1) << 30); }

double seconds(const std::function<void()> &work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}
double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + long(times.size() / 2), times.end());
  return times[times.size() / 2];
}

/// Calls work(begin, end) for parts of `count` on all cores.
void inParallel(int64_t count, const std::function<void(int64_t, int64_t)> &work) {
  const int64_t threads = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> all;
  for (int64_t i = 0; i < threads; ++i)
    all.emplace_back([&, i] { work(count * i / threads, count * (i + 1) / threads); });
  for (std::thread &thread : all)
    thread.join();
}

bool isPageLocked = true; // what is allocated
bool isInPlace = false;
int gpus = 1;

__global__ void waitFor(uint64_t nanoseconds) {
  uint64_t begin, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
  do
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  while (now - begin < nanoseconds);
}

/// Half of the link for what idc copies from now on: behind each copy its stream waits as long as it takes at 50 GB/s.
void slowDown() {
  using idc::runtime::CUdeviceptr, idc::runtime::CUmemcpy2D, idc::runtime::CUresult, idc::runtime::CUstream;
  static idc::runtime::Driver own;
  const idc::runtime::Driver *driver = nullptr;
  check(idc::runtime::Driver::get(driver));
  own = *driver;
  static auto wait = [](CUresult result, size_t bytes, CUstream stream) {
    waitFor<<<1, 1, 0, reinterpret_cast<cudaStream_t>(stream)>>>(bytes / 50);
    return result;
  };
  auto &changed = const_cast<idc::runtime::Driver &>(*driver);
  changed.copyToDevice = [](CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
    return wait(own.copyToDevice(to, from, bytes, stream), bytes, stream);
  };
  changed.copyToHost = [](void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    return wait(own.copyToHost(to, from, bytes, stream), bytes, stream);
  };
  changed.copyRectangle = [](const CUmemcpy2D *copy, CUstream stream) {
    return wait(own.copyRectangle(copy, stream), copy->width * copy->rows, stream);
  };
}

/// Memory of the host, filled with numbers from -1 to 1, and more by `shift`; or with what is none.
class HostArray {
public:
  HostArray(int64_t bytes, bool isRandom, uint32_t seed = 0, float shift = 0)
      : bytes(bytes), isLocked(isPageLocked), isRandom(isRandom), seed(seed), shift(shift) {
    void *memory = mmap(nullptr, size_t(bytes), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      throw std::runtime_error("the host has no " + std::to_string(bytes) + " bytes");
    data = static_cast<char *>(memory);
    madvise(memory, size_t(bytes), MADV_HUGEPAGE);
    fill();
    if (isLocked)
      CHECK_CUDA(cudaHostRegister(data, size_t(bytes), cudaHostRegisterDefault));
  }
  ~HostArray() {
    if (isLocked)
      cudaHostUnregister(data);
    munmap(data, size_t(bytes));
  }
  HostArray(const HostArray &) = delete;

  void fill() const {
    inParallel(bytes / 4, [&](int64_t begin, int64_t end) {
      auto *numbers = reinterpret_cast<float *>(data);
      for (int64_t i = begin; i < end; ++i) {
        uint64_t mixed = uint64_t(i) * 0x9e3779b97f4a7c15u + seed * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ mixed >> 29) * 0x94d049bb133111ebu;
        numbers[i] = isRandom ? float(int64_t(mixed) >> 32) * 0x1p-31f + shift : NAN;
      }
    });
  }

  char *data = nullptr;
  const int64_t bytes;
  const bool isLocked;

private:
  const bool isRandom;
  const uint32_t seed;
  const float shift;
};

/// Device memory that is freed with it.
using Memory = std::shared_ptr<char>;
Memory allocate(int64_t bytes) {
  void *pointer = nullptr;
  CHECK_CUDA(cudaMalloc(&pointer, size_t(std::max<int64_t>(bytes, 16))));
  return Memory(static_cast<char *>(pointer), [](char *memory) { cudaFree(memory); });
}

/// Sums of squares of the differences and of the values, and the number of elements with other bits.
__global__ void compareFloats(const float *got, const float *expected, int64_t count, double *sums,
                              unsigned long long *others) {
  double difference = 0, value = 0;
  unsigned long long differ = 0;
  for (int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; i < count; i += int64_t(gridDim.x) * blockDim.x) {
    const double d = double(got[i]) - double(expected[i]);
    difference += d * d;
    value += double(expected[i]) * double(expected[i]);
    differ += __float_as_uint(got[i]) != __float_as_uint(expected[i]);
  }
  atomicAdd(&sums[0], difference);
  atomicAdd(&sums[1], value);
  atomicAdd(others, differ);
}

struct Difference {
  double relative;
  bool sameBits;
};
/// Of an array of the host's from what the GPU has.
Difference differenceOf(const HostArray &got, const char *expected, int64_t bytes) {
  constexpr int64_t part = int64_t(1) << 28;
  const Memory copied = allocate(part), sums = allocate(24);
  CHECK_CUDA(cudaMemset(sums.get(), 0, 24));
  for (int64_t at = 0; at < bytes; at += part) {
    const int64_t size = std::min(part, bytes - at);
    CHECK_CUDA(cudaMemcpy(copied.get(), got.data + at, size_t(size), cudaMemcpyHostToDevice));
    compareFloats<<<1024, 256>>>(
        reinterpret_cast<const float *>(copied.get()), reinterpret_cast<const float *>(expected + at), size / 4,
        reinterpret_cast<double *>(sums.get()), reinterpret_cast<unsigned long long *>(sums.get() + 16));
    CHECK_CUDA(cudaDeviceSynchronize());
  }
  struct {
    double difference, value;
    unsigned long long others;
  } result;
  CHECK_CUDA(cudaMemcpy(&result, sums.get(), sizeof result, cudaMemcpyDeviceToHost));
  return {std::sqrt(result.difference / result.value), result.others == 0};
}

//===--- the link -------------------------------------------------------------------------------------------------===//

/// Bytes per second each way when two streams copy contiguous memory at the same time.
double linkBothWays() {
  constexpr int64_t parts = 16, part = int64_t(1) << 28;
  const bool before = std::exchange(isPageLocked, true);
  const HostArray in(parts * part, true), out(parts * part, false);
  isPageLocked = before;
  const Memory a = allocate(part), b = allocate(part);
  cudaStream_t to = nullptr, from = nullptr;
  CHECK_CUDA(cudaStreamCreateWithFlags(&to, cudaStreamNonBlocking));
  CHECK_CUDA(cudaStreamCreateWithFlags(&from, cudaStreamNonBlocking));
  std::vector<double> times;
  for (int run = 0; run < 3; ++run)
    times.push_back(seconds([&] {
      for (int64_t i = 0; i < parts; ++i) {
        CHECK_CUDA(cudaMemcpyAsync(a.get(), in.data + i * part, size_t(part), cudaMemcpyHostToDevice, to));
        CHECK_CUDA(cudaMemcpyAsync(out.data + i * part, b.get(), size_t(part), cudaMemcpyDeviceToHost, from));
      }
      CHECK_CUDA(cudaStreamSynchronize(to));
      CHECK_CUDA(cudaStreamSynchronize(from));
    }));
  cudaStreamDestroy(to);
  cudaStreamDestroy(from);
  return double(parts * part) / median(times);
}

//===--- cases ----------------------------------------------------------------------------------------------------===//

std::vector<std::string> split(const std::string &text, char at) {
  std::vector<std::string> words{""};
  for (char c : text) {
    if (c == at)
      words.emplace_back();
    else
      words.back() += c;
  }
  return words;
}

/// The least time of a program's passes: bytes in and out at the same time.
double leastSeconds(const Manifest &manifest, double bytesPerSecond) {
  double time = 0;
  auto bytesOf = [](const std::vector<Operand> &side) {
    double bytes = 0;
    for (const Operand &operand : side)
      bytes += double(idc::runtime::wholeElements(operand)) * double(operand.elementBytes);
    return bytes;
  };
  for (const idc::runtime::Pass &pass : manifest.passes)
    time += std::max(bytesOf(pass.kernels.inputs), bytesOf(pass.kernels.outputs)) / bytesPerSecond;
  return time;
}

/// What cuFFT makes of x with all of it on the GPU; null where that does not fit.
Memory cufftOf(const HostArray &x, const std::vector<int64_t> &sides) {
  size_t free = 0, total = 0;
  CHECK_CUDA(cudaMemGetInfo(&free, &total));
  if (double(free) < 2.3 * double(x.bytes))
    return nullptr;
  Memory data = allocate(x.bytes);
  CHECK_CUDA(cudaMemcpy(data.get(), x.data, size_t(x.bytes), cudaMemcpyHostToDevice));
  cufftHandle plan = 0;
  size_t bytes = 0;
  std::vector<long long> n(sides.begin(), sides.end());
  CHECK_CUDA(cufftCreate(&plan));
  CHECK_CUDA(cufftMakePlanMany64(plan, int(n.size()), n.data(), nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, 1, &bytes));
  auto *numbers = reinterpret_cast<cufftComplex *>(data.get());
  CHECK_CUDA(cufftExecC2C(plan, numbers, numbers, CUFFT_FORWARD));
  CHECK_CUDA(cudaDeviceSynchronize());
  cufftDestroy(plan);
  return data;
}

/// The first result of a program for data on the GPU.
Memory resultOf(const std::string &prefix, const std::vector<std::shared_ptr<HostArray>> &inputs, double &time) {
  const std::string image = readText(prefix + ".fatbin"), text = readText(prefix + ".json");
  const Manifest manifest = idc::runtime::parseManifest(text);
  idc_module *module = nullptr;
  check(idc_module_load(image.data(), image.size(), text.data(), text.size(), &module));
  std::vector<Memory> memory;
  std::vector<const void *> in;
  std::vector<void *> out;
  for (const auto &input : inputs) {
    memory.push_back(allocate(input->bytes));
    CHECK_CUDA(cudaMemcpy(memory.back().get(), input->data, size_t(input->bytes), cudaMemcpyHostToDevice));
    in.push_back(memory.back().get());
  }
  Memory first;
  for (const Operand &output : manifest.outputs) {
    memory.push_back(allocate(output.bytesPerProblem()));
    out.push_back(memory.back().get());
    if (!first)
      first = memory.back();
  }
  int64_t bytes = 0;
  check(idc_workspace_size(module, 1, &bytes));
  const Memory workspace = allocate(bytes);
  for (int run = 0; run < 2; ++run)
    time = seconds([&] {
      check(idc_launch(module, 1, in.data(), nullptr, out.data(), workspace.get(), nullptr));
      CHECK_CUDA(cudaDeviceSynchronize());
    });
  idc_module_unload(module);
  return first;
}

/// Notes when each pass of a launch ended.
struct PassClock {
  explicit PassClock(const Manifest &manifest) {
    for (const idc::runtime::Pass &pass : manifest.passes)
      ends.push_back((ends.empty() ? 0 : ends.back()) + pass.kernels.devices);
  }
  void start() {
    times.clear();
    begin = std::chrono::steady_clock::now();
  }
  static int progress(int64_t done, int64_t, void *user) {
    auto &clock = *static_cast<PassClock *>(user);
    const auto now = std::chrono::steady_clock::now();
    if (clock.times.size() < clock.ends.size() && done == clock.ends[clock.times.size()]) {
      clock.times.push_back(std::chrono::duration<double>(now - clock.begin).count());
      clock.begin = now;
    }
    return 0;
  }
  std::vector<int64_t> ends;
  std::vector<double> times;
  std::chrono::steady_clock::time_point begin;
};

/// How long the CPU takes for all of a program.
void runOnCpu(const std::string &name, const std::string &json, CpuFunctions &functions, int runs) {
  const Manifest manifest = idc::runtime::parseManifest(json);
  idc_module *module = nullptr;
  check(idc_cpu_module_create(json.data(), json.size(), CpuFunctions::find, &functions, &module));
  std::vector<std::unique_ptr<HostArray>> arrays;
  auto add = [&](int64_t bytes, bool isInput) -> char * {
    arrays.push_back(std::make_unique<HostArray>(std::max<int64_t>(bytes, 16), isInput, uint32_t(arrays.size() + 1)));
    return arrays.back()->data;
  };
  std::vector<const void *> in;
  std::vector<void *> out;
  for (const Operand &input : manifest.inputs)
    in.push_back(add(input.bytesPerProblem(), true));
  for (const Operand &output : manifest.outputs)
    out.push_back(add(output.bytesPerProblem(), false));
  void *workspace = add(manifest.workspaceBytes(1), false);
  std::vector<double> times;
  for (int run = 0; run <= runs; ++run)
    times.push_back(seconds([&] { check(idc_launch(module, 1, in.data(), nullptr, out.data(), workspace, nullptr)); }));
  times.erase(times.begin());
  std::printf("%-26s %zu kernels on the CPU  %8.4f s\n", name.c_str(), manifest.kernels.size(), median(times));
  std::fflush(stdout);
  idc_module_unload(module);
}

int runCase(const std::string &text, int runs) {
  const std::vector<std::string> words = split(text, ':');
  if (words.size() < 2)
    throw std::runtime_error("'" + text + "' is no case");
  const std::string json = readText(words[1] + ".json");
  const Manifest manifest = idc::runtime::parseManifest(json);
  std::unique_ptr<CpuFunctions> functions;
  if (const std::string path = words[1] + ".so"; access(path.c_str(), F_OK) == 0)
    functions = std::make_unique<CpuFunctions>(path);
  if (manifest.isCpu()) {
    if (!functions)
      throw std::runtime_error("there is no " + words[1] + ".so");
    runOnCpu(words[0], json, *functions, runs);
    return 0;
  }
  const std::string image = readText(words[1] + ".fatbin");
  std::vector<idc_module *> modules(size_t(gpus), nullptr);
  for (int gpu = gpus; gpu-- > 0;) {
    CHECK_CUDA(cudaSetDevice(gpu));
    CHECK_CUDA(cudaFree(nullptr));
    check(idc_host_module_load(image.data(), image.size(), json.data(), json.size(),
                               functions ? CpuFunctions::find : nullptr, functions.get(), &modules[size_t(gpu)]));
  }
  idc_module *module = modules[0];
  std::vector<std::shared_ptr<HostArray>> inputs, outputs;
  std::vector<const void *> in;
  std::vector<void *> out;
  for (const Operand &input : manifest.inputs) {
    inputs.push_back(std::make_shared<HostArray>(input.bytesPerProblem(), true, uint32_t(inputs.size() + 1),
                                                 input.name == "b" ? 4.0f : 0.0f));
    in.push_back(inputs.back()->data);
  }
  for (const Operand &output : manifest.outputs) {
    outputs.push_back(isInPlace && !output.inPlace.empty()
                          ? inputs[size_t(output.inPlace.front())]
                          : std::make_shared<HostArray>(output.bytesPerProblem(), false));
    out.push_back(outputs.back()->data);
  }
  int64_t hostBytes = 0, deviceBytes = 0;
  check(idc_workspace_size(module, 1, &hostBytes));
  check(idc_host_memory_size(module, &deviceBytes));
  auto between = std::make_unique<HostArray>(std::max<int64_t>(hostBytes, 16), false);
  const double rate = linkBothWays();
  double time = 0, inCore = 0;
  Memory expected; // of a launch in place
  PassClock clock(manifest);
  {
    std::vector<Memory> memory;
    std::vector<idc_host_call> calls;
    for (int gpu = 0; gpu < gpus; ++gpu) {
      CHECK_CUDA(cudaSetDevice(gpu));
      memory.push_back(allocate(deviceBytes));
      calls.push_back({in.data(), nullptr, out.data(), between->data, memory.back().get(), deviceBytes,
                       PassClock::progress, &clock});
    }
    CHECK_CUDA(cudaSetDevice(0));
    std::vector<double> times;
    for (int run = 0; run <= runs; ++run)
      times.push_back(seconds([&] {
        clock.start();
        check(idc_host_launch_on(gpus, modules.data(), 1, calls.data(), nullptr));
      }));
    times.erase(times.begin());
    time = median(times);
    if (isInPlace && words.size() > 2) { // once more, of what was overwritten
      for (const auto &input : inputs)
        input->fill();
      expected = resultOf(words[2], inputs, inCore);
      check(idc_host_launch_on(gpus, modules.data(), 1, calls.data(), nullptr));
    }
  }
  const double least = leastSeconds(manifest, rate);
  std::printf("%-26s %zu passes, %5.2f GiB of the GPU  %8.4f s  %.3f of the link (%.1f GB/s each way)",
              words[0].c_str(), manifest.passes.size(), double(deviceBytes) * 0x1p-30, time, least / time, rate * 1e-9);
  for (size_t k = 0; k < clock.times.size(); ++k)
    std::printf("%s%.3f", k ? " + " : "  passes ", clock.times[k]);
  std::fflush(stdout);
  int wrong = 0;
  auto compare = [&](const Memory &expected) {
    if (!expected) {
      std::printf("  not compared");
      return;
    }
    const Difference difference = differenceOf(*outputs[0], expected.get(), outputs[0]->bytes);
    wrong = !(difference.relative < 1e-5);
    std::printf("  error %.1e%s%s", difference.relative, difference.sameBits ? " (same bits)" : "",
                wrong ? " WRONG" : "");
  };
  if (expected) {
    compare(expected);
    std::printf("  all on the GPU %.4f s", inCore);
  } else if (words.size() > 2 && std::isdigit(words[2][0])) {
    std::vector<int64_t> sides;
    for (const std::string &side : split(words[2], 'x'))
      sides.push_back(std::atoll(side.c_str()));
    compare(cufftOf(*inputs[0], sides));
    if (between->bytes < inputs[0]->bytes)
      between = std::make_unique<HostArray>(inputs[0]->bytes, false);
    ChunkedCufft peer(sides, manifest.memoryBytes);
    std::vector<double> times;
    for (int run = 0; run <= runs; ++run)
      times.push_back(seconds([&] { peer.run(in[0], out[0], between->data); }));
    times.erase(times.begin());
    std::printf("  cuFFT by hand %8.4f s, x%.2f", median(times), median(times) / time);
    compare(cufftOf(*inputs[0], sides));
  } else if (words.size() > 2) {
    compare(resultOf(words[2], inputs, inCore));
    std::printf("  all on the GPU %.4f s", inCore);
  }
  std::printf("\n");
  std::fflush(stdout);
  for (idc_module *each : modules)
    idc_module_unload(each);
  return wrong;
}

} // namespace

int main(int argc, char **argv) {
  int runs = 3, wrong = 0;
  try {
    for (int i = 1; i < argc; ++i) {
      if (!std::strcmp(argv[i], "--runs") && i + 1 < argc)
        runs = std::max(1, std::atoi(argv[++i]));
      else if (!std::strcmp(argv[i], "--gpus") && i + 1 < argc)
        gpus = std::max(1, std::atoi(argv[++i]));
      else if (!std::strcmp(argv[i], "--pageable"))
        isPageLocked = false;
      else if (!std::strcmp(argv[i], "--slow-link"))
        slowDown();
      else if (!std::strcmp(argv[i], "--in-place"))
        isInPlace = true;
      else
        wrong += runCase(argv[i], runs);
    }
  } catch (const std::exception &error) {
    std::fprintf(stderr, "gpu-host-memory: %s\n", error.what());
    return 2;
  }
  return wrong ? 1 : 0;
}
