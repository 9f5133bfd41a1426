//===- Memory.cpp - where a module's operands live ------------------------===//

#include "host/Memory.h"
#include "host/DeviceCompare.h"
#include "host/Error.h"
#include "idc/host_memory.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <unistd.h>

namespace idc::host {

void check(idc_status status) {
  if (status == IDC_SUCCESS)
    return;
  std::string message = idc_error_message(status), detail = idc_last_error();
  if (detail.compare(0, message.size(), message) == 0)
    throw Error(detail); // it says the same, and more
  throw Error(message + (detail.empty() ? "" : ": " + detail));
}

namespace {

std::string deviceName() {
  char name[256] = "";
  check(idc_device_name(name, sizeof name));
  return name;
}

class DeviceMemory final : public Memory {
public:
  DeviceMemory() {
    check(idc_stream_create(&queue));
    try {
      check(idc_event_create(&begin));
      check(idc_event_create(&end));
    } catch (...) {
      destroy();
      throw;
    }
  }
  ~DeviceMemory() override { destroy(); }

  Buffer allocate(int64_t bytes) override {
    void *pointer = nullptr;
    if (bytes)
      check(idc_device_alloc(size_t(bytes), &pointer));
    return Buffer(static_cast<char *>(pointer), [](char *p) { idc_device_free(p); });
  }
  void upload(char *to, const char *host, int64_t bytes) override {
    check(idc_device_upload(to, host, size_t(bytes), queue));
  }
  void download(char *host, const char *from, int64_t bytes) override {
    check(idc_device_download(host, from, size_t(bytes), queue));
  }
  void copy(char *to, const char *from, int64_t bytes) override {
    check(idc_device_copy(to, from, size_t(bytes), queue));
  }
  void synchronize() override { check(idc_stream_synchronize(queue)); }
  int64_t differences(const char *first, const char *second, int64_t bytes) override {
    if (!compare)
      compare = std::make_unique<DeviceCompare>(*this);
    return compare->differences(first, second, bytes);
  }
  double measure(const std::function<void()> &enqueue) override {
    double seconds = 0;
    check(idc_event_record(begin, queue));
    enqueue();
    check(idc_event_record(end, queue));
    check(idc_event_seconds(begin, end, &seconds));
    return seconds;
  }
  std::function<void()> record(const std::function<void()> &enqueue) override {
    check(idc_graph_begin(queue));
    enqueue();
    void *recorded = nullptr;
    check(idc_graph_end(queue, &recorded));
    std::shared_ptr<void> graph(recorded, idc_graph_destroy);
    return [this, graph] { check(idc_graph_launch(graph.get(), queue)); };
  }
  void *stream() const override { return queue; }
  int64_t cacheBytes() const override {
    int64_t bytes = 0;
    check(idc_device_l2_bytes(&bytes));
    return bytes;
  }
  int launchesPerMeasurement() const override { return 8; }
  std::string processor() const override { return deviceName(); }

private:
  void destroy() {
    compare.reset();
    idc_event_destroy(end);
    idc_event_destroy(begin);
    idc_stream_destroy(queue);
  }

  std::unique_ptr<DeviceCompare> compare; // when first used
  void *queue = nullptr, *begin = nullptr, *end = nullptr;
};

class HostMemory : public Memory {
public:
  Buffer allocate(int64_t bytes) override {
    constexpr size_t alignment = 256;
    void *pointer = nullptr;
    if (bytes && posix_memalign(&pointer, alignment, size_t(bytes)) != 0)
      throw Error("out of memory: " + std::to_string(bytes) + " bytes of host memory");
    return Buffer(static_cast<char *>(pointer), [](char *p) { std::free(p); });
  }
  void upload(char *to, const char *host, int64_t bytes) override { std::memcpy(to, host, size_t(bytes)); }
  void download(char *host, const char *from, int64_t bytes) override { std::memcpy(host, from, size_t(bytes)); }
  void copy(char *to, const char *from, int64_t bytes) override { std::memcpy(to, from, size_t(bytes)); }
  void synchronize() override {}
  int64_t differences(const char *first, const char *second, int64_t bytes) override {
    int64_t count = 0;
    for (int64_t i = 0; i < bytes; i += 16)
      count += std::memcmp(first + i, second + i, 16) != 0;
    return count;
  }
  double measure(const std::function<void()> &enqueue) override {
    auto start = std::chrono::steady_clock::now();
    enqueue();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  std::function<void()> record(const std::function<void()> &enqueue) override {
    return [&enqueue] { enqueue(); };
  }
  void *stream() const override { return nullptr; }
  int64_t cacheBytes() const override {
    long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
    constexpr long usual = 32l << 20, largest = 256l << 20;
    return bytes > 0 ? std::min(bytes, largest) : usual;
  }
  int launchesPerMeasurement() const override { return 1; }
  std::string processor() const override {
    return "the CPU (" + std::to_string(std::max(1u, std::thread::hardware_concurrency())) + " threads)";
  }
};

/// Of a module whose data pass from the host to another processor.
class SharedHostMemory final : public HostMemory {
public:
  explicit SharedHostMemory(std::string name) : name(std::move(name)) {}
  std::string processor() const override { return name; }

private:
  const std::string name;
};

} // namespace

std::unique_ptr<Memory> Memory::forModule(const idc_module *module) {
  if (idc_module_is_cpu(module))
    return std::make_unique<HostMemory>();
  if (idc_module_is_host(module))
    return onHost(deviceName() + ", data in the host's memory");
  return std::make_unique<DeviceMemory>();
}

std::unique_ptr<Memory> Memory::onHost(std::string processor) {
  return std::make_unique<SharedHostMemory>(std::move(processor));
}

} // namespace idc::host
