// Conversions between arrays of 16-bit and 32-bit floats in device memory.
#pragma once
#include <cstddef>
#include <cuda_runtime.h>

namespace gpucheck {

/// half[i] = float[i] rounded to nearest, and back; `halves` holds `count` values of f16.
void narrow(const float *floats, void *halves, size_t count, cudaStream_t stream);
void widen(const void *halves, float *floats, size_t count, cudaStream_t stream);

} // namespace gpucheck
