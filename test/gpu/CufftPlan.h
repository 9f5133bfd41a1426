// A cuFFT plan for a batch of contiguous complex transforms of one to three dimensions.
#pragma once
#include "Cuda.h"
#include "Reference.h"

namespace gpucheck {

class CufftPlan {
public:
  /// The lengths of the dimensions, outermost first.
  CufftPlan(Real real, std::vector<long long> lengths, size_t batch, cudaStream_t stream) : real(real) {
    CHECK_CUDA(cufftCreate(&plan));
    try {
      size_t workspace = 0;
      // Without strides the problems lie one after another.
      CHECK_CUDA(cufftMakePlanMany64(plan, int(lengths.size()), lengths.data(), nullptr, 1, 0, nullptr, 1, 0,
                                     real == Real::F32 ? CUFFT_C2C : CUFFT_Z2Z, static_cast<long long>(batch),
                                     &workspace));
      CHECK_CUDA(cufftSetStream(plan, stream));
    } catch (...) {
      cufftDestroy(plan);
      throw;
    }
  }
  CufftPlan(Real real, const Exponents &exponents, size_t batch, cudaStream_t stream)
      : CufftPlan(real, powersOfTwo(exponents), batch, stream) {}
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
  static std::vector<long long> powersOfTwo(const Exponents &exponents) {
    std::vector<long long> lengths;
    for (int exponent : exponents)
      lengths.push_back(1LL << exponent);
    return lengths;
  }

  cufftHandle plan = 0;
  Real real;
};

} // namespace gpucheck
