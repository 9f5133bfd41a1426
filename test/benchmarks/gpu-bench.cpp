// gpu-bench: times compiled programs beside a device-to-device copy of the same bytes and cuFFT, in one process.
//
// Every program works on as many problems as fill 1 GiB, at least one, out of place; the three operations alternate,
// each between two CUDA events, and all are queued before the first result is read, so that the GPU never waits for the
// host. Exit status: 0 all measured, 1 something was left out or gave wrong results, 2 wrong use or no GPU, 3 context
// lost.
#include "Cases.h"
#include "Cuda.h"
#include "CufftPlan.h"
#include "Half.h"
#include "RandomData.h"
#include "SelectionOption.h"
#include "Timing.h"
#include "host/ToolMain.h"
#include <algorithm>
#include <cstdio>
#include <optional>
#include <random>

using namespace gpucheck;

namespace {

/// The numbers that elements of a type are made of.
struct Numbers {
  enum Kind { F16, F32, F64, Residues } kind;
  uint32_t modulus; // of residues

  size_t bytes() const { return kind == F16 ? 2 : kind == F64 ? 8 : 4; }
  Real real() const { return kind == F64 ? Real::F64 : Real::F32; }
  /// A difference from another implementation that no rounding explains.
  double wrongResult() const { return kind == F16 ? 1e-2 : kind == F64 ? 1e-13 : 1e-5; }
};

/// From a type as the manifest writes it: mod<P> of 32 bits, or anything that holds reals of one type only.
Numbers numbersOf(const idc_operand &operand) {
  const std::string type = operand.type;
  if (type.rfind("mod<", 0) == 0 && operand.element_bytes == 4)
    return {Numbers::Residues, uint32_t(std::stoul(type.substr(4)))};
  std::optional<Numbers> numbers;
  size_t types = 0;
  for (auto [name, kind] : {std::pair("f16", Numbers::F16), {"f32", Numbers::F32}, {"f64", Numbers::F64}})
    if (type.find(name) != std::string::npos) {
      numbers = Numbers{kind, 0};
      types++;
    }
  if (types != 1 || type.find("bf16") != std::string::npos)
    throw CudaError("no random data for elements of type " + type);
  return *numbers;
}

void fill(const Numbers &numbers, const Buffer &buffer, uint64_t seed, cudaStream_t stream) {
  const size_t count = buffer.size() / numbers.bytes();
  switch (numbers.kind) {
  case Numbers::F32:
    return fillNormal(buffer.as<float>(), count, seed, stream);
  case Numbers::F64:
    return fillNormal(buffer.as<double>(), count, seed, stream);
  case Numbers::Residues:
    return fillResidues(buffer.as<uint32_t>(), count, numbers.modulus, seed, stream);
  case Numbers::F16:
    Buffer wide(count * sizeof(float));
    fillNormal(wide.as<float>(), count, seed, stream);
    narrow(wide.as<float>(), buffer.data(), count, stream);
    CHECK_CUDA(cudaStreamSynchronize(stream));
  }
}

struct Measurement {
  size_t elements = 0, batch = 0, bytes = 0, workspaceBytes = 0; // bytes: of the input, or half of input and output
  Times copy, cufft, idc;                                        // cufft.median is 0 for programs that cuFFT has not
  std::optional<double> difference; // largest relative L2 difference of a member from another implementation
  bool wrong = false;
};

/// The difference of a Hadamard transform's results from those of one plain kernel per level, in f32 for f16.
double hadamardDifference(const Numbers &numbers, int n, const Buffer &input, const Buffer &output, size_t batch,
                          cudaStream_t stream) {
  const size_t count = input.size() / numbers.bytes(), components = size_t(1) << n;
  const bool half = numbers.kind == Numbers::F16;
  Buffer other(half ? count * sizeof(float) : input.size()), widened(half ? count * sizeof(float) : 0);
  if (half) {
    widen(input.data(), other.as<float>(), count, stream);
    widen(output.data(), widened.as<float>(), count, stream);
  } else {
    CHECK_CUDA(cudaMemcpyAsync(other.data(), input.data(), input.size(), cudaMemcpyDeviceToDevice, stream));
  }
  hadamardInPlace(numbers.real(), n, other.data(), count, stream);
  return worstDifference(numbers.real(), half ? widened.data() : output.data(), 1, other.data(), components, batch,
                         stream);
}

Measurement measureProgram(const Case &which, uint64_t seed, cudaStream_t stream) {
  LoadedKernel kernel(which.image, which.manifest);
  const idc_operand operand = kernel.input(), result = kernel.output();
  const bool real = which.transform && isOfReals(*which.transform);
  const size_t inputBytes = size_t(operand.elements * operand.element_bytes),
               outputBytes = size_t(result.elements * result.element_bytes);
  if (outputBytes != inputBytes && !real)
    throw CudaError("input and output differ in size");
  const Numbers numbers = numbersOf(operand);
  Measurement m;
  m.elements = size_t(operand.elements);
  m.batch = std::max<size_t>(1, GiB / std::max(inputBytes, outputBytes));
  m.bytes = m.batch * (inputBytes + outputBytes) / 2;
  m.workspaceBytes = kernel.workspaceBytes(m.batch);
  const size_t most = m.batch * std::max(inputBytes, outputBytes);
  Buffer input(most), output(most), other(most), workspace(m.workspaceBytes);
  if (which.transform == Transform::RealInverse) { // frequencies of real values
    fill(numbers, other, seed, stream);
    CufftPlan(numbers.real(), which.lengths, m.batch, stream, Transform::RealForward)
        .execute(Transform::RealForward, other.data(), input.data());
    CHECK_CUDA(cudaStreamSynchronize(stream));
  } else {
    fill(numbers, input, seed, stream);
  }
  output.poison(stream);

  std::optional<CufftPlan> plan;
  std::vector<Operation> operations = {
      {[&] { CHECK_CUDA(cudaMemcpyAsync(other.data(), input.data(), m.bytes, cudaMemcpyDeviceToDevice, stream)); }, {}},
      {[&] { kernel.launch(m.batch, {input.data()}, {output.data()}, workspace, stream); }, {}}};
  const bool hadamard = which.transform == Transform::Hadamard;
  if (which.transform && !hadamard) {
    const std::vector<long long> whole = {operand.elements};
    plan.emplace(numbers.real(), which.lengths.empty() ? whole : which.lengths, m.batch, stream, *which.transform);
    kernel.launch(m.batch, {input.data()}, {output.data()}, workspace, stream);
    plan->execute(*which.transform, input.data(), other.data());
    m.difference = worstDifference(numbers.real(), output.data(), which.unscale, other.data(),
                                   outputBytes / numbers.bytes(), m.batch, stream);
    operations.push_back({[&] { plan->execute(*which.transform, input.data(), other.data()); }, {}});
  }
  const std::vector<Times> times = measure(operations, stream);
  m.copy = times[0];
  m.idc = times[1];
  if (plan) {
    m.cufft = times[2];
  } else if (hadamard) {
    int n = 0;
    while (size_t(1) << n < m.elements)
      n++;
    m.difference = hadamardDifference(numbers, n, input, output, m.batch, stream);
  }
  m.wrong = m.difference && !(*m.difference < numbers.wrongResult()); // NaN compares false
  return m;
}

/// "1.234", or "-" when there is no such number.
std::string ratio(double numerator, double denominator) {
  if (numerator <= 0 || denominator <= 0)
    return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", numerator / denominator);
  return text;
}

void writeRow(std::FILE *csv, const Machine &machine, const Case &which, const Measurement &m) {
  std::fprintf(csv, "%s,%s,%s,%s,%s,%s,%s,%s,%zu,%zu,%zu,%zu,%.6g,%.6g,%.6g,%.6g,%.6g,", timestamp().c_str(),
               machine.gpu.c_str(), machine.driver.c_str(), machine.cudaRuntime.c_str(), machine.cufft.c_str(),
               which.program.c_str(), which.type.c_str(), which.size.c_str(), m.elements, m.batch, m.bytes,
               m.workspaceBytes, m.copy.median, m.cufft.median, m.idc.median, m.idc.least, m.idc.most);
  if (m.difference)
    std::fprintf(csv, "%.3g", *m.difference);
  std::fputc('\n', csv);
  std::fflush(csv);
}

void printRow(const Case &which, const Measurement &m) {
  std::printf("%-24s %9zu  %8.3f %8s %8s %9s  %7.0f %8.1f%s\n", which.name().c_str(), m.batch, m.copy.median,
              ratio(m.cufft.median, m.copy.median).c_str(), ratio(m.idc.median, m.copy.median).c_str(),
              ratio(m.idc.median, m.cufft.median).c_str(), 2 * m.bytes / m.idc.median * 1e-6,
              double(m.workspaceBytes) / MiB, m.wrong ? "  WRONG RESULT" : "");
  std::fflush(stdout);
}

struct Options {
  std::string kernels = "build/gpu/kernels", benchmarks = "build/gpu/benchmarks", results;
  Selection selection;
};

int run(const Options &options) {
  CHECK_CUDA(cudaSetDevice(0));
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Machine machine = describeMachine();
  std::printf("%s, driver %s, CUDA %s, cuFFT %s, %s\n", machine.gpu.c_str(), machine.driver.c_str(),
              machine.cudaRuntime.c_str(), machine.cufft.c_str(), timestamp().c_str());
  const std::vector<Case> cases = listCases(options.kernels, options.benchmarks, options.selection);
  if (cases.empty())
    throw std::runtime_error("no compiled programs match");
  std::FILE *csv = options.results.empty() ? nullptr : std::fopen(options.results.c_str(), "w");
  if (!options.results.empty() && !csv)
    throw std::runtime_error("cannot write " + options.results);
  if (csv)
    std::fputs("date,gpu,driver,cuda,cufft,program,type,n,elements,batch,bytes,workspace_bytes,memcpy_ms,cufft_ms,"
               "idc_ms,idc_least_ms,idc_most_ms,difference\n",
               csv);
  warmUp(stream);
  std::printf("%-24s %9s  %8s %8s %8s %9s  %7s %8s\n", "program", "batch", "copy ms", "cuFFT", "idc", "idc/cuFFT",
              "GB/s", "ws MiB");
  int status = 0;
  const uint64_t seed = std::random_device{}();
  for (const Case &which : cases) {
    try {
      const Measurement m = measureProgram(which, seed, stream);
      if (csv)
        writeRow(csv, machine, which, m);
      printRow(which, m);
      if (m.wrong)
        status = 1;
    } catch (const CudaError &error) {
      std::printf("%-24s %s\n", which.name().c_str(), error.what());
      std::fflush(stdout);
      cudaGetLastError();
      if (cudaDeviceSynchronize() != cudaSuccess)
        return 3;
      status = 1;
    }
  }
  if (csv)
    std::fclose(csv);
  return status;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App tool("Times transforms beside cuFFT and a copy.");
  Options options;
  tool.add_option("--kernels", options.kernels, "of the check's programs")->type_name("FOLDER");
  tool.add_option("--benchmarks", options.benchmarks, "of further programs")->type_name("FOLDER");
  tool.add_option("--results", options.results, "where to write the times")->type_name("FILE.csv");
  addSelection(tool, options.selection);
  return idc::host::toolMain(
      tool, argc, argv, [&options] { return run(options); }, 2);
}
