//===- CpuChunks.h - the CPU's share of passes ------------------*- C++ -*-===//
//
// Of the chunks of a pass over data in host memory the CPU may take a part, on the arrays as they are, while devices
// work on the others.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_RUNTIME_LIB_CPUCHUNKS_H
#define IDC_RUNTIME_LIB_CPUCHUNKS_H

#include "CpuModule.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace idc::runtime {

/// The functions for the CPU of a host program's passes.
class CpuChunks {
public:
  /// Null, without an error, for a manifest whose passes leave nothing to the CPU.
  static idc_status create(const Manifest &manifest, idc_cpu_lookup lookup, void *user,
                           std::unique_ptr<CpuChunks> &chunks);

  /// Works on a chunk of a pass, of one problem, whose operands are whole.
  void run(size_t pass, int32_t chunk, const Operands &operands) const {
    passes[pass].module->launchPart(chunk, passes[pass].chunks, operands);
  }

private:
  struct Share {
    std::unique_ptr<CpuModule> module; // null for a pass without a share
    int32_t chunks;                    // of the pass
  };
  std::vector<Share> passes;
};

/// A thread that does pieces of work, one after another, and counts them.
class CpuWork {
public:
  /// Calls `act(0)` … `act(count - 1)`.
  CpuWork(int64_t count, std::function<void(int64_t)> act);
  /// Ends behind the piece that is worked on.
  ~CpuWork();
  CpuWork(const CpuWork &) = delete;
  CpuWork &operator=(const CpuWork &) = delete;

  /// Pieces that are finished: at once, or when they are more than these, or all.
  int64_t finished();
  int64_t finishedBeyond(int64_t pieces);

private:
  const int64_t count;
  const std::function<void(int64_t)> act;
  std::mutex mutex;
  std::condition_variable changed;
  int64_t done = 0;
  bool isStopping = false;
  std::thread thread;
};

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_CPUCHUNKS_H
