// A VkFFT plan for a batch of contiguous transforms of one to three dimensions, out of place.
#pragma once
#include "Cuda.h"
#include "Reference.h"
#include <memory>
#include <string>
#include <vector>

namespace gpucheck {

class VkfftPlan {
public:
  /// The lengths of the dimensions, outermost first; a forward transform of complex or real numbers from one array to
  /// the other. Generates and compiles the kernels. Throws CudaError.
  VkfftPlan(Real real, const std::vector<long long> &lengths, size_t batch, cudaStream_t stream, Transform transform,
            const Buffer &input, const Buffer &output);
  ~VkfftPlan();

  void execute() const;

  /// "1.3.4"
  static std::string version();

private:
  struct State;
  const std::unique_ptr<State> state;
};

} // namespace gpucheck
