#include "Cuda.h"
#include "RandomData.h"

namespace gpucheck {
namespace {

/// The finalizer of SplitMix64 (Steele, Lea, Flood 2014).
__device__ uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

/// Two normal numbers from two uniform ones, u in (0, 1] and v in [0, 1) (Box and Muller 1958).
__device__ void normalPair(double u, double v, float *out) {
  float radius = sqrtf(-2.0f * logf(float(u))), sine, cosine;
  sincospif(2.0f * float(v), &sine, &cosine);
  out[0] = radius * cosine;
  out[1] = radius * sine;
}
__device__ void normalPair(double u, double v, double *out) {
  double radius = sqrt(-2.0 * log(u)), sine, cosine;
  sincospi(2.0 * v, &sine, &cosine);
  out[0] = radius * cosine;
  out[1] = radius * sine;
}

template <class Real> __global__ void fillKernel(Real *values, size_t pairs, uint64_t seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < pairs; i += size_t(gridDim.x) * blockDim.x) {
    uint64_t a = mix(seed + 0x9e3779b97f4a7c15ULL * (2 * i + 1)), b = mix(seed + 0x9e3779b97f4a7c15ULL * (2 * i + 2));
    normalPair(double((a >> 11) + 1) * 0x1p-53, double(b >> 11) * 0x1p-53, values + 2 * i);
  }
}

template <class Real>
__global__ void fillUniformKernel(Real *values, size_t count, double low, double high, uint64_t seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
    values[i] = Real(low + (high - low) * (double(mix(seed + 0x9e3779b97f4a7c15ULL * (i + 1)) >> 11) * 0x1p-53));
}

__global__ void fillResiduesKernel(uint32_t *values, size_t count, uint32_t modulus, uint64_t seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
    values[i] = uint32_t(mix(seed + 0x9e3779b97f4a7c15ULL * (i + 1)) % modulus);
}

__global__ void checksumKernel(const uint32_t *words, size_t count, unsigned long long *sum) {
  uint64_t s = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
    s += mix(words[i] + 0x9e3779b97f4a7c15ULL * (i + 1));
  for (int lane = 16; lane; lane /= 2)
    s += __shfl_down_sync(~0u, s, lane);
  if (threadIdx.x % 32 == 0)
    atomicAdd(sum, (unsigned long long)s);
}

template <class Real> void fill(Real *values, size_t count, uint64_t seed, cudaStream_t stream) {
  fillKernel<<<4096, 256, 0, stream>>>(values, count / 2, seed * 0x2545f4914f6cdd1dULL + 1);
  CHECK_CUDA(cudaGetLastError());
}

template <class Real>
void uniform(Real *values, size_t count, double low, double high, uint64_t seed, cudaStream_t stream) {
  fillUniformKernel<<<4096, 256, 0, stream>>>(values, count, low, high, seed * 0x2545f4914f6cdd1dULL + 1);
  CHECK_CUDA(cudaGetLastError());
}

} // namespace

void fillNormal(float *values, size_t count, uint64_t seed, cudaStream_t stream) { fill(values, count, seed, stream); }
void fillNormal(double *values, size_t count, uint64_t seed, cudaStream_t stream) { fill(values, count, seed, stream); }

void fillUniform(float *values, size_t count, double low, double high, uint64_t seed, cudaStream_t stream) {
  uniform(values, count, low, high, seed, stream);
}
void fillUniform(double *values, size_t count, double low, double high, uint64_t seed, cudaStream_t stream) {
  uniform(values, count, low, high, seed, stream);
}

void fillResidues(uint32_t *values, size_t count, uint32_t modulus, uint64_t seed, cudaStream_t stream) {
  fillResiduesKernel<<<4096, 256, 0, stream>>>(values, count, modulus, seed);
  CHECK_CUDA(cudaGetLastError());
}

uint64_t checksum(const void *data, size_t bytes, cudaStream_t stream) {
  Buffer sum(sizeof(unsigned long long));
  CHECK_CUDA(cudaMemsetAsync(sum.data(), 0, sum.size(), stream));
  checksumKernel<<<2048, 256, 0, stream>>>(static_cast<const uint32_t *>(data), bytes / 4,
                                           sum.as<unsigned long long>());
  CHECK_CUDA(cudaGetLastError());
  unsigned long long value = 0;
  CHECK_CUDA(cudaMemcpyAsync(&value, sum.data(), sizeof value, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  return value;
}

} // namespace gpucheck
