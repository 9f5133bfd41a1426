#include "RandomData.h"
#include "Timing.h"
#include <algorithm>
#include <chrono>

namespace gpucheck {
namespace {

constexpr int warmUps = 2;
constexpr size_t flushBytes = 256 * MiB; // several times the cache of any GPU

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

/// Every thread keeps the sum of its words if it is `wanted`, so that the loads are not removed.
__global__ void readAll(const uint4 *words, size_t count, uint32_t wanted, uint32_t *result) {
  uint32_t sum = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
    sum += words[i].x + words[i].y + words[i].z + words[i].w;
  if (sum == wanted)
    *result = sum;
}

} // namespace

std::vector<Times> measure(const std::vector<Operation> &operations, cudaStream_t stream, size_t rounds) {
  const size_t count = operations.size();
  for (int i = 0; i < warmUps; i++)
    for (const Operation &operation : operations) {
      if (operation.prepare)
        operation.prepare();
      operation.run();
    }
  std::vector<Event> begin(rounds * count), end(rounds * count);
  for (size_t round = 0; round < rounds; round++) {
    for (size_t turn = 0; turn < count; turn++) {
      const size_t which = (round + turn) % count;
      if (operations[which].prepare)
        operations[which].prepare();
      CHECK_CUDA(cudaEventRecord(begin[round * count + which].get(), stream));
      operations[which].run();
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

Graph::Graph(const std::function<void(int)> &record, int executions, cudaStream_t stream) {
  cudaGraph_t recorded;
  CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  for (int i = 0; i < executions; i++)
    record(i);
  CHECK_CUDA(cudaStreamEndCapture(stream, &recorded));
  const cudaError_t status = cudaGraphInstantiate(&graph, recorded, 0);
  cudaGraphDestroy(recorded);
  CHECK_CUDA(status);
}

Graph::~Graph() { cudaGraphExecDestroy(graph); }

void Graph::launch(cudaStream_t stream) const { CHECK_CUDA(cudaGraphLaunch(graph, stream)); }

CacheFlush::CacheFlush(cudaStream_t stream) : memory(flushBytes), result(sizeof(uint32_t)) { memory.poison(stream); }

void CacheFlush::run(cudaStream_t stream) const {
  readAll<<<1024, 256, 0, stream>>>(memory.as<uint4>(), flushBytes / sizeof(uint4), 1, result.as<uint32_t>());
  CHECK_CUDA(cudaGetLastError());
}

} // namespace gpucheck
