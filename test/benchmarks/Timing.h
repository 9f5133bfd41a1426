// Times of operations on the GPU that alternate in one process.
#pragma once
#include "Cuda.h"
#include <functional>
#include <vector>

namespace gpucheck {

/// Something to measure: `run` enqueues it, `prepare`, which may be absent, what has to be done before and is not
/// timed.
struct Operation {
  std::function<void()> run, prepare;
};

/// Milliseconds of one operation over all rounds.
struct Times {
  double median = 0, least = 0, most = 0;
};

/// Runs the operations in turn, beginning each round with another one, and returns the times of each. Each is timed
/// between two events; all are queued before the first result is read, so that the GPU never waits for the host.
std::vector<Times> measure(const std::vector<Operation> &operations, cudaStream_t stream, size_t rounds = 9);

/// Brings the clocks up: copies for a third of a second.
void warmUp(cudaStream_t stream);

/// Executions of an operation recorded in a graph, one after another.
class Graph {
public:
  /// record(i) enqueues execution i.
  Graph(const std::function<void(int)> &record, int executions, cudaStream_t stream);
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  void launch(cudaStream_t stream) const;

private:
  cudaGraphExec_t graph = nullptr;
};

/// Reads memory larger than the second-level cache: what it held before is written back and gone.
class CacheFlush {
public:
  explicit CacheFlush(cudaStream_t stream);
  void run(cudaStream_t stream) const;

private:
  Buffer memory, result;
};

} // namespace gpucheck
