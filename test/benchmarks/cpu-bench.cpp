// Fourier transforms on the CPU beside FFTW's, both alternating in one run: times are for this computer and this
// moment, their ratio is not.
//
//   cpu-bench                                   the table of docs/performance.md: powers of two, batches, other lengths
//   cpu-bench --lengths 16,1024 --type f64 --batch 1 --threads 2
//
// Every row is a length, a precision and a batch: the median time of a call by idc (through libidc and idc_launch) and
// by FFTW (a plan of FFTW_MEASURE, out of place, new arrays of 64-byte alignment), and the median of the rounds'
// ratios, idc's time over FFTW's: below 1 idc is faster. The results are compared first. Geometric means at the end.
#include "host/ToolMain.h"
#include "idc/compiler.h"
#include "idc/runtime.h"

#include <fftw3.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string &message) { throw std::runtime_error(message); }

void check(idc_status status) {
  if (status != IDC_SUCCESS)
    fail(idc_last_error());
}

//===--- FFTW, by precision ---------------------------------------------------------------------------------------===//

template <typename Real> struct Fftw;

template <> struct Fftw<float> {
  using Plan = fftwf_plan;
  static constexpr const char *name = "f32";
  static void threads(int count) {
    static const int ready = fftwf_init_threads();
    if (ready)
      fftwf_plan_with_nthreads(count);
  }
  static Plan plan(int n, int batch, std::complex<float> *x, std::complex<float> *y) {
    return fftwf_plan_many_dft(1, &n, batch, reinterpret_cast<fftwf_complex *>(x), nullptr, 1, n,
                               reinterpret_cast<fftwf_complex *>(y), nullptr, 1, n, FFTW_FORWARD, FFTW_MEASURE);
  }
  static void run(Plan plan) { fftwf_execute(plan); }
  static void destroy(Plan plan) { fftwf_destroy_plan(plan); }
};

template <> struct Fftw<double> {
  using Plan = fftw_plan;
  static constexpr const char *name = "f64";
  static void threads(int count) {
    static const int ready = fftw_init_threads();
    if (ready)
      fftw_plan_with_nthreads(count);
  }
  static Plan plan(int n, int batch, std::complex<double> *x, std::complex<double> *y) {
    return fftw_plan_many_dft(1, &n, batch, reinterpret_cast<fftw_complex *>(x), nullptr, 1, n,
                              reinterpret_cast<fftw_complex *>(y), nullptr, 1, n, FFTW_FORWARD, FFTW_MEASURE);
  }
  static void run(Plan plan) { fftw_execute(plan); }
  static void destroy(Plan plan) { fftw_destroy_plan(plan); }
};

//===--- idc ------------------------------------------------------------------------------------------------------===//

/// A transform compiled for this computer: `fft` for powers of two, `fft_any` for other lengths.
class Transform {
public:
  Transform(int64_t length, const char *type) {
    idc_request *request;
    check(idc_request_create(&request));
    check(idc_request_file(request, "fft.id"));
    int64_t digits = 0;
    while ((int64_t(1) << digits) < length)
      ++digits;
    const bool isPower = (int64_t(1) << digits) == length;
    check(idc_request_entry(request, isPower ? "fft" : "fft_any"));
    check(idc_request_set(request,
                          isPower ? ("n=" + std::to_string(digits)).c_str() : ("N=" + std::to_string(length)).c_str()));
    check(idc_request_set(request, (std::string("T=") + type).c_str()));
    if (idc_compile(request, &result) != IDC_SUCCESS) {
      idc_diagnostic diagnostic;
      const bool known =
          idc_result_diagnostic_count(result) > 0 && idc_result_diagnostic(result, 0, &diagnostic) == IDC_SUCCESS;
      fail(known ? diagnostic.rendered : "a transform cannot be compiled");
    }
    check(idc_result_load(result, &module));
    idc_request_destroy(request);
  }
  ~Transform() {
    idc_module_unload(module);
    idc_result_destroy(result);
  }
  Transform(const Transform &) = delete;
  Transform &operator=(const Transform &) = delete;

  int64_t workspace(int64_t batch) const {
    int64_t bytes;
    check(idc_workspace_size(module, batch, &bytes));
    return bytes;
  }
  void run(int64_t batch, const void *x, void *y, void *workspace) const {
    check(idc_launch(module, batch, &x, nullptr, &y, workspace, nullptr));
  }

private:
  idc_result *result = nullptr;
  idc_module *module = nullptr;
};

//===--- measuring ------------------------------------------------------------------------------------------------===//

double secondsOf(const std::function<void()> &call, int64_t calls) {
  const auto begin = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < calls; ++i)
    call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / double(calls);
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct Times {
  double idc, fftw, ratio;
};

Times alternate(const std::function<void()> &idc, const std::function<void()> &fftw, int rounds) {
  constexpr double roundSeconds = 1e-3; // at least, of either
  const double once = std::min(secondsOf(idc, 2), secondsOf(fftw, 2));
  const int64_t calls = std::max<int64_t>(1, int64_t(roundSeconds / once));
  std::vector<double> ofIdc, ofFftw, ratios;
  for (int round = 0; round < rounds; ++round) {
    ofIdc.push_back(secondsOf(idc, calls));
    ofFftw.push_back(secondsOf(fftw, calls));
    ratios.push_back(ofIdc.back() / ofFftw.back());
  }
  return {median(ofIdc), median(ofFftw), median(ratios)};
}

