// The link between a GPU and the host's memory: what a machine file says of it (hostLink).
//
// usage: gpu-link [PREFIX]
// Prints an object as compiler/passes/targets/*.json have it, which is also a file for idc's --host-link. With a
// program for the CPU (PREFIX.so and PREFIX.json of `idc compile --target cpu --emit=object,manifest`; a transform of
// 2^28 for one) it also has what kernels of the host's cores and copies do. Rates are those of page-locked memory, of
// copies one way and of both ways at the same time. What short rows cost is measured as they are copied in a pass:
// chunks come in, two kernels that stream read and write them, and they go out, on three streams; rows are short on one
// side, and the mean of both sides is taken. Arrays have 16 GiB: of smaller ones the GPU's cache keeps all page tables,
// and short rows cost less. What kernels reach of the same arrays is measured by one that moves rows between places far
// apart.
#include "Cuda.h"
#include "Timing.h"
#include "host/CpuFunctions.h"
#include "idc/runtime.h"
#include "runtime/lib/Manifest.h"
#include "runtime/lib/WholeFile.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using namespace gpucheck;

namespace {

constexpr size_t chunks = 32, chunkBytes = 512 * MiB, bytes = chunks * chunkBytes, slots = 3;

__global__ void streamThrough(const float4 *from, float4 *to, size_t count) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
    __stcs(to + i, __ldcs(from + i));
}

/// Moves elements, all of the device's memory one after another, those of the host's row by row, each `rows` behind the
/// one before.
template <bool fromHost, bool toHost>
__global__ void moveRows(const float4 *from, float4 *to, size_t count, size_t row, size_t rows, size_t onDevice) {
  const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x, number = i / row,
               place = (number % rows * (count / row / rows) + number / rows) * row + i % row;
  to[toHost ? place : i % onDevice] = from[fromHost ? place : i % onDevice];
}

struct HostMemory {
  HostMemory() { CHECK_CUDA(cudaMallocHost(&data, bytes)); }
  ~HostMemory() { cudaFreeHost(data); }
  HostMemory(const HostMemory &) = delete;
  char *data = nullptr;
};

struct Stream {
  Stream() { CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(stream); }
  Stream(const Stream &) = delete;
  operator cudaStream_t() const { return stream; }
  cudaStream_t stream = nullptr;
};

/// A stream goes on when what another one has been given so far is done.
void wait(cudaStream_t stream, cudaStream_t other) {
  cudaEvent_t event = nullptr;
  CHECK_CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  CHECK_CUDA(cudaEventRecord(event, other));
  CHECK_CUDA(cudaStreamWaitEvent(stream, event, 0));
  CHECK_CUDA(cudaEventDestroy(event)); // the driver keeps it until then
}

