#include "RandomData.h"
#include "Systems.h"
#include <cmath>

namespace gpucheck {
namespace {

struct Sums {
  double residual, right; // of squares
  double worst;
};

template <class T> __global__ void cutEnds(T *a, T *c, SystemLayout layout, size_t systems) {
  for (size_t s = blockIdx.x * size_t(blockDim.x) + threadIdx.x; s < systems; s += size_t(gridDim.x) * blockDim.x) {
    const size_t first = s / layout.stride * layout.rows * layout.stride + s % layout.stride;
    a[first] = 0;
    c[first + (layout.rows - 1) * layout.stride] = 0;
  }
}

/// Doubles that are not negative are ordered as their bits.
__device__ void atomicMaximum(double *value, double other) {
  atomicMax(reinterpret_cast<unsigned long long *>(value), __double_as_longlong(other));
}

template <class T>
__global__ void addResiduals(SystemLayout layout, const T *a, const T *b, const T *c, const T *d, const T *x,
                             size_t count, Sums *sums) {
  double residual = 0, right = 0, worst = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count; i += size_t(gridDim.x) * blockDim.x) {
    const size_t row = i / layout.stride % layout.rows, length = (layout.rows - 1) * layout.stride;
    const size_t system = i / (layout.rows * layout.stride) * layout.stride + i % layout.stride;
    const size_t k = layout.shared == 1 ? i : system / layout.shared * layout.rows + row;
    double left = double(b[k]) * double(x[i]), size = fabs(left) + fabs(double(d[i]));
    if (row > 0 || layout.periodic) {
      const double term = double(a[k]) * double(x[row > 0 ? i - layout.stride : i + length]);
      left += term;
      size += fabs(term);
    }
    if (row + 1 < layout.rows || layout.periodic) {
      const double term = double(c[k]) * double(x[row + 1 < layout.rows ? i + layout.stride : i - length]);
      left += term;
      size += fabs(term);
    }
    const double wrong = fabs(left - double(d[i]));
    residual += wrong * wrong;
    right += double(d[i]) * double(d[i]);
    const double relative = isfinite(wrong) ? wrong == 0 ? 0 : wrong / size : double(INFINITY);
    worst = fmax(worst, relative);
  }
  for (int lane = 16; lane; lane /= 2) {
    residual += __shfl_down_sync(~0u, residual, lane);
    right += __shfl_down_sync(~0u, right, lane);
    worst = fmax(worst, __shfl_down_sync(~0u, worst, lane));
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&sums->residual, residual);
    atomicAdd(&sums->right, right);
    atomicMaximum(&sums->worst, worst);
  }
}

template <class T>
void fillTyped(const SystemLayout &layout, T *a, T *b, T *c, size_t count, uint64_t seed, cudaStream_t stream) {
  fillUniform(a, count, -1, 1, seed, stream);
  fillUniform(b, count, 3, 5, seed + 1, stream);
  fillUniform(c, count, -1, 1, seed + 2, stream);
  if (!layout.periodic)
    cutEnds<<<1024, 256, 0, stream>>>(a, c, layout, count / layout.rows);
  CHECK_CUDA(cudaGetLastError());
}

template <class T>
void addTyped(const SystemLayout &layout, const SystemArrays &systems, const void *x, size_t count, Sums *sums,
              cudaStream_t stream) {
  const auto typed = [](const void *array) { return static_cast<const T *>(array); };
  addResiduals<<<2048, 256, 0, stream>>>(layout, typed(systems.a), typed(systems.b), typed(systems.c), typed(systems.d),
                                         typed(x), count, sums);
  CHECK_CUDA(cudaGetLastError());
}

} // namespace

void fillCoefficients(Real real, const SystemLayout &layout, void *a, void *b, void *c, size_t count, uint64_t seed,
                      cudaStream_t stream) {
  if (real == Real::F32)
    fillTyped(layout, static_cast<float *>(a), static_cast<float *>(b), static_cast<float *>(c), count, seed, stream);
  else
    fillTyped(layout, static_cast<double *>(a), static_cast<double *>(b), static_cast<double *>(c), count, seed,
              stream);
}

Residual residual(Real real, const SystemLayout &layout, const SystemArrays &systems, const void *x, size_t count,
                  cudaStream_t stream) {
  Buffer device(sizeof(Sums));
  CHECK_CUDA(cudaMemsetAsync(device.data(), 0, sizeof(Sums), stream));
  if (real == Real::F32)
    addTyped<float>(layout, systems, x, count, device.as<Sums>(), stream);
  else
    addTyped<double>(layout, systems, x, count, device.as<Sums>(), stream);
  Sums sums;
  CHECK_CUDA(cudaMemcpyAsync(&sums, device.data(), sizeof sums, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  return {std::sqrt(sums.residual / sums.right), sums.worst};
}

} // namespace gpucheck
