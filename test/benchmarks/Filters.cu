#include "Filters.h"
#include <cmath>
#include <string>

using namespace gpucheck;

/// Adds |x - y|² and |y|² to two sums.
template <class T> static __global__ void compare(const T *x, const T *y, size_t count, double *sums) {
  double difference = 0, norm = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
    const double d = double(x[i]) - double(y[i]);
    difference += d * d;
    norm += double(y[i]) * double(y[i]);
  }
  atomicAdd(&sums[0], difference);
  atomicAdd(&sums[1], norm);
}

template <class T> static double differenceOf(const T *x, const T *y, size_t count, cudaStream_t stream) {
  double sums[2];
  Buffer onGpu(sizeof sums);
  CHECK_CUDA(cudaMemsetAsync(onGpu.data(), 0, sizeof sums, stream));
  compare<<<1024, 256, 0, stream>>>(x, y, count, onGpu.as<double>());
  CHECK_CUDA(cudaMemcpyAsync(sums, onGpu.data(), sizeof sums, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  return std::sqrt(sums[0] / sums[1]);
}

void gpucheck::require(idc_status status, const char *what) {
  if (status != IDC_SUCCESS)
    throw CudaError(std::string(what) + ": " + idc_error_message(status) + ": " + idc_last_error());
}

double gpucheck::relativeDifference(const float *x, const float *y, size_t count, cudaStream_t stream) {
  return differenceOf(x, y, count, stream);
}
double gpucheck::relativeDifference(const double *x, const double *y, size_t count, cudaStream_t stream) {
  return differenceOf(x, y, count, stream);
}
