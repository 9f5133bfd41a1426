// A cuFFT plan for a batch of contiguous transforms of one to three dimensions.
#pragma once
#include "Cuda.h"
#include "Reference.h"
#include <cufftXt.h>

namespace gpucheck {

class CufftPlan {
public:
  /// The lengths of the dimensions, outermost first. `transform`: one of those that the plan is for, which are complex
  /// ones of both signs, or it alone.
  CufftPlan(Real real, std::vector<long long> lengths, size_t batch, cudaStream_t stream,
            Transform transform = Transform::Forward) {
    CHECK_CUDA(cufftCreate(&plan));
    try {
      size_t workspace = 0;
      // Without strides the problems lie one after another.
      CHECK_CUDA(cufftMakePlanMany64(plan, int(lengths.size()), lengths.data(), nullptr, 1, 0, nullptr, 1, 0,
                                     typeOf(real, transform), static_cast<long long>(batch), &workspace));
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

  /// Of several dimensions RealInverse leaves nothing of its input.
  void execute(Transform transform, void *input, void *output) const {
    const bool inverse = transform == Transform::Inverse || transform == Transform::RealInverse;
    CHECK_CUDA(cufftXtExec(plan, input, output, inverse ? CUFFT_INVERSE : CUFFT_FORWARD));
  }

private:
  static cufftType typeOf(Real real, Transform transform) {
    const bool single = real == Real::F32;
    return transform == Transform::RealForward   ? (single ? CUFFT_R2C : CUFFT_D2Z)
           : transform == Transform::RealInverse ? (single ? CUFFT_C2R : CUFFT_Z2D)
                                                 : (single ? CUFFT_C2C : CUFFT_Z2Z);
  }
  static std::vector<long long> powersOfTwo(const Exponents &exponents) {
    std::vector<long long> lengths;
    for (int exponent : exponents)
      lengths.push_back(1LL << exponent);
    return lengths;
  }

  cufftHandle plan = 0;
};

} // namespace gpucheck