class Link {
public:
  double secondsIn() {
    return seconds([&] { copyIn(chunkBytes); });
  }
  double secondsOut() {
    return seconds([&] { copyOut(chunkBytes); });
  }
  double secondsBothWays() {
    return seconds([&] {
      copyIn(chunkBytes);
      copyOut(chunkBytes);
    });
  }
  /// Of a pass whose chunks have rows of so many bytes in the host's memory on each side.
  double secondsOfPass(size_t rowIn, size_t rowOut) {
    return seconds([&] {
      for (size_t chunk = 0; chunk < chunks; ++chunk) {
        char *slot = device.as<char>() + chunk % slots * chunkBytes;
        if (chunk >= slots)
          wait(in, done[chunk % slots]);
        copy(slot, x.data + chunk * rowIn, rowIn, cudaMemcpyHostToDevice, in);
        wait(kernels, in);
        auto *values = reinterpret_cast<float4 *>(slot);
        constexpr size_t count = chunkBytes / sizeof(float4);
        streamThrough<<<1056, 512, 0, kernels>>>(values, between.as<float4>(), count);
        streamThrough<<<1056, 512, 0, kernels>>>(between.as<float4>(), values, count);
        wait(out, kernels);
        copy(y.data + chunk * rowOut, slot, rowOut, cudaMemcpyDeviceToHost, out);
        wait(done[chunk % slots], out);
      }
    });
  }
  /// Of a kernel that moves rows of so many bytes from the host, to it, or both.
  template <bool fromHost, bool toHost> double secondsOfReaching(size_t row) {
    return seconds([&] {
      constexpr size_t threads = 256, rows = 1024, count = bytes / sizeof(float4);
      const char *from = fromHost ? x.data : device.as<char>();
      char *to = toHost ? y.data : device.as<char>() + chunkBytes;
      moveRows<fromHost, toHost><<<count / threads, threads, 0, kernels>>>(
          reinterpret_cast<const float4 *>(from), reinterpret_cast<float4 *>(to), count, row / sizeof(float4), rows,
          chunkBytes / sizeof(float4));
    });
  }
  /// Bytes per second of the host's memory when copies both ways and all cores, which copy as well, share it.
  double memoryRate() {
    const unsigned threads = std::max(1u, std::thread::hardware_concurrency());
    std::atomic<bool> isOver{false};
    std::atomic<size_t> moved{0};
    std::vector<std::thread> all;
    for (unsigned i = 0; i < threads; ++i)
      all.emplace_back([&, i] {
        const size_t own = bytes / threads, piece = 4 * MiB;
        for (size_t at = 0; !isOver; at = at + 2 * piece <= own ? at + piece : 0) {
          std::memcpy(y.data + i * own + at, x.data + i * own + at, piece);
          moved += 2 * piece; // read and written
        }
      });
    const auto now = [] { return std::chrono::steady_clock::now(); };
    const auto begin = now();
    const size_t before = moved;
    copyIn(chunkBytes);
    copyOut(chunkBytes);
    CHECK_CUDA(cudaStreamSynchronize(in));
    CHECK_CUDA(cudaStreamSynchronize(out));
    const double time = std::chrono::duration<double>(now() - begin).count();
    const size_t during = moved - before;
    isOver = true;
    for (std::thread &thread : all)
      thread.join();
    return double(2 * bytes + during) / time;
  }
  /// Seconds that a copy takes beside its bytes.
  double secondsOfCopy() {
    constexpr size_t small = 4096, count = 4096;
    auto copies = [&](size_t each) {
      return seconds([&, each] {
        for (size_t i = 0; i < count; ++i)
          CHECK_CUDA(cudaMemcpyAsync(device.as<char>(), x.data + i * 2 * small, each, cudaMemcpyHostToDevice, in));
      });
    };
    return (2 * copies(small) - copies(2 * small)) / double(count);
  }

private:
  /// Of what `enqueue` puts on the three streams.
  double seconds(const std::function<void()> &enqueue) {
    const Operation operation{[&] {
                                for (cudaStream_t stream : {in.stream, kernels.stream, out.stream})
                                  wait(stream, main);
                                enqueue();
                                for (cudaStream_t stream : {in.stream, kernels.stream, out.stream})
                                  wait(main, stream);
                              },
                              {}};
    return measure({operation}, main, 3)[0].median * 1e-3;
  }
  void copyIn(size_t piece) {
    for (size_t at = 0; at < bytes; at += piece)
      CHECK_CUDA(cudaMemcpyAsync(device.as<char>(), x.data + at, piece, cudaMemcpyHostToDevice, in));
  }
  void copyOut(size_t piece) {
    for (size_t at = 0; at < bytes; at += piece)
      CHECK_CUDA(cudaMemcpyAsync(y.data + at, device.as<char>() + chunkBytes, piece, cudaMemcpyDeviceToHost, out));
  }
  /// A chunk of rows, which lie one after another on the device, and as many chunks apart in the host's memory.
  static void copy(char *to, const char *from, size_t row, cudaMemcpyKind way, cudaStream_t stream) {
    const size_t apart = row * chunks;
    CHECK_CUDA(cudaMemcpy2DAsync(to, way == cudaMemcpyHostToDevice ? row : apart, from,
                                 way == cudaMemcpyHostToDevice ? apart : row, row, chunkBytes / row, way, stream));
  }

  HostMemory x, y;
  Buffer device{slots * chunkBytes}, between{chunkBytes};
  Stream main, in, kernels, out;
  Stream done[slots]; // each stands for the copy of what its slot held
};

