// A cuFFT plan for a batch of contiguous complex transforms of 2^n points.
#pragma once
#include "Cuda.h"
#include "Reference.h"

namespace gpucheck {

class CufftPlan {
public:
  CufftPlan(Real real, int n, size_t batch, cudaStream_t stream) : real(real) {
    CHECK_CUDA(cufftCreate(&plan));
    try {
      long long length = 1LL << n;
      size_t workspace = 0;
      CHECK_CUDA(cufftMakePlanMany64(plan, 1, &length, nullptr, 1, length, nullptr, 1, length,
                                     real == Real::F32 ? CUFFT_C2C : CUFFT_Z2Z, static_cast<long long>(batch),
                                     &workspace));
      CHECK_CUDA(cufftSetStream(plan, stream));
    } catch (...) {
      cufftDestroy(plan);
      throw;
    }
  }
  ~CufftPlan() { cufftDestroy(plan); }
  CufftPlan(const CufftPlan &) = delete;
  CufftPlan &operator=(const CufftPlan &) = delete;

  void execute(Transform transform, void *input, void *output) const {
    const int direction = transform == Transform::Inverse ? CUFFT_INVERSE : CUFFT_FORWARD;
    if (real == Real::F32)
      CHECK_CUDA(
          cufftExecC2C(plan, static_cast<cufftComplex *>(input), static_cast<cufftComplex *>(output), direction));
    else
      CHECK_CUDA(cufftExecZ2Z(plan, static_cast<cufftDoubleComplex *>(input), static_cast<cufftDoubleComplex *>(output),
                              direction));
  }

private:
  cufftHandle plan = 0;
  Real real;
};

} // namespace gpucheck
