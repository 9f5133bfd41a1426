#include "VkfftPlan.h"
// Debian's package libvkfft-dev has the header in one of two places.
#define VKFFT_BACKEND 1 // CUDA
#if __has_include(<vkFFT/vkFFT.h>)
#include <vkFFT/vkFFT.h>
#else
#include <vkFFT.h>
#endif

using namespace gpucheck;

struct VkfftPlan::State {
  VkFFTApplication application = {};
  CUdevice device = 0;
  void *input, *output;
  uint64_t inputBytes, outputBytes;
  cudaStream_t stream;
};

static void checkVkfft(VkFFTResult result) {
  if (result != VKFFT_SUCCESS)
    throw CudaError("VkFFT: error " + std::to_string(int(result)));
}

VkfftPlan::VkfftPlan(Real real, const std::vector<long long> &lengths, size_t batch, cudaStream_t stream,
                     Transform transform, const Buffer &input, const Buffer &output)
    : state(new State) {
  const bool ofReals = transform == Transform::RealForward;
  state->input = input.data(), state->output = output.data(), state->stream = stream;
  uint64_t outer = batch;
  for (size_t i = 0; i + 1 < lengths.size(); i++)
    outer *= uint64_t(lengths[i]);
  const uint64_t last = uint64_t(lengths.back());
  state->inputBytes = outer * last * bytesOf(real) * (ofReals ? 1 : 2);
  state->outputBytes = outer * (ofReals ? last / 2 + 1 : last) * bytesOf(real) * 2;
  VkFFTConfiguration configuration = {};
  configuration.FFTdim = lengths.size();
  for (size_t i = 0; i < lengths.size(); i++)
    configuration.size[i] = uint64_t(lengths[lengths.size() - 1 - i]);
  configuration.numberBatches = batch;
  configuration.device = &state->device;
  configuration.stream = &state->stream;
  configuration.num_streams = 1;
  configuration.makeForwardPlanOnly = 1;
  configuration.doublePrecision = real == Real::F64;
  configuration.performR2C = ofReals;
  configuration.isInputFormatted = 1;
  configuration.inputBuffer = &state->input;
  configuration.inputBufferSize = &state->inputBytes;
  configuration.inputBufferStride[0] = last;
  for (size_t i = 1; i < lengths.size(); i++)
    configuration.inputBufferStride[i] = configuration.inputBufferStride[i - 1] * configuration.size[i];
  configuration.buffer = &state->output;
  configuration.bufferSize = &state->outputBytes;
  checkVkfft(initializeVkFFT(&state->application, configuration));
}

VkfftPlan::~VkfftPlan() { deleteVkFFT(&state->application); }

void VkfftPlan::execute() const {
  VkFFTLaunchParams parameters = {};
  checkVkfft(VkFFTAppend(&state->application, -1, &parameters));
}

std::string VkfftPlan::version() {
  const int number = VkFFTGetVersion(); // 10304
  return std::to_string(number / 10000) + "." + std::to_string(number / 100 % 100) + "." + std::to_string(number % 100);
}