void check(idc_status status) {
  if (status)
    throw std::runtime_error(idc_last_error());
}

/// Bytes per second that the kernels of a program read and write on all cores.
double cpuRate(const std::string &prefix) {
  const std::string text = idc::runtime::readFile(prefix + ".json", int64_t(1) << 30);
  const idc::runtime::Manifest manifest = idc::runtime::parseManifest(text);
  idc::host::CpuFunctions functions(prefix + ".so");
  idc_module *module = nullptr;
  check(idc_cpu_module_create(text.data(), text.size(), idc::host::CpuFunctions::find, &functions, &module));
  std::vector<std::vector<float>> arrays;
  auto add = [&](int64_t size) {
    arrays.emplace_back(size_t(size / 4 + 64), 1.0f);
    const auto address = reinterpret_cast<uintptr_t>(arrays.back().data());
    return reinterpret_cast<void *>((address + 63) / 64 * 64);
  };
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  int64_t moved = 0; // by one kernel
  for (const idc::runtime::Operand &input : manifest.inputs) {
    inputs.push_back(add(input.bytesPerProblem()));
    moved += input.bytesPerProblem();
  }
  for (const idc::runtime::Operand &output : manifest.outputs) {
    outputs.push_back(add(output.bytesPerProblem()));
    moved += output.bytesPerProblem();
  }
  void *workspace = add(manifest.workspaceBytes(1));
  double best = 0;
  for (int run = 0; run < 4; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    check(idc_launch(module, 1, inputs.data(), nullptr, outputs.data(), workspace, nullptr));
    const double time = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    best = std::max(best, double(moved) * double(manifest.kernels.size()) / time);
  }
  idc_module_unload(module);
  return best;
}

} // namespace

int main(int argc, char **argv) {
  try {
    const double ofCpu = argc > 1 ? cpuRate(argv[1]) : 0;
    Link link;
    link.secondsOfPass(MiB, MiB); // the first one is slower
    const double oneWay = 2 * double(bytes) / (link.secondsIn() + link.secondsOut()),
                 bothWays = double(bytes) / link.secondsBothWays(), longRows = link.secondsOfPass(MiB, MiB);
    std::printf("{\"hostLink\": {\"bytesPerSecond\": %.3g, \"bytesPerSecondBothWays\": %.3g, \"copySeconds\": %.2g,\n",
                oneWay, bothWays, link.secondsOfCopy());
    if (argc > 1)
      std::printf("              \"cpuBytesPerSecond\": %.3g, \"memoryBytesPerSecond\": %.3g,\n", ofCpu,
                  link.memoryRate());
    std::printf("              \"runCost\": [");
    // The side with short rows is the longer one, and the other costs what both ways at the same time cost.
    const char *separator = "";
    for (size_t row : {64, 256, 2048, 4096, 8192, 16384, 32768, 65536, 131072}) {
      const double pass = (link.secondsOfPass(row, MiB) + link.secondsOfPass(MiB, row)) / 2;
      std::printf("%s[%zu, %.2f]", separator, row, 1 + (pass - longRows) * oneWay / double(bytes));
      separator = ", ";
    }
    const size_t longRow = MiB;
    const double reachedIn = link.secondsOfReaching<true, false>(longRow),
                 reachedOut = link.secondsOfReaching<false, true>(longRow),
                 reached = double(bytes) / link.secondsOfReaching<true, true>(longRow);
    std::printf("],\n              \"reachedShare\": %.2f, \"reachedShareBothWays\": %.2f,\n"
                "              \"reachedRunCost\": [",
                2 * double(bytes) / (reachedIn + reachedOut) / oneWay, reached / bothWays);
    separator = "";
    for (size_t row : {32, 64, 128, 4096}) {
      const double moved = link.secondsOfReaching<true, false>(row) + link.secondsOfReaching<false, true>(row);
      std::printf("%s[%zu, %.2f]", separator, row, std::max(1.0, moved / (reachedIn + reachedOut)));
      separator = ", ";
    }
    std::printf("]}}\n");
  } catch (const std::exception &error) {
    std::fprintf(stderr, "gpu-link: %s\n", error.what());
    return 2;
  }
  return 0;
}
