// Ends the process when a step takes too long: a kernel that never finishes cannot be stopped otherwise.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>

namespace gpucheck {

class Watchdog {
public:
  explicit Watchdog(std::chrono::seconds limit) : limit(limit), thread([this] { watch(); }) {}
  ~Watchdog() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      finished = true;
    }
    changed.notify_one();
    thread.join();
  }

  /// Starts the time anew. When the limit passes before the next call, `late` runs on the watchdog's thread and the
  /// process ends with `status`.
  void restart(std::function<void()> late, int status) {
    std::lock_guard<std::mutex> lock(mutex);
    deadline = std::chrono::steady_clock::now() + limit;
    action = std::move(late);
    exitStatus = status;
    changed.notify_one();
  }

private:
  void watch() {
    std::unique_lock<std::mutex> lock(mutex);
    while (!finished) {
      if (!action) {
        changed.wait(lock);
      } else if (changed.wait_until(lock, deadline) == std::cv_status::timeout && !finished &&
                 std::chrono::steady_clock::now() >= deadline) {
        action();
        std::_Exit(exitStatus);
      }
    }
  }

  const std::chrono::seconds limit;
  std::mutex mutex;
  std::condition_variable changed;
  std::chrono::steady_clock::time_point deadline;
  std::function<void()> action;
  int exitStatus = 1;
  bool finished = false;
  std::thread thread; // last: it uses the members above
};

} // namespace gpucheck
