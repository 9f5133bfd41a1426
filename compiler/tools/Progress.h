// How far a long command is, on a terminal.
#pragma once

#include "llvm/Support/raw_ostream.h"

#include <mutex>

namespace idc::tools {

/// Counts what is done of `total` pieces of work: "[3/28] n = 5", each in the place of the one before. Says nothing
/// when standard error is no terminal. Threads may share it.
class Progress {
public:
  explicit Progress(size_t total) : total(total) {}

  void finished(const llvm::Twine &piece) {
    std::lock_guard<std::mutex> lock(mutex);
    ++done;
    if (llvm::errs().is_displayed())
      llvm::errs() << "\r\033[K[" << done << "/" << total << "] " << piece << (done == total ? "\n" : "");
  }

private:
  size_t total, done = 0;
  std::mutex mutex;
};

} // namespace idc::tools
