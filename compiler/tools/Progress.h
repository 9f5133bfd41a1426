// How far a long command is, on a terminal.
#pragma once

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <mutex>

namespace idc::tools {

/// Counts what is done of `total` pieces of work, how many a second, and the time that the others will take at that
/// rate: "[3/28] 1.5/s, 17 s left: n = 5", each in the place of the one before. Says nothing when standard error is no
/// terminal. Threads may share it.
class Progress {
public:
  explicit Progress(size_t total) : total(total) {}

  void finished(const llvm::Twine &piece) {
    std::lock_guard<std::mutex> lock(mutex);
    ++done;
    if (!llvm::errs().is_displayed())
      return;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    const double rate = static_cast<double>(done) / std::max(taken.count(), 1e-3);
    llvm::errs() << "\r\033[K["
                 << llvm::formatv("{0}/{1}] {2:f1}/s, {3:f0} s left: ", done, total, rate,
                                  static_cast<double>(total - done) / rate)
                 << piece << (done == total ? "\n" : "");
  }

private:
  const std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  size_t total, done = 0;
  std::mutex mutex;
};

} // namespace idc::tools
