#include "Cuda.h"
#include <algorithm>
#include <ctime>
#include <fstream>

namespace gpucheck {

void check(cudaError_t status, const char *call, const char *file, int line) {
  if (status != cudaSuccess)
    throw CudaError(std::string(file) + ":" + std::to_string(line) + ": " + call + ": " + cudaGetErrorString(status));
}

void check(cufftResult status, const char *call, const char *file, int line) {
  if (status != CUFFT_SUCCESS)
    throw CudaError(std::string(file) + ":" + std::to_string(line) + ": " + call + ": cuFFT status " +
                    std::to_string(int(status)));
}

namespace {
constexpr unsigned char guardPattern = 0xA5;

__global__ void countChanged(const unsigned char *bytes, size_t size, unsigned long long *changed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < size; i += size_t(gridDim.x) * blockDim.x)
    if (bytes[i] != guardPattern)
      atomicAdd(changed, 1ULL);
}

std::string version(int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); }

/// The kernel module's version when the system shows it, else the CUDA version the driver offers.
std::string driverVersion() {
  std::ifstream proc("/proc/driver/nvidia/version");
  std::string word;
  while (proc >> word)
    if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos)
      return word;
  int number = 0;
  CHECK_CUDA(cudaDriverGetVersion(&number));
  return "CUDA " + version(number);
}
} // namespace

Buffer::Buffer(size_t bytes, size_t guardBytes) : bytes(bytes), guard(guardBytes) {
  CHECK_CUDA(cudaMalloc(&base, std::max<size_t>(bytes + 2 * guard, 1)));
  if (guard == 0)
    return;
  CHECK_CUDA(cudaMemset(base, guardPattern, guard));
  CHECK_CUDA(cudaMemset(static_cast<char *>(base) + guard + bytes, guardPattern, guard));
}

// A destructor must not throw; an error that cudaFree reports here was raised by earlier work and shows there.
Buffer::~Buffer() { cudaFree(base); }

void Buffer::poison(cudaStream_t stream) const { CHECK_CUDA(cudaMemsetAsync(data(), 0xFF, bytes, stream)); }

bool Buffer::guardsIntact(cudaStream_t stream) const {
  if (guard == 0)
    return true;
  Buffer counter(sizeof(unsigned long long));
  CHECK_CUDA(cudaMemsetAsync(counter.data(), 0, counter.size(), stream));
  const auto *before = static_cast<const unsigned char *>(base);
  countChanged<<<64, 256, 0, stream>>>(before, guard, counter.as<unsigned long long>());
  countChanged<<<64, 256, 0, stream>>>(before + guard + bytes, guard, counter.as<unsigned long long>());
  CHECK_CUDA(cudaGetLastError());
  unsigned long long changed = 0;
  CHECK_CUDA(cudaMemcpyAsync(&changed, counter.data(), sizeof changed, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  return changed == 0;
}

Machine describeMachine() {
  cudaDeviceProp properties;
  CHECK_CUDA(cudaGetDeviceProperties(&properties, 0));
  int runtime = 0, fft = 0;
  CHECK_CUDA(cudaRuntimeGetVersion(&runtime));
  CHECK_CUDA(cufftGetVersion(&fft));
  Machine machine;
  machine.gpu = properties.name;
  std::replace(machine.gpu.begin(), machine.gpu.end(), ',', ' ');
  machine.driver = driverVersion();
  machine.cudaRuntime = version(runtime);
  machine.cufft = std::to_string(fft / 1000) + "." + std::to_string(fft % 1000 / 100) + "." + std::to_string(fft % 100);
  return machine;
}

std::string timestamp() {
  std::time_t now = std::time(nullptr);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", std::gmtime(&now));
  return text;
}

} // namespace gpucheck
