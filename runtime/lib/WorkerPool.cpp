//===- WorkerPool.cpp - threads that share a loop -------------------------===//

#include "WorkerPool.h"

#include <algorithm>
#include <system_error>
#include <unistd.h>

namespace idc::runtime {

/// Looks for some ten microseconds whether a condition has come true.
template <typename Condition> static bool soon(const Condition &condition) {
  constexpr int looks = 1000;
  for (int i = 0; i < looks; ++i) {
    if (condition())
      return true;
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }
  return condition();
}

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
    stopping.store(true, std::memory_order_release);
  }
  wake.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void WorkerPool::Loop::work(unsigned member) {
  for (int64_t i = next.fetch_add(1, std::memory_order_relaxed); i < count;
       i = next.fetch_add(1, std::memory_order_relaxed))
    call(context, i, member);
}

void WorkerPool::share(Loop &loop) {
  if (workers.empty() || loop.count < 2 || loop.most < 2 || !hasWorkers() ||
      busy.exchange(true, std::memory_order_acquire))
    return loop.work(0);
  {
    std::lock_guard<std::mutex> lock(mutex);
    current = &loop;
    members = 1;
    round.fetch_add(1, std::memory_order_release);
  }
  wake.notify_all();
  loop.work(0);
  {
    std::lock_guard<std::mutex> lock(mutex);
    current = nullptr; // who has not woken up by now is not waited for
  }
  auto left = [this] { return active.load(std::memory_order_acquire) == 0; };
  if (!soon(left)) {
    std::unique_lock<std::mutex> lock(mutex);
    finished.wait(lock, left);
  }
  busy.store(false, std::memory_order_release);
}

void WorkerPool::serve() {
  uint64_t seen = 0;
  auto called = [&] {
    return stopping.load(std::memory_order_acquire) || round.load(std::memory_order_acquire) != seen;
  };
  for (;;) {
    soon(called);
    std::unique_lock<std::mutex> lock(mutex);
    wake.wait(lock, called);
    if (stopping.load(std::memory_order_relaxed))
      return;
    seen = round.load(std::memory_order_relaxed);
    if (!current || members == current->most)
      continue;
    Loop &loop = *current;
    const unsigned member = members++;
    active.fetch_add(1, std::memory_order_relaxed);
    lock.unlock();
    loop.work(member);
    lock.lock();
    if (active.fetch_sub(1, std::memory_order_release) == 1)
      finished.notify_one();
  }
}

} // namespace idc::runtime