/// Elements at a 64-byte boundary, as FFTW's own allocation gives them.
template <typename T> std::unique_ptr<T[], void (*)(void *)> aligned(size_t count) {
  void *memory = std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64 + 64);
  if (!memory)
    fail("not enough memory");
  std::memset(memory, 0, count * sizeof(T));
  return {static_cast<T *>(memory), std::free};
}

struct Options {
  int threads = 1, rounds = 31;
  std::string type, only; // empty: all
  std::vector<int64_t> lengths;
  int64_t batch = 1;
};

template <typename Real> double row(int64_t length, int64_t batch, const Options &options) {
  const size_t count = size_t(length * batch);
  auto x = aligned<std::complex<Real>>(count), y = aligned<std::complex<Real>>(count),
       z = aligned<std::complex<Real>>(count);
  Fftw<Real>::threads(options.threads);
  auto plan = Fftw<Real>::plan(int(length), int(batch), x.get(), z.get());
  const Transform transform(length, Fftw<Real>::name);
  auto workspace = aligned<char>(size_t(transform.workspace(batch)));
  std::mt19937 random(1);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  for (size_t i = 0; i < count; ++i)
    x[i] = {uniform(random), uniform(random)};
  auto idc = [&] { transform.run(batch, x.get(), y.get(), workspace.get()); };
  auto fftw = [&] { Fftw<Real>::run(plan); };
  idc();
  fftw();
  double difference = 0, size = 0;
  for (size_t i = 0; i < count; ++i) {
    difference += std::norm(std::complex<double>(y[i]) - std::complex<double>(z[i]));
    size += std::norm(std::complex<double>(z[i]));
  }
  if (!(std::sqrt(difference / size) < (sizeof(Real) == 4 ? 1e-5 : 1e-13)))
    fail("length " + std::to_string(length) + ": the results differ");
  const Times times = alternate(idc, fftw, options.rounds);
  Fftw<Real>::destroy(plan);
  std::printf("%8lld  %s %8lld  %10.3f  %10.3f  %6.2f\n", static_cast<long long>(length), Fftw<Real>::name,
              static_cast<long long>(batch), times.idc * 1e6, times.fftw * 1e6, times.ratio);
  std::fflush(stdout);
  return times.ratio;
}

/// A class of cases: rows for both precisions and their geometric mean. `total`: elements of all problems together, at
/// most; 0: options.batch problems.
void table(const char *title, const std::vector<int64_t> &lengths, int64_t total, const Options &options) {
  std::printf("%s, %d thread%s\n%8s  %s %8s  %10s  %10s  %6s\n", title, options.threads,
              options.threads == 1 ? "" : "s", "length", "   ", "batch", "idc us", "FFTW us", "ratio");
  double logs = 0;
  int rows = 0;
  for (int64_t length : lengths) {
    const int64_t batch = total ? std::max<int64_t>(1, total / length) : options.batch;
    if (options.type != "f64")
      logs += std::log(row<float>(length, batch, options)), ++rows;
    if (options.type != "f32")
      logs += std::log(row<double>(length, batch, options)), ++rows;
  }
  std::printf("%s: geometric mean %.2f\n\n", title, std::exp(logs / rows));
}

std::vector<int64_t> powers(int first, int last, int step) {
  std::vector<int64_t> lengths;
  for (int n = first; n <= last; n += step)
    lengths.push_back(int64_t(1) << n);
  return lengths;
}

int run(const Options &options) {
  if (!options.lengths.empty()) {
    table("lengths", options.lengths, 0, options);
    return 0;
  }
  const std::string &only = options.only;
  if (only.empty() || only == "one")
    table("one transform", powers(4, 20, 1), 0, options);
  if (only.empty() || only == "batches") {
    table("batches of 2^16 numbers", powers(4, 14, 2), 1 << 16, options);
    table("batches of 2^22 numbers", powers(4, 18, 2), 1 << 22, options);
  }
  if (only.empty() || only == "mixed")
    table("other lengths", {12, 60, 100, 240, 360, 480, 1000, 1440, 2000, 5040, 10000, 44100}, 0, options);
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App tool("Times of transforms on the CPU beside FFTW's (docs/performance.md).");
  Options options;
  tool.add_option("--only", options.only, "default all")->check(CLI::IsMember({"one", "batches", "mixed"}));
  tool.add_option("--lengths", options.lengths, "these instead")
      ->type_name("N,…")
      ->delimiter(',')
      ->check(idc::host::atLeast(1));
  tool.add_option("--type", options.type, "default both")->check(CLI::IsMember({"f32", "f64"}));
  tool.add_option("--batch", options.batch, "transforms of each length (default 1)")
      ->type_name("N")
      ->check(idc::host::atLeast(1));
  tool.add_option("--threads", options.threads, "of FFTW (default 1)")->type_name("N")->check(idc::host::atLeast(1));
  tool.add_option("--rounds", options.rounds, "of which the medians are taken (default 31)")
      ->type_name("N")
      ->check(idc::host::atLeast(1));
  return idc::host::toolMain(tool, argc, argv, [&options] { return run(options); });
}
