// gpu-interfaces: a program that calls cuFFT and cuSPARSE, for libidc-cufft and libidc-gtsv to stand in for.
//
//   gpu-interfaces --write FILE                      with CUDA's libraries: keeps the results
//   LD_PRELOAD=... gpu-interfaces --compare FILE     with idc's: compares
//
// Exit status: 0 all right, 1 something is wrong, 2 no GPU or wrong arguments.
#include "Cuda.h"
#include "host/ToolMain.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cufftXt.h>
#include <cusparse.h>
#include <dlfcn.h>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace gpucheck;

namespace {

bool comparing = false;
FILE *kept = nullptr;
int failures = 0;

void expect(bool right, const std::string &what) {
  std::printf("%-5s %s\n", right ? "ok" : "WRONG", what.c_str());
  failures += !right;
}

/// Keeps a result, or compares it with the one that was kept.
template <typename T> void result(const std::string &name, const std::vector<T> &values, double tolerance) {
  uint64_t count = values.size();
  if (!comparing) {
    std::fwrite(&count, sizeof count, 1, kept);
    std::fwrite(values.data(), sizeof(T), count, kept);
    return;
  }
  uint64_t before = 0;
  std::vector<T> expected(count);
  if (std::fread(&before, sizeof before, 1, kept) != 1 || before != count ||
      std::fread(expected.data(), sizeof(T), count, kept) != count) {
    expect(false, name + ": the file has another result");
    std::exit(1);
  }
  double difference = 0, norm = 0;
  for (size_t i = 0; i < count; ++i) {
    difference += std::pow(double(values[i]) - double(expected[i]), 2);
    norm += std::pow(double(expected[i]), 2);
  }
  const double error = std::sqrt(difference / std::max(norm, 1e-300));
  char text[32];
  std::snprintf(text, sizeof text, " %.1e", error);
  expect(error < tolerance, name + text);
}

template <typename T> std::vector<T> numbers(size_t count, unsigned seed) {
  std::mt19937 generator(seed);
  std::uniform_real_distribution<double> distribution(-1, 1);
  std::vector<T> values(count);
  for (T &value : values)
    value = T(distribution(generator));
  return values;
}

/// A transform by cufftPlanMany() of `in` and `out` numbers; in place both are in the larger array. `shift`: elements
/// that the arrays begin behind a multiple of 256 bytes.
struct Case {
  std::string name;
  std::vector<int> n;
  cufftType type;
  int batch = 1;
  bool inPlace = false;
  std::vector<int> inembed = {}, onembed = {};
  int istride = 1, idist = 0, ostride = 1, odist = 0;
  int direction = CUFFT_FORWARD;
  size_t shift = 0;
};

void execute(cufftHandle plan, cufftType type, void *in, void *out, int direction) {
  switch (type) {
  case CUFFT_C2C:
    return CHECK_CUDA(cufftExecC2C(plan, static_cast<cufftComplex *>(in), static_cast<cufftComplex *>(out), direction));
  case CUFFT_R2C:
    return CHECK_CUDA(cufftExecR2C(plan, static_cast<float *>(in), static_cast<cufftComplex *>(out)));
  case CUFFT_C2R:
    return CHECK_CUDA(cufftExecC2R(plan, static_cast<cufftComplex *>(in), static_cast<float *>(out)));
  case CUFFT_Z2Z:
    return CHECK_CUDA(
        cufftExecZ2Z(plan, static_cast<cufftDoubleComplex *>(in), static_cast<cufftDoubleComplex *>(out), direction));
  case CUFFT_D2Z:
    return CHECK_CUDA(cufftExecD2Z(plan, static_cast<double *>(in), static_cast<cufftDoubleComplex *>(out)));
  case CUFFT_Z2D:
    return CHECK_CUDA(cufftExecZ2D(plan, static_cast<cufftDoubleComplex *>(in), static_cast<double *>(out)));
  }
}

/// Numbers of one side of a case, from the first to behind the last element.
size_t reach(const Case &c, bool isOut) {
  const bool halves = c.type != CUFFT_C2C && c.type != CUFFT_Z2Z;
  const bool complex = !halves || (isOut == (c.type == CUFFT_R2C || c.type == CUFFT_D2Z));
  const std::vector<int> &embed = isOut ? c.onembed : c.inembed;
  const size_t stride = size_t(isOut ? c.ostride : c.istride), distance = size_t(isOut ? c.odist : c.idist);
  size_t elements = 1;
  for (size_t i = 0; i < c.n.size(); ++i) {
    int size = c.n[i];
    if (i + 1 == c.n.size() && halves)
      size = complex ? size / 2 + 1 : c.inPlace ? size / 2 * 2 + 2 : size;
    elements *= size_t(embed.empty() ? size : i == 0 ? c.n[i] : embed[i]);
  }
  return (embed.empty() ? elements * size_t(c.batch) : (elements - 1) * stride + distance * size_t(c.batch - 1) + 1) *
         (complex ? 2 : 1);
}

template <typename T> void transform(const Case &c, unsigned seed, double tolerance) {
  const size_t in = reach(c, false), out = reach(c, true), before = c.shift * 2;
  const size_t inCount = before + (c.inPlace ? std::max(in, out) : in), outCount = before + out;
  std::vector<T> x = numbers<T>(inCount, seed), y(outCount, T(0.25));
  if ((c.type == CUFFT_C2R || c.type == CUFFT_Z2D) && c.n.size() > 1) { // values that mirror each other
    std::fill(x.begin(), x.end(), T(0));
    x[before] = T(1), x[before + 2] = T(0.5), x[before + 3] = T(-0.25);
  } else if (c.type == CUFFT_C2R || c.type == CUFFT_Z2D) { // the first, and of even lengths the last, are real
    const size_t n = size_t(c.n[0]), row = (n / 2 + 1) * 2;
    for (size_t at = before; at + row <= before + in; at += row) {
      x[at + 1] = T(0);
      if (n % 2 == 0)
        x[at + row - 1] = T(0);
    }
  }
  Buffer from(inCount * sizeof(T), 1024), to(outCount * sizeof(T), 1024);
  CHECK_CUDA(cudaMemcpy(from.data(), x.data(), inCount * sizeof(T), cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(to.data(), y.data(), outCount * sizeof(T), cudaMemcpyHostToDevice));
  cufftHandle plan;
  std::vector<int> n = c.n, inembed = c.inembed, onembed = c.onembed;
  CHECK_CUDA(cufftPlanMany(&plan, int(n.size()), n.data(), inembed.empty() ? nullptr : inembed.data(), c.istride,
                           c.idist, onembed.empty() ? nullptr : onembed.data(), c.ostride, c.odist, c.type, c.batch));
  T *source = from.as<T>() + before, *target = c.inPlace ? source : to.as<T>() + before;
  execute(plan, c.type, source, target, c.direction);
  CHECK_CUDA(cudaDeviceSynchronize());
  expect(from.guardsIntact(nullptr) && to.guardsIntact(nullptr), c.name + ": nothing is written beside the arrays");
  std::vector<T> got = c.inPlace ? x : y;
  CHECK_CUDA(
      cudaMemcpy(got.data(), c.inPlace ? from.data() : to.data(), got.size() * sizeof(T), cudaMemcpyDeviceToHost));
  if (c.inPlace && (c.type == CUFFT_C2R || c.type == CUFFT_Z2D)) { // the padding of rows holds anything
    const size_t row = size_t(c.n.back() / 2 + 1) * 2;
    for (size_t i = before; i < got.size(); ++i)
      if ((i - before) % row >= size_t(c.n.back()))
        got[i] = 0;
  }
  result(c.name, got, tolerance);
  CHECK_CUDA(cufftDestroy(plan));
}

void transforms() {
  std::vector<Case> cases;
  for (int n : {1, 2, 7, 16, 37, 100, 1000, 1009, 4096, 5136, 65536, 44100, 1 << 20})
    for (int direction : {CUFFT_FORWARD, CUFFT_INVERSE}) {
      const int batch = n > 100000 ? 1 : 5;
      const std::string name = "C2C " + std::to_string(n) + (direction == CUFFT_FORWARD ? " forward" : " inverse");
      cases.push_back({name, {n}, CUFFT_C2C, batch, false, {}, {}, 1, 0, 1, 0, direction});
      cases.push_back({name + " in place", {n}, CUFFT_C2C, batch, true, {}, {}, 1, 0, 1, 0, direction});
    }
  for (int n : {2, 9, 64, 100, 1440, 8192, 10007})
    for (bool inPlace : {false, true}) {
      const std::string name = std::to_string(n) + (inPlace ? " in place" : "");
      cases.push_back({"R2C " + name, {n}, CUFFT_R2C, 6, inPlace});
      cases.push_back({"C2R " + name, {n}, CUFFT_C2R, 6, inPlace, {}, {}, 1, 0, 1, 0, CUFFT_INVERSE});
    }
  for (std::vector<int> n :
       {std::vector<int>{64, 64}, {100, 60}, {128, 256}, {7, 9}, {512, 512}, {32, 32, 32}, {20, 30, 50}})
    for (bool inPlace : {false, true}) {
      std::string name;
      for (int size : n)
        name += (name.empty() ? "" : "x") + std::to_string(size);
      name += inPlace ? " in place" : "";
      cases.push_back({"C2C " + name, n, CUFFT_C2C, 2, inPlace});
      cases.push_back({"C2C inverse " + name, n, CUFFT_C2C, 2, inPlace, {}, {}, 1, 0, 1, 0, CUFFT_INVERSE});
      cases.push_back({"R2C " + name, n, CUFFT_R2C, 2, inPlace});
      cases.push_back({"C2R " + name, n, CUFFT_C2R, 2, inPlace, {}, {}, 1, 0, 1, 0, CUFFT_INVERSE});
    }
  cases.push_back({"C2C interleaved batch", {256}, CUFFT_C2C, 32, false, {256}, {256}, 32, 1, 32, 1});
  cases.push_back({"C2C interleaved to rows", {100}, CUFFT_C2C, 8, false, {100}, {100}, 8, 1, 1, 100});
  cases.push_back({"C2C rows with gaps", {64}, CUFFT_C2C, 9, false, {64}, {64}, 1, 80, 2, 130});
  cases.push_back({"C2C in a larger picture", {60, 100}, CUFFT_C2C, 2, false, {60, 128}, {64, 110}, 1, 7680, 1, 7040});
  cases.push_back({"R2C in a larger picture", {60, 100}, CUFFT_R2C, 2, false, {60, 128}, {60, 64}, 1, 7680, 1, 3840});
  cases.push_back({"R2C strided", {48}, CUFFT_R2C, 4, false, {48}, {25}, 3, 150, 2, 60});
  cases.push_back({"C2C behind one element", {1024}, CUFFT_C2C, 4, false, {}, {}, 1, 0, 1, 0, CUFFT_FORWARD, 1});
  unsigned seed = 0;
  for (const Case &c : cases) {
    transform<float>(c, ++seed, 1e-6);
    Case twice = c;
    twice.type = cufftType(c.type | 0x40);
    twice.name = "double " + c.name;
    transform<double>(twice, ++seed, 1e-14);
  }
}

/// Work areas of the caller, streams, graphs, plans with 64-bit sizes and types, many threads.
void calls() {
  const int n = 1 << 16, batch = 4;
  const size_t count = size_t(n) * batch * 2;
  Buffer from(count * 4), to(count * 4);
  const std::vector<float> x = numbers<float>(count, 5);
  CHECK_CUDA(cudaMemcpy(from.data(), x.data(), count * 4, cudaMemcpyHostToDevice));
  auto kept = [&](const std::string &name) {
    std::vector<float> y(count);
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaMemcpy(y.data(), to.data(), count * 4, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemset(to.data(), 255, count * 4));
    result(name, y, 1e-6);
  };
  auto *in = from.as<cufftComplex>(), *out = to.as<cufftComplex>();
  cufftHandle plan;
  size_t size = 0, own = 0;
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CHECK_CUDA(cufftCreate(&plan));
  CHECK_CUDA(cufftSetAutoAllocation(plan, 0));
  long long sizes[] = {n};
  CHECK_CUDA(cufftMakePlanMany64(plan, 1, sizes, nullptr, 1, 0, nullptr, 1, 0, CUFFT_C2C, batch, &size));
  CHECK_CUDA(cufftGetSize(plan, &own));
  expect(size == own, "the work area has one size");
  Buffer area(std::max<size_t>(size, 256), 1024);
  CHECK_CUDA(cufftSetWorkArea(plan, area.data()));
  CHECK_CUDA(cufftSetStream(plan, stream));
  CHECK_CUDA(cufftExecC2C(plan, in, out, CUFFT_FORWARD));
  kept("a work area of the caller's, on a stream");
  expect(area.guardsIntact(nullptr), "nothing is written beside the work area");
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CHECK_CUDA(cufftExecC2C(plan, in, out, CUFFT_INVERSE));
  CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
  CHECK_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  for (int i = 0; i < 3; ++i)
    CHECK_CUDA(cudaGraphLaunch(executable, stream));
  kept("a graph");
  CHECK_CUDA(cufftDestroy(plan));
  CHECK_CUDA(cufftCreate(&plan));
  CHECK_CUDA(cufftXtMakePlanMany(plan, 1, sizes, nullptr, 1, 0, CUDA_C_32F, nullptr, 1, 0, CUDA_C_32F, batch, &size,
                                 CUDA_C_32F));
  CHECK_CUDA(cufftXtExec(plan, in, out, CUFFT_FORWARD));
  kept("types of cufftXtMakePlanMany");
  if (comparing) // cuFFT takes it
    expect(cufftExecR2C(plan, from.as<float>(), out) == CUFFT_INVALID_TYPE, "another type of execution is refused");
  CHECK_CUDA(cufftDestroy(plan));
  expect(cufftExecC2C(plan, in, out, CUFFT_FORWARD) == CUFFT_INVALID_PLAN, "a destroyed plan is none");
  CHECK_CUDA(cudaStreamDestroy(stream));

  std::vector<std::thread> threads;
  std::vector<int> wrong(100, 1);
  for (size_t t = 0; t < wrong.size(); ++t)
    threads.emplace_back([&, t] {
      const int length = 16 << (t % 4);
      std::vector<cufftComplex> values(size_t(length), cufftComplex{0, 0});
      values[0].x = float(t + 1);
      cufftHandle mine;
      cufftComplex *memory;
      const size_t bytes = size_t(length) * sizeof(cufftComplex);
      if (cudaMalloc(&memory, bytes) != cudaSuccess || cufftPlan1d(&mine, length, CUFFT_C2C, 1) != CUFFT_SUCCESS)
        return;
      cudaMemcpy(memory, values.data(), bytes, cudaMemcpyHostToDevice);
      const bool ran = cufftExecC2C(mine, memory, memory, CUFFT_FORWARD) == CUFFT_SUCCESS;
      cudaMemcpy(values.data(), memory, bytes, cudaMemcpyDeviceToHost);
      wrong[t] = !ran || std::any_of(values.begin(), values.end(), [&](cufftComplex z) {
        return std::abs(z.x - float(t + 1)) > 1e-4f * float(t + 1) || std::abs(z.y) > 1e-4f * float(t + 1);
      });
      cufftDestroy(mine);
      cudaFree(memory);
    });
  for (std::thread &thread : threads)
    thread.join();
  expect(std::count(wrong.begin(), wrong.end(), 0) == int(wrong.size()), "100 threads plan and transform at once");
}

/// Residual of a solution, beside the largest terms.
struct Batch {
  int rows, systems;
  std::function<size_t(int, int)> matrix, side;
};

void check(const std::string &name, const Batch &batch, const std::vector<double> &dl, const std::vector<double> &d,
           const std::vector<double> &du, const std::vector<double> &b, const std::vector<double> &x) {
  double worst = 0;
  for (int s = 0; s < batch.systems; ++s) {
    double largest = 0;
    for (int i = 0; i < batch.rows; ++i)
      largest = std::max(largest, std::abs(x[batch.side(i, s)]));
    for (int i = 0; i < batch.rows; ++i) {
      const size_t at = batch.matrix(i, s);
      double sum = d[at] * x[batch.side(i, s)] - b[batch.side(i, s)];
      if (i > 0)
        sum += dl[at] * x[batch.side(i - 1, s)];
      if (i + 1 < batch.rows)
        sum += du[at] * x[batch.side(i + 1, s)];
      worst = std::max(worst, std::isfinite(sum) ? std::abs(sum) / std::max(largest, 1.0) : INFINITY);
    }
  }
  char text[32];
  std::snprintf(text, sizeof text, " %.1e", worst);
  expect(worst < 1e-12, name + text);
}

void systems() {
  cusparseHandle_t handle;
  if (cusparseCreate(&handle) != CUSPARSE_STATUS_SUCCESS)
    return expect(false, "cusparseCreate");
  for (int rows : {3, 64, 1000, 5001})
    for (int count : {1, 7, 64}) {
      const int stride = rows + 3;
      struct Kind {
        const char *name;
        Batch batch;
        size_t numbers;
      };
      auto strided = [=](int i, int s) { return size_t(s) * size_t(stride) + size_t(i); };
      auto interleaved = [=](int i, int s) { return size_t(i) * size_t(count) + size_t(s); };
      auto shared = [](int i, int) { return size_t(i); };
      const size_t many = size_t(stride) * size_t(count);
      for (const Kind &kind : {Kind{"gtsv2", {rows, count, shared, strided}, many},
                               Kind{"gtsv2_nopivot", {rows, count, shared, strided}, many},
                               Kind{"gtsv2StridedBatch", {rows, count, strided, strided}, many},
                               Kind{"gtsvInterleavedBatch", {rows, count, interleaved, interleaved}, many}}) {
        // Systems of the kinds that do not pivot in cuSPARSE are dominated by their diagonals.
        const bool dominated = !comparing && (kind.name[5] == '_' || kind.name[5] == 'S' || kind.name[4] == 'I');
        std::vector<double> dl = numbers<double>(many, 1), d = numbers<double>(many, 2), du = numbers<double>(many, 3);
        const std::vector<double> b = numbers<double>(many, 4);
        if (dominated)
          for (double &value : d)
            value += value < 0 ? -3 : 3;
        for (int s = 0; s < count; ++s)
          dl[kind.batch.matrix(0, s)] = du[kind.batch.matrix(rows - 1, s)] = 0;
        Buffer a(many * 8), m(many * 8), c(many * 8), x(many * 8, 1024);
        auto upload = [&](const Buffer &to, const std::vector<double> &from) {
          CHECK_CUDA(cudaMemcpy(to.data(), from.data(), many * 8, cudaMemcpyHostToDevice));
        };
        upload(a, dl), upload(m, d), upload(c, du), upload(x, b);
        auto *pa = a.as<double>(), *pm = m.as<double>(), *pc = c.as<double>(), *px = x.as<double>();
        size_t bytes = 0;
        cusparseStatus_t status{};
        const std::string what = kind.name;
        if (what == "gtsv2")
          status = cusparseDgtsv2_bufferSizeExt(handle, rows, count, pa, pm, pc, px, stride, &bytes);
        else if (what == "gtsv2_nopivot")
          status = cusparseDgtsv2_nopivot_bufferSizeExt(handle, rows, count, pa, pm, pc, px, stride, &bytes);
        else if (what == "gtsv2StridedBatch")
          status = cusparseDgtsv2StridedBatch_bufferSizeExt(handle, rows, pa, pm, pc, px, count, stride, &bytes);
        else
          status = cusparseDgtsvInterleavedBatch_bufferSizeExt(handle, 1, rows, pa, pm, pc, px, count, &bytes);
        Buffer work(std::max<size_t>(bytes, 256));
        if (status == CUSPARSE_STATUS_SUCCESS) {
          if (what == "gtsv2")
            status = cusparseDgtsv2(handle, rows, count, pa, pm, pc, px, stride, work.data());
          else if (what == "gtsv2_nopivot")
            status = cusparseDgtsv2_nopivot(handle, rows, count, pa, pm, pc, px, stride, work.data());
          else if (what == "gtsv2StridedBatch")
            status = cusparseDgtsv2StridedBatch(handle, rows, pa, pm, pc, px, count, stride, work.data());
          else
            status = cusparseDgtsvInterleavedBatch(handle, 1, rows, pa, pm, pc, px, count, work.data());
        }
        CHECK_CUDA(cudaDeviceSynchronize());
        std::vector<double> solution(many);
        CHECK_CUDA(cudaMemcpy(solution.data(), x.data(), many * 8, cudaMemcpyDeviceToHost));
        const std::string name = what + " " + std::to_string(rows) + " x " + std::to_string(count);
        if (status != CUSPARSE_STATUS_SUCCESS)
          expect(false, name + ": status " + std::to_string(status));
        else
          check(name, kind.batch, dl, d, du, b, solution);
        expect(x.guardsIntact(nullptr), name + ": nothing is written beside the solutions");
      }
    }
  cusparseDestroy(handle);
}

/// Milliseconds of a call, from the median of repetitions on the GPU, and microseconds until it returns.
void times() {
  for (int n : {8, 12, 16, 20}) {
    const int length = 1 << n, batch = 1 << (26 - n);
    const size_t bytes = size_t(length) * size_t(batch) * sizeof(cufftComplex);
    Buffer from(bytes), to(bytes);
    CHECK_CUDA(cudaMemset(from.data(), 1, bytes));
    cufftHandle plan;
    const auto begin = std::chrono::steady_clock::now();
    CHECK_CUDA(cufftPlan1d(&plan, length, CUFFT_C2C, batch));
    const double planned = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    cudaEvent_t events[2];
    for (cudaEvent_t &event : events)
      CHECK_CUDA(cudaEventCreate(&event));
    std::vector<float> milliseconds;
    std::vector<double> host;
    for (int i = 0; i < 12; ++i) {
      CHECK_CUDA(cudaEventRecord(events[0]));
      const auto call = std::chrono::steady_clock::now();
      CHECK_CUDA(cufftExecC2C(plan, from.as<cufftComplex>(), to.as<cufftComplex>(), CUFFT_FORWARD));
      host.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - call).count());
      CHECK_CUDA(cudaEventRecord(events[1]));
      CHECK_CUDA(cudaEventSynchronize(events[1]));
      float elapsed = 0;
      CHECK_CUDA(cudaEventElapsedTime(&elapsed, events[0], events[1]));
      milliseconds.push_back(elapsed);
    }
    std::sort(milliseconds.begin(), milliseconds.end());
    std::sort(host.begin(), host.end());
    std::printf("time  2^%d x %d: %.4f ms, call %.1f us, plan %.0f ms\n", n, batch, milliseconds[6], host[6], planned);
    CHECK_CUDA(cufftDestroy(plan));
  }
}

int run(const std::string &path) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
    throw std::runtime_error("no GPU");
  kept = std::fopen(path.c_str(), comparing ? "rb" : "wb");
  if (!kept)
    throw std::runtime_error("cannot open " + path);
  for (const void *function :
       {reinterpret_cast<const void *>(cufftPlan1d), reinterpret_cast<const void *>(cusparseDgtsv2)}) {
    Dl_info info;
    std::printf("from  %s\n", dladdr(function, &info) ? info.dli_fname : "?");
  }
  transforms();
  calls();
  systems();
  times();
  std::fclose(kept);
  std::printf("%d wrong\n", failures);
  return failures ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App tool("Results of cuFFT's and cuSPARSE's functions: of the libraries that the loader finds.");
  std::string written, compared;
  CLI::Option *write = tool.add_option("--write", written, "keep the results")->type_name("FILE");
  CLI::Option *compare = tool.add_option("--compare", compared, "with results that were kept")->type_name("FILE");
  write->excludes(compare);
  return idc::host::toolMain(
      tool, argc, argv,
      [&] {
        comparing = !compared.empty();
        if (!comparing && written.empty())
          throw CLI::RequiredError("--write FILE or --compare FILE");
        return run(comparing ? compared : written);
      },
      2);
}
