//===- Memory.h - where a module's operands live ----------------*- C++ -*-===//
//
// One interface to device memory (for GPU modules) and host memory (for CPU modules), so that running, checking and
// measuring are written once.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_HOST_MEMORY_H
#define IDC_HOST_MEMORY_H

#include "idc/runtime.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace idc::host {

/// Throws Error with the runtime's message and detail unless `status` is success.
void check(idc_status status);

/// All functions throw Error on failure. Work is enqueued in order on stream().
class Memory {
public:
  virtual ~Memory() = default;

  /// Device memory for GPU modules, host memory for CPU modules.
  static std::unique_ptr<Memory> forModule(const idc_module *module);
  /// Host memory, of which `processor` takes and to which it returns its operands.
  static std::unique_ptr<Memory> onHost(std::string processor);

  /// Memory that is freed with the pointer; aligned to 256 bytes; null for 0 bytes.
  using Buffer = std::unique_ptr<char, std::function<void(char *)>>;
  virtual Buffer allocate(int64_t bytes) = 0;
  virtual void upload(char *to, const char *host, int64_t bytes) = 0;
  virtual void download(char *host, const char *from, int64_t bytes) = 0;
  virtual void copy(char *to, const char *from, int64_t bytes) = 0;
  virtual void synchronize() = 0;
  /// 16-byte words that differ between two stretches of `bytes` bytes, a multiple of 16.
  virtual int64_t differences(const char *first, const char *second, int64_t bytes) = 0;

  /// Seconds that the work enqueued by `enqueue` takes.
  virtual double measure(const std::function<void()> &enqueue) = 0;

  /// Does what `enqueue` enqueues whenever it is called, on a GPU as one graph. `enqueue` must outlive it.
  virtual std::function<void()> record(const std::function<void()> &enqueue) = 0;

  /// What to pass to idc_launch().
  virtual void *stream() const = 0;
  /// Size of the last-level cache.
  virtual int64_t cacheBytes() const = 0;
  /// Launches to measure together, so that the clock's own cost and resolution do not show.
  virtual int launchesPerMeasurement() const = 0;
  /// The processor's name for reports.
  virtual std::string processor() const = 0;
};

} // namespace idc::host

#endif // IDC_HOST_MEMORY_H
