// gpu-pictures: times the half-padded convolution of pictures of f32 with one filter as large as they are
// (convolve2d_all, the results in the middle) beside what a program without idc does: zeros around the pictures to
// twice their sides, cuFFT, a kernel that multiplies by the filter's spectrum, which is there already, cuFFT back and a
// kernel that crops; and beside a copy of the pictures. usage: gpu-pictures SIDE COUNT IMAGE MANIFEST
//
// All take turns in one process. Exit status: 0 measured and alike, 1 results differ, 2 wrong use or no GPU.
#include "Cuda.h"
#include "CufftPlan.h"
#include "Filters.h"
#include "RandomData.h"
#include "Timing.h"
#include "host/ToolMain.h"
#include <cstdio>
#include <string>
#include <vector>

using namespace gpucheck;

namespace {

/// Pictures of `side` squared in the corner of others of twice the side, zeros elsewhere.
__global__ void pad(const float *from, float *to, size_t count, size_t side) {
  const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x, wide = 2 * side;
  if (i >= count)
    return;
  const size_t x = i % wide, y = i / wide % wide, picture = i / (wide * wide);
  to[i] = x < side && y < side ? from[(picture * side + y) * side + x] : 0;
}

/// The middle of them: from (side - 1) / 2 on.
__global__ void crop(const float *from, float *to, size_t count, size_t side) {
  const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x, wide = 2 * side, first = (side - 1) / 2;
  if (i >= count)
    return;
  const size_t x = i % side, y = i / side % side, picture = i / (side * side);
  to[i] = from[(picture * wide + y + first) * wide + x + first];
}

/// values · filter · scale; all pictures have one filter of `points`.
__global__ void multiply(float2 *values, const float2 *filter, size_t count, size_t points, float scale) {
  const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i >= count)
    return;
  const float2 a = values[i], b = filter[i % points];
  values[i] = {(a.x * b.x - a.y * b.y) * scale, (a.x * b.y + a.y * b.x) * scale};
}

unsigned blocksOf(size_t count) { return unsigned((count + 255) / 256); }

bool run(size_t side, size_t pictures, const std::string &image, const std::string &manifest, cudaStream_t stream) {
  idc_module *module = nullptr;
  require(idc_module_load_files(image.c_str(), manifest.c_str(), &module), image.c_str());
  const size_t wide = 2 * side, own = pictures * side * side, padded = pictures * wide * wide,
               points = wide * (wide / 2 + 1), spectra = pictures * points;
  int64_t workspaceBytes = 0;
  require(idc_workspace_size(module, 1, &workspaceBytes), "idc_workspace_size");
  Buffer x(own * sizeof(float)), h(side * side * sizeof(float)), y(own * sizeof(float)), z(own * sizeof(float)),
      real(padded * sizeof(float)), complex(spectra * sizeof(float2)), filter(points * sizeof(float2)),
      workspace{size_t(workspaceBytes)};
  fillNormal(x.as<float>(), own, 1, stream);
  fillNormal(h.as<float>(), side * side, 2, stream);
  y.poison(stream);
  const auto length = static_cast<long long>(wide);
  CufftPlan one(Real::F32, {length, length}, 1, stream, Transform::RealForward),
      forward(Real::F32, {length, length}, pictures, stream, Transform::RealForward),
      backward(Real::F32, {length, length}, pictures, stream, Transform::RealInverse);
  pad<<<blocksOf(wide * wide), 256, 0, stream>>>(h.as<float>(), real.as<float>(), wide * wide, side);
  one.execute(Transform::RealForward, real.data(), filter.data());
  auto separately = [&] {
    pad<<<blocksOf(padded), 256, 0, stream>>>(x.as<float>(), real.as<float>(), padded, side);
    forward.execute(Transform::RealForward, real.data(), complex.data());
    multiply<<<blocksOf(spectra), 256, 0, stream>>>(complex.as<float2>(), filter.as<float2>(), spectra, points,
                                                    1.0f / float(wide * wide));
    backward.execute(Transform::RealInverse, complex.data(), real.data());
    crop<<<blocksOf(own), 256, 0, stream>>>(real.as<float>(), z.as<float>(), own, side);
  };
  auto copied = [&] { CHECK_CUDA(cudaMemcpyAsync(z.data(), x.data(), x.size(), cudaMemcpyDeviceToDevice, stream)); };
  auto together = [&] {
    const void *inputs[] = {x.data(), h.data()};
    void *outputs[] = {y.data()};
    require(idc_launch(module, 1, inputs, nullptr, outputs, workspaceBytes ? workspace.data() : nullptr, stream),
            "idc_launch");
  };
  warmUp(stream);
  const std::vector<Times> times = measure({{copied, {}}, {separately, {}}, {together, {}}}, stream);
  separately(); // the copy has overwritten its results
  const double relative = relativeDifference(y.as<float>(), z.as<float>(), own, stream);
  const bool alike = relative < 1e-5;
  std::printf(
      "%zu pictures of %zu x %zu, filter as large: copy %.3f ms, cuFFT %.3f ms, idc %.3f ms, %.2f times as fast, "
      "difference %.1e%s\n",
      pictures, side, side, times[0].median, times[1].median, times[2].median, times[1].median / times[2].median,
      relative, alike ? "" : "  DIFFERS");
  idc_module_unload(module);
  return alike;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App tool("Times a convolution of padded pictures beside cuFFT, a product and cuFFT back.");
  size_t side = 0, pictures = 0;
  std::string image, manifest;
  tool.add_option("SIDE", side, "of a picture")->type_name("N")->required()->check(idc::host::atLeast(1));
  tool.add_option("COUNT", pictures, "how many")->type_name("N")->required()->check(idc::host::atLeast(1));
  tool.add_option("IMAGE", image)->type_name("")->required();
  tool.add_option("MANIFEST", manifest)->type_name("")->required();
  return idc::host::toolMain(
      tool, argc, argv,
      [&] {
        CHECK_CUDA(cudaSetDevice(0));
        cudaStream_t stream;
        CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        return run(side, pictures, image, manifest, stream) ? 0 : 1;
      },
      2);
}
