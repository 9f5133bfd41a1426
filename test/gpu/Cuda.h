// Checked CUDA calls, device buffers with guard zones, and the description of the machine.
#pragma once
#include <cstddef>
#include <cuda_runtime.h>
#include <cufft.h>
#include <stdexcept>
#include <string>

namespace gpucheck {

constexpr size_t MiB = size_t(1) << 20, GiB = size_t(1) << 30;

/// A failed CUDA or cuFFT call. After most of these the process's context is lost: record the case and leave.
struct CudaError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

void check(cudaError_t status, const char *call, const char *file, int line);
void check(cufftResult status, const char *call, const char *file, int line);
#define CHECK_CUDA(call) ::gpucheck::check((call), #call, __FILE__, __LINE__)

/// Device memory of `bytes` with `guardBytes` before and after it, filled with a fixed pattern. guardBytes is a
/// multiple of 256; 0 leaves the bounds to compute-sanitizer.
class Buffer {
public:
  explicit Buffer(size_t bytes, size_t guardBytes = 0);
  ~Buffer();
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  void *data() const { return static_cast<char *>(base) + guard; }
  template <class T> T *as() const { return static_cast<T *>(data()); }
  size_t size() const { return bytes; }
  /// Sets every byte to 0xFF: NaN for f32 and f64.
  void poison(cudaStream_t stream) const;
  /// True when no byte of either guard zone changed. Waits for the stream.
  bool guardsIntact(cudaStream_t stream) const;

private:
  void *base = nullptr;
  size_t bytes, guard;
};

/// What a result row says about the machine; no field contains a comma.
struct Machine {
  std::string gpu, driver, cudaRuntime, cufft;
};
Machine describeMachine();
/// UTC, as 2026-01-31T12:34:56Z.
std::string timestamp();

} // namespace gpucheck
