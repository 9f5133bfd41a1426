// gpu-plans: what a size that is new takes until its transform can run, and what the transform takes then: idc,
// compiled by libidc in this process with nothing cached, beside cuFFT and VkFFT, and a copy of the same bytes.
//
//   gpu-plans --lengths 1000,1009,512x512 [--type f64] [--real] [--mebibytes 512] [--results FILE]
//
// As many problems as fill the memory, at least one, out of place, random data; transforms and copy alternate, medians
// of 9. A plan is made once after one of another size, so that what each library starts once is started. Exit status: 0
// all measured, 1 something failed or differs from cuFFT, 2 wrong use or no GPU.
#include "Cuda.h"
#include "CufftPlan.h"
#include "RandomData.h"
#include "Timing.h"
#include "VkfftPlan.h"
#include "host/ToolMain.h"

#include "idc/compiler.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>

using namespace gpucheck;

namespace {

struct Problem {
  std::vector<long long> lengths; // outermost first
  Real real;
  Transform transform;
  size_t batch = 1;

  std::string text() const {
    std::string result;
    for (long long length : lengths)
      result += (result.empty() ? "" : "x") + std::to_string(length);
    return result;
  }
  size_t rows() const {
    size_t product = 1;
    for (size_t i = 0; i + 1 < lengths.size(); i++)
      product *= size_t(lengths[i]);
    return product;
  }
  bool ofReals() const { return transform == Transform::RealForward; }
  size_t inputNumbers() const { return rows() * size_t(lengths.back()) * (ofReals() ? 1 : 2); }
  size_t outputNumbers() const { return rows() * size_t(ofReals() ? lengths.back() / 2 + 1 : lengths.back()) * 2; }
};

void checkIdc(idc_status status) {
  if (status != IDC_SUCCESS)
    throw CudaError(std::string("idc: ") + idc_message(status));
}

/// The library's transform, compiled for this GPU and loaded.
class IdcPlan {
public:
  explicit IdcPlan(const Problem &problem) {
    static const char *names[] = {"N", "M", "L"}; // of the dimensions, innermost first
    const size_t dimensions = problem.lengths.size();
    std::string entry = problem.ofReals() ? "rfft" : "fft";
    entry += dimensions == 1 ? (problem.ofReals() ? "" : "_any")
                             : std::to_string(dimensions) + (problem.ofReals() ? "d" : "d_any");
    idc_request *request;
    checkIdc(idc_request_create(&request));
    idc_request_file(request, problem.ofReals() ? "real.id" : "fft.id");
    idc_request_entry(request, entry.c_str());
    idc_request_target(request, "sm_90");
    idc_request_set(request, problem.real == Real::F64 ? "T=f64" : "T=f32");
    for (size_t i = 0; i < dimensions; i++)
      idc_request_set(request, (names[i] + ("=" + std::to_string(problem.lengths[dimensions - 1 - i]))).c_str());
    const idc_status status = idc_compile(request, &result);
    idc_request_destroy(request);
    idc_diagnostic diagnostic;
    if (idc_result_diagnostic(result, 0, &diagnostic) == IDC_SUCCESS)
      throw CudaError(std::string("idc: ") + diagnostic.text);
    checkIdc(status);
    checkIdc(idc_result_load(result, &module));
  }
  ~IdcPlan() {
    idc_module_unload(module);
    idc_result_destroy(result);
  }
  IdcPlan(const IdcPlan &) = delete;

