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

/// Worker threads that wait for loops to share with a caller. In a child process after fork(), which has no workers,
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

  /// Calls body(i) once for each i in 0 .. count - 1, on the workers and the calling thread, and returns when all calls
  /// have returned. When the workers are busy with another caller's loop, this thread does everything itself.
  /// Allocates nothing.
  template <typename Body> void forEach(int64_t count, const Body &body) {
    Loop loop{[](const void *context, int64_t i) { (*static_cast<const Body *>(context))(i); }, &body, count, {0}};
    share(loop);
  }

private:
  struct Loop {
    void (*call)(const void *context, int64_t i);
    const void *context;
    int64_t count;
    std::atomic<int64_t> next;

    void work();
  };
  void share(Loop &loop);
  void serve();

  bool hasWorkers() const;

  std::vector<std::thread> workers;
  const int process; ///< that started the workers
  std::atomic<bool> busy{false};
  std::mutex mutex;
  std::condition_variable wake, finished;
  // Guarded by the mutex:
  Loop *current = nullptr;
  uint64_t round = 0;     ///< counts loops, so that a worker joins each once
  unsigned remaining = 0; ///< workers that have not left the current loop
  bool stopping = false;
};

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_WORKERPOOL_H
