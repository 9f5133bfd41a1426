#include "Cuda.h"
#include "RandomData.h"
#include <Random123/philox.h>

namespace gpucheck {
namespace {

using Words = r123::Philox2x64::ctr_type;

/// Two random words of the number i.
__device__ Words words(uint64_t i, uint64_t seed) { return r123::Philox2x64()({{i, 0}}, {{seed}}); }

/// Uniform in [0, 1).
__device__ double fraction(uint64_t word) { return double(word >> 11) * 0x1p-53; }

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
    const Words random = words(i, seed);
    normalPair(1 - fraction(random[0]), fraction(random[1]), values + 2 * i);
  }
}

template <class Real>
__global__ void fillUniformKernel(Real *values, size_t count, double low, double high, uint64_t seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
    values[i] = Real(low + (high - low) * fraction(words(i, seed)[0]));
}

__global__ void fillResiduesKernel(uint32_t *values, size_t count, uint32_t modulus, uint64_t seed) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
    values[i] = uint32_t(words(i, seed)[0] % modulus);
}

__global__ void checksumKernel(const uint32_t *data, size_t count, unsigned long long *sum) {
  uint64_t s = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
    const auto random = r123::Philox2x32()({{uint32_t(i), data[i]}}, {{uint32_t(i >> 32)}});
    s += uint64_t(random[1]) << 32 | random[0];
  }
  for (int lane = 16; lane; lane /= 2)
    s += __shfl_down_sync(~0u, s, lane);
  if (threadIdx.x % 32 == 0)
    atomicAdd(sum, (unsigned long long)s);
}

template <class Real> void fill(Real *values, size_t count, uint64_t seed, cudaStream_t stream) {
  fillKernel<<<4096, 256, 0, stream>>>(values, count / 2, seed);
  CHECK_CUDA(cudaGetLastError());
}

template <class Real>
void uniform(Real *values, size_t count, double low, double high, uint64_t seed, cudaStream_t stream) {
  fillUniformKernel<<<4096, 256, 0, stream>>>(values, count, low, high, seed);
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