  size_t workspaceBytes(size_t batch) const {
    int64_t bytes = 0;
    checkIdc(idc_workspace_size(module, int64_t(batch), &bytes));
    return size_t(bytes);
  }
  void execute(size_t batch, const Buffer &input, const Buffer &output, const Buffer &workspace,
               cudaStream_t stream) const {
    const void *inputs[] = {input.data()};
    void *outputs[] = {output.data()};
    checkIdc(idc_launch(module, int64_t(batch), inputs, nullptr, outputs, workspace.data(), stream));
  }

private:
  idc_result *result = nullptr;
  idc_module *module = nullptr;
};

/// Makes something and says how many milliseconds that took.
template <typename Make> auto timed(double &milliseconds, Make make) {
  const auto begin = std::chrono::steady_clock::now();
  auto made = make();
  CHECK_CUDA(cudaDeviceSynchronize());
  milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  return made;
}

struct Row {
  double cufftPlan = 0, vkfftPlan = 0, idcPlan = 0;
  Times copy, cufft, vkfft, idc;
  double difference = 0;
  std::string refused; // by VkFFT
};

Row measureProblem(const Problem &problem, cudaStream_t stream) {
  const size_t bytes = bytesOf(problem.real), inputs = problem.batch * problem.inputNumbers(),
               outputs = problem.batch * problem.outputNumbers();
  Buffer input(inputs * bytes), output(outputs * bytes), peers(outputs * bytes), copied((inputs + outputs) / 2 * bytes);
  if (problem.real == Real::F64)
    fillNormal(input.as<double>(), inputs / 2 * 2, 1, stream);
  else
    fillNormal(input.as<float>(), inputs / 2 * 2, 1, stream);
  output.poison(stream);
  Row row;
  const auto cufft = timed(row.cufftPlan, [&] {
    return std::make_unique<CufftPlan>(problem.real, problem.lengths, problem.batch, stream, problem.transform);
  });
  const auto idc = timed(row.idcPlan, [&] { return std::make_unique<IdcPlan>(problem); });
  std::unique_ptr<VkfftPlan> vkfft;
  try {
    vkfft = timed(row.vkfftPlan, [&] {
      return std::make_unique<VkfftPlan>(problem.real, problem.lengths, problem.batch, stream, problem.transform, input,
                                         peers);
    });
  } catch (const CudaError &error) {
    row.refused = error.what();
    cudaGetLastError();
  }
  const Buffer workspace(std::max<size_t>(idc->workspaceBytes(problem.batch), 1));
  std::vector<Operation> operations = {{[&] {
                                          CHECK_CUDA(cudaMemcpyAsync(copied.data(), input.data(),
                                                                     std::min(copied.size(), input.size()),
                                                                     cudaMemcpyDefault, stream));
                                        },
                                        {}},
                                       {[&] { cufft->execute(problem.transform, input.data(), peers.data()); }, {}},
                                       {[&] { idc->execute(problem.batch, input, output, workspace, stream); }, {}}};
  if (vkfft)
    operations.push_back({[&] { vkfft->execute(); }, {}});
  const std::vector<Times> times = measure(operations, stream);
  row.copy = times[0], row.cufft = times[1], row.idc = times[2];
  if (vkfft)
    row.vkfft = times[3];
  cufft->execute(problem.transform, input.data(), peers.data());
  row.difference =
      worstDifference(problem.real, output.data(), 1, peers.data(), problem.outputNumbers(), problem.batch, stream);
  return row;
}

std::vector<std::vector<long long>> parseLengths(const std::string &text) {
  std::vector<std::vector<long long>> result;
  std::istringstream shapes(text);
  for (std::string shape; std::getline(shapes, shape, ',');) {
    std::istringstream lengths(shape);
    result.emplace_back();
    for (std::string length; std::getline(lengths, length, 'x');)
      result.back().push_back(std::stoll(length));
    if (result.back().empty() || result.back().size() > 3)
      throw std::runtime_error("a shape has one to three lengths: " + shape);
  }
  return result;
}

struct Options {
  std::string lengths = "1000,1009,4096", results;
  bool isDouble = false, ofReals = false;
  size_t mebibytes = 512;
};

int run(const Options &options) {
  CHECK_CUDA(cudaSetDevice(0));
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Machine machine = describeMachine();
  std::printf("%s, driver %s, CUDA %s, cuFFT %s, VkFFT %s, %s\n", machine.gpu.c_str(), machine.driver.c_str(),
              machine.cudaRuntime.c_str(), machine.cufft.c_str(), VkfftPlan::version().c_str(), timestamp().c_str());
  const Real real = options.isDouble ? Real::F64 : Real::F32;
  const Transform transform = options.ofReals ? Transform::RealForward : Transform::Forward;
  const size_t bytes = options.mebibytes * MiB;
  std::FILE *csv = options.results.empty() ? nullptr : std::fopen(options.results.c_str(), "w");
  if (csv)
    std::fputs("date,gpu,driver,cufft,vkfft,kind,type,shape,batch,copy_ms,cufft_ms,vkfft_ms,idc_ms,cufft_plan_ms,"
               "vkfft_plan_ms,idc_plan_ms,difference\n",
               csv);
  warmUp(stream);
  measureProblem({{96}, real, transform}, stream);
  std::printf("%-14s %9s  %8s %7s %7s %7s   plan ms: cuFFT   VkFFT     idc\n", "shape", "batch", "copy ms", "cuFFT",
              "VkFFT", "idc");
  int status = 0;
  for (const std::vector<long long> &lengths : parseLengths(options.lengths)) {
    Problem problem{lengths, real, transform};
    const size_t each = std::max(problem.inputNumbers(), problem.outputNumbers()) * bytesOf(real);
    problem.batch = std::max<size_t>(1, bytes / each);
    try {
      const Row row = measureProblem(problem, stream);
      const bool wrong = !(row.difference < (real == Real::F64 ? 1e-13 : 1e-5)); // NaN compares false
      std::printf("%-14s %9zu  %8.3f %7.2f %7.2f %7.2f         %8.1f %7.1f %7.1f%s%s\n", problem.text().c_str(),
                  problem.batch, row.copy.median, row.cufft.median / row.copy.median,
                  row.vkfft.median / row.copy.median, row.idc.median / row.copy.median, row.cufftPlan, row.vkfftPlan,
                  row.idcPlan, row.refused.empty() ? "" : ("  " + row.refused).c_str(), wrong ? "  WRONG RESULT" : "");
      if (csv)
        std::fprintf(csv, "%s,%s,%s,%s,%s,%s,%s,%s,%zu,%.6g,%.6g,%.6g,%.6g,%.4g,%.4g,%.4g,%.3g\n", timestamp().c_str(),
                     machine.gpu.c_str(), machine.driver.c_str(), machine.cufft.c_str(), VkfftPlan::version().c_str(),
                     problem.ofReals() ? "r2c" : "c2c", real == Real::F64 ? "f64" : "f32", problem.text().c_str(),
                     problem.batch, row.copy.median, row.cufft.median, row.vkfft.median, row.idc.median, row.cufftPlan,
                     row.vkfftPlan, row.idcPlan, row.difference);
      if (wrong)
        status = 1;
    } catch (const CudaError &error) {
      std::printf("%-14s %s\n", problem.text().c_str(), error.what());
      cudaGetLastError();
      status = 1;
    }
    std::fflush(stdout);
  }
  if (csv)
    std::fclose(csv);
  return status;
}

} // namespace

int main(int argc, char **argv) {
  setenv("IDC_CACHE", "", 1); // on disk nothing is kept
  CLI::App tool("Plans and transforms of idc, cuFFT and VkFFT, for what each makes of a length when it is asked.");
  Options options;
  tool.add_option("--lengths", options.lengths, "default 1000,1009,4096")->type_name("N,AxB,…");
  tool.add_option_function<std::string>(
          "--type", [&options](const std::string &name) { options.isDouble = name == "f64"; }, "default f32")
      ->check(CLI::IsMember({"f32", "f64"}));
  tool.add_flag("--real", options.ofReals, "transforms of real numbers");
  tool.add_option("--mebibytes", options.mebibytes, "of a batch (default 512)")->type_name("N");
  tool.add_option("--results", options.results, "where to write the times")->type_name("FILE.csv");
  return idc::host::toolMain(
      tool, argc, argv, [&options] { return run(options); }, 2);
}
