//===- WorkerPool.cpp - threads that share a loop -------------------------===//

#include "WorkerPool.h"

#include <algorithm>
#include <system_error>
#include <unistd.h>

namespace idc::runtime {

std::shared_ptr<WorkerPool> WorkerPool::shared() {
  static std::mutex mutex;
  static std::weak_ptr<WorkerPool> known;
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<WorkerPool> pool = known.lock();
  if (!pool || !pool->hasWorkers())
    // A child process leaves a pool alone: there are no threads to join, and for ever some that wait on its conditions.
    known = pool = std::shared_ptr<WorkerPool>(new WorkerPool(std::max(1u, std::thread::hardware_concurrency()) - 1),
                                               [](WorkerPool *pool) {
                                                 if (pool->hasWorkers())
                                                   delete pool;
                                               });
  return pool;
}

WorkerPool::WorkerPool(unsigned count) : process(getpid()) {
  try {
    workers.reserve(count);
    for (unsigned i = 0; i < count; ++i)
      workers.emplace_back([this] { serve(); });
  } catch (const std::system_error &) {
    // Fewer threads only make loops slower.
  }
}

/// False in a child process, where only the thread that called fork() goes on.
bool WorkerPool::hasWorkers() const { return process == getpid(); }

WorkerPool::~WorkerPool() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void WorkerPool::Loop::work() {
  for (int64_t i = next.fetch_add(1, std::memory_order_relaxed); i < count;
       i = next.fetch_add(1, std::memory_order_relaxed))
    call(context, i);
}

void WorkerPool::share(Loop &loop) {
  if (workers.empty() || loop.count < 2 || !hasWorkers() || busy.exchange(true, std::memory_order_acquire))
    return loop.work();
  {
    std::lock_guard<std::mutex> lock(mutex);
    current = &loop;
    remaining = unsigned(workers.size());
    ++round;
  }
  wake.notify_all();
  loop.work();
  {
    std::unique_lock<std::mutex> lock(mutex);
    finished.wait(lock, [this] { return remaining == 0; });
  }
  busy.store(false, std::memory_order_release);
}

void WorkerPool::serve() {
  uint64_t seen = 0;
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    wake.wait(lock, [&] { return stopping || round != seen; });
    if (stopping)
      return;
    seen = round;
    Loop *loop = current;
    lock.unlock();
    loop->work();
    lock.lock();
    if (--remaining == 0)
      finished.notify_one();
  }
}

} // namespace idc::runtime
