#include "Cuda.h"
#include "Half.h"
#include <cuda_fp16.h>

namespace gpucheck {
namespace {

template <class To, class From> __global__ void convert(const From *from, To *to, size_t count) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x)
    to[i] = To(float(from[i]));
}

template <class To, class From> void launch(const From *from, To *to, size_t count, cudaStream_t stream) {
  convert<<<4096, 256, 0, stream>>>(from, to, count);
  CHECK_CUDA(cudaGetLastError());
}

} // namespace

void narrow(const float *floats, void *halves, size_t count, cudaStream_t stream) {
  launch(floats, static_cast<__half *>(halves), count, stream);
}

void widen(const void *halves, float *floats, size_t count, cudaStream_t stream) {
  launch(static_cast<const __half *>(halves), floats, count, stream);
}

} // namespace gpucheck
