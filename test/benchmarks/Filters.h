// What the programs that time filters beside cuFFT share.
#pragma once
#include "Cuda.h"
#include <idc/runtime.h>

namespace gpucheck {

/// Throws CudaError, with what the runtime says, where a call of it has failed.
void require(idc_status status, const char *what);

/// The L2 norm of x - y over that of y, of `count` elements on the GPU.
double relativeDifference(const float *x, const float *y, size_t count, cudaStream_t stream);
double relativeDifference(const double *x, const double *y, size_t count, cudaStream_t stream);

} // namespace gpucheck
