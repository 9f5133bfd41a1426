// gpu-convolution: times compiled filters (transform, product with a filter, transform back) beside what a program
// without idc does, cuFFT forward, a kernel that multiplies, and cuFFT back, and beside a copy of as many bytes as the
// signals have. usage: gpu-convolution [--bytes N] IMAGE MANIFEST [IMAGE MANIFEST …]
//
// A program takes signals and a filter of 2^n complex numbers: one signal a problem, or several that share the filter.
// The batch fills 1 GiB, or N bytes. The three alternate. Exit status: 0 all measured and alike, 1 a result differs, 2
// wrong use or no GPU.
#include "Cuda.h"
#include "CufftPlan.h"
#include "Filters.h"
#include "RandomData.h"
#include "Reference.h"
#include "Timing.h"
#include "host/ToolMain.h"
#include <cstdio>
#include <string>
#include <vector>

using namespace gpucheck;

namespace {

/// to = from · filter · scale; a problem has 2^problem elements, which share a filter of `points`, a power of two.
template <class Complex>
__global__ void multiply(const Complex *from, const Complex *filter, Complex *to, size_t count, int problem,
                         size_t points, double scale) {
  const size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  if (i >= count)
    return;
  const Complex x = from[i], h = filter[(i >> problem) * points + (i & (points - 1))];
  Complex y;
  y.x = (x.x * h.x - x.y * h.y) * decltype(y.x)(scale);
  y.y = (x.x * h.y + x.y * h.x) * decltype(y.x)(scale);
  to[i] = y;
}

/// Measures one program; false when its results differ from cuFFT's.
bool run(const std::string &image, const std::string &manifest, size_t bytes, cudaStream_t stream) {
  idc_module *module = nullptr;
  require(idc_module_load_files(image.c_str(), manifest.c_str(), &module), image.c_str());
  idc_operand signal, filter;
  require(idc_input(module, 0, &signal), "idc_input");
  require(idc_input(module, 1, &filter), "idc_input");
  const bool single = std::string(signal.type) == "complex<f32>";
  const size_t problemBytes = size_t(signal.elements * signal.element_bytes);
  const size_t batch = std::max<size_t>(1, bytes / problemBytes), all = batch * problemBytes;
  const size_t count = all / size_t(signal.element_bytes), points = size_t(filter.elements);
  int64_t workspaceBytes = 0;
  require(idc_workspace_size(module, int64_t(batch), &workspaceBytes), "idc_workspace_size");
  Buffer x(all), h(batch * points * size_t(filter.element_bytes)), y(all), z(all), workspace{size_t(workspaceBytes)};
  for (auto [buffer, seed] : {std::pair(&x, 1), {&h, 2}}) {
    if (single)
      fillNormal(buffer->as<float>(), buffer->size() / sizeof(float), uint64_t(seed), stream);
    else
      fillNormal(buffer->as<double>(), buffer->size() / sizeof(double), uint64_t(seed), stream);
  }
  y.poison(stream);
  int problem = 0;
  while (int64_t(1) << problem < signal.elements)
    problem++;
  CufftPlan plan(single ? Real::F32 : Real::F64, std::vector<long long>{filter.elements}, count / points, stream);
  auto separately = [&] {
    const auto blocks = unsigned((count + 255) / 256);
    const double scale = 1.0 / double(points);
    plan.execute(Transform::Forward, x.data(), z.data());
    if (single)
      multiply<<<blocks, 256, 0, stream>>>(z.as<float2>(), h.as<float2>(), z.as<float2>(), count, problem, points,
                                           scale);
    else
      multiply<<<blocks, 256, 0, stream>>>(z.as<double2>(), h.as<double2>(), z.as<double2>(), count, problem, points,
                                           scale);
    plan.execute(Transform::Inverse, z.data(), z.data());
  };
  auto copied = [&] { CHECK_CUDA(cudaMemcpyAsync(z.data(), x.data(), all, cudaMemcpyDeviceToDevice, stream)); };
  auto together = [&] {
    const void *inputs[] = {x.data(), h.data()};
    void *outputs[] = {y.data()};
    require(idc_launch(module, int64_t(batch), inputs, nullptr, outputs, workspaceBytes ? workspace.data() : nullptr,
                       stream),
            "idc_launch");
  };
  const std::vector<Times> times = measure({{copied, {}}, {separately, {}}, {together, {}}}, stream, 11);
  separately(); // the copy has overwritten its results
  const double relative = single ? relativeDifference(y.as<float>(), z.as<float>(), 2 * count, stream)
                                 : relativeDifference(y.as<double>(), z.as<double>(), 2 * count, stream);
  const bool alike = relative < (single ? 1e-5 : 1e-13);
  std::printf("%-34s %8zu %9zu %8zu  %8.3f %8.2f %8.2f %9.2f  %.1e%s\n", idc_module_symbol(module), points,
              count / points, batch, times[0].median, times[1].median / times[0].median,
              times[2].median / times[0].median, times[1].median / times[2].median, relative, alike ? "" : "  DIFFERS");
  std::fflush(stdout);
  idc_module_unload(module);
  return alike;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App tool("Times filters beside cuFFT, a product and cuFFT back.");
  size_t bytes = GiB;
  std::vector<std::string> files;
  tool.add_option("--bytes", bytes, "of a batch (default 2^30)")->type_name("N")->check(idc::host::atLeast(1));
  tool.add_option("FILES", files, "IMAGE MANIFEST [IMAGE MANIFEST …]")->type_name("")->required();
  return idc::host::toolMain(
      tool, argc, argv,
      [&] {
        if (files.size() % 2)
          throw CLI::ValidationError("FILES", "an image lacks its manifest");
        CHECK_CUDA(cudaSetDevice(0));
        cudaStream_t stream;
        CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        std::printf("%-34s %8s %9s %8s  %8s %8s %8s %9s  %s\n", "program", "points", "signals", "filters", "copy ms",
                    "cuFFT", "idc", "cuFFT/idc", "difference");
        bool alike = true;
        for (size_t i = 0; i < files.size(); i += 2)
          alike &= run(files[i], files[i + 1], bytes, stream);
        return alike ? 0 : 1;
      },
      2);
}
