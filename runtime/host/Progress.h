//===- Progress.h - how far a long command is -------------------*- C++ -*-===//

#ifndef IDC_HOST_PROGRESS_H
#define IDC_HOST_PROGRESS_H

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string_view>

namespace idc::host {

/// Counts what is done of `total` pieces of work: how many, how many a second, and the time that the others will take
/// at that rate, as "[3/28] 1.5/s, 17 s left: n = 5". The line stands on standard error, in the place of the one
/// before, when that is a terminal and the work takes longer than `quiet`; else nothing is said. Threads may share it.
class Progress {
public:
  using Clock = std::chrono::steady_clock;

  explicit Progress(size_t total, Clock::duration quiet = std::chrono::seconds(2));
  /// Takes the line away.
  ~Progress();
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// One more is done; `piece` names it. The last one takes the line away.
  void finished(std::string_view piece);
  /// Takes the line away, for something else to be printed.
  void clear();

private:
  const bool shows; // there is somebody to read it
  const Clock::time_point begin;
  Clock::time_point next; // no line before
  size_t total, done = 0;
  bool stands = false; // a line
  std::mutex mutex;

  void erase();
};

} // namespace idc::host

#endif // IDC_HOST_PROGRESS_H
