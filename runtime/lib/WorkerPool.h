//===- WorkerPool.h - threads that share a loop -----------------*- C++ -*-===//

#ifndef IDC_RUNTIME_LIB_WORKERPOOL_H
#define IDC_RUNTIME_LIB_WORKERPOOL_H

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace idc::runtime {

/// Worker threads that wait for loops to share with a caller, awake for some microseconds after each, since loops often
/// follow each other. In a child process after fork(), which has no workers,
/// callers do everything themselves.
class WorkerPool {
public:
  /// The pool that all CPU modules share: one worker fewer than the machine has hardware threads. It lives as long as
  /// somebody has it.
  static std::shared_ptr<WorkerPool> shared();

  /// Starts `workers` threads, or as many as the system grants.
  explicit WorkerPool(unsigned workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool &) = delete;
  WorkerPool &operator=(const WorkerPool &) = delete;

  /// The workers and the caller.
  unsigned threads() const { return unsigned(workers.size()) + 1; }

  /// Calls body(i, member) once for each i in 0 .. count - 1, on at most `most` threads, the calling one among them,
  /// and returns when all calls have returned. Threads have different members, 0 .. most - 1. When the workers are busy
  /// with another caller's loop, this thread does everything itself. Allocates nothing.
  template <typename Body> void forEach(int64_t count, unsigned most, const Body &body) {
    Loop loop{[](const void *context, int64_t i, unsigned member) { (*static_cast<const Body *>(context))(i, member); },
              &body,
              count,
              most,
              {0}};
    share(loop);
  }

private:
  struct Loop {
    void (*call)(const void *context, int64_t i, unsigned member);
    const void *context;
    int64_t count;
    unsigned most;
    std::atomic<int64_t> next;

    void work(unsigned member);
  };
  void share(Loop &loop);
  void serve();

  bool hasWorkers() const;

  std::vector<std::thread> workers;
  const int process; ///< that started the workers
  std::atomic<bool> busy{false};
  // Written under the mutex, which those that sleep need; others look at the atomic ones for a while first.
  std::mutex mutex;
  std::condition_variable wake, finished;
  std::atomic<uint64_t> round{0};  ///< counts loops, so that a worker joins each once
  std::atomic<unsigned> active{0}; ///< workers in the current loop
  std::atomic<bool> stopping{false};
  Loop *current = nullptr; ///< that workers may still join
  unsigned members = 0;    ///< that have joined it, the caller included
};

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_WORKERPOOL_H
