#include "Scan.h"
#include <cmath>
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/transform_iterator.h>

namespace gpucheck {
namespace {

struct Widen {
  __host__ __device__ double operator()(float x) const { return x; }
};

size_t temporaryBytes(size_t count) {
  size_t bytes = 0;
  CHECK_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, static_cast<const float *>(nullptr),
                                           static_cast<float *>(nullptr), count));
  return bytes;
}

/// `exact` holds the exclusive sums of all values, across segments.
__global__ void largestError(const double *exact, const float *sums, size_t count, size_t length,
                             unsigned long long *largest) {
  double worst = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
    const double expected = exact[i] - exact[i / length * length], wrong = fabs(double(sums[i]) - expected);
    worst = fmax(worst, wrong == 0 ? 0 : isfinite(wrong) && expected > 0 ? wrong / expected : double(INFINITY));
  }
  for (int lane = 16; lane; lane /= 2)
    worst = fmax(worst, __shfl_down_sync(~0u, worst, lane));
  if (threadIdx.x % 32 == 0)
    atomicMax(largest, __double_as_longlong(worst)); // doubles that are not negative are ordered as their bits
}

} // namespace

CubScan::CubScan(size_t count) : count(count), bytes(temporaryBytes(count)), temporary(bytes) {}

void CubScan::run(const float *values, float *sums, cudaStream_t stream) const {
  size_t available = bytes;
  CHECK_CUDA(cub::DeviceScan::ExclusiveSum(temporary.data(), available, values, sums, count, stream));
}

double scanError(const float *values, const float *sums, size_t count, size_t length, cudaStream_t stream) {
  const auto wide = thrust::make_transform_iterator(values, Widen());
  Buffer exact(count * sizeof(double)), largest(sizeof(double));
  size_t bytes = 0;
  CHECK_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, wide, exact.as<double>(), count, stream));
  Buffer temporary(bytes);
  CHECK_CUDA(cub::DeviceScan::ExclusiveSum(temporary.data(), bytes, wide, exact.as<double>(), count, stream));
  CHECK_CUDA(cudaMemsetAsync(largest.data(), 0, sizeof(double), stream));
  largestError<<<2048, 256, 0, stream>>>(exact.as<double>(), sums, count, length, largest.as<unsigned long long>());
  CHECK_CUDA(cudaGetLastError());
  double value;
  CHECK_CUDA(cudaMemcpyAsync(&value, largest.data(), sizeof value, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  return value;
}

} // namespace gpucheck
