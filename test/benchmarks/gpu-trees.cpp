// gpu-trees: times tridiagonal solvers and scans beside cuSPARSE, CUB and a copy of the same bytes, in one process.
//
// A case whose data is small is executed many times in a graph, each execution on data of its own, none of which is in
// the cache when the graph starts: times are of one execution. All operations of a case alternate. What an operation
// overwrites of its input is put back before, outside of the timed part. A program whose result is wrong gets no
// figure. Exit status: 0 all measured, 1 something was left out or gave wrong results, 2 wrong use or no GPU, 3 context
// lost.
#include "Cusparse.h"
#include "RandomData.h"
#include "Scan.h"
#include "SelectionOption.h"
#include "Timing.h"
#include "TreeCases.h"
#include "host/ToolMain.h"
#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>

using namespace gpucheck;

namespace {

/// Residuals of single equations, and relative errors of sums, that no rounding explains.
double wrongResult(Real real) { return real == Real::F32 ? 1e-5 : 1e-13; }

/// Device memory for an operand of every execution.
class Operand {
public:
  Operand(size_t bytesEach, size_t executions) : each(bytesEach), memory(bytesEach * executions) {}
  explicit Operand(const idc_operand &operand, size_t batch, size_t executions)
      : Operand(batch * size_t(operand.elements * operand.element_bytes), executions) {}

  size_t bytesEach() const { return each; }
  void *of(int execution) const { return memory.as<char>() + size_t(execution) * each; }
  const Buffer &all() const { return memory; }
  void copyFrom(const Operand &other, cudaStream_t stream) const {
    CHECK_CUDA(cudaMemcpyAsync(memory.data(), other.memory.data(), memory.size(), cudaMemcpyDeviceToDevice, stream));
  }

private:
  size_t each;
  Buffer memory;
};
using Operands = std::vector<std::unique_ptr<Operand>>;

/// One who takes part in a case.
struct Measured {
  std::string who; // "copy", "idc", or the routine of another library
  Times times;     // of one execution, in microseconds
  std::optional<double> error;
  bool wrong = false;
};

/// A case with its memory, and those who take part.
class TreeBenchmark {
public:
  TreeBenchmark(const TreeCase &which, const CacheFlush &flush, uint64_t seed, cudaStream_t stream)
      : which(which), flush(flush), seed(seed), stream(stream), kernel(which.image, which.manifest),
        workspace(kernel.workspaceBytes(which.batch)) {
    for (const idc_operand &operand : kernel.inputs())
      moved += which.batch * size_t(operand.elements * operand.element_bytes);
    for (const idc_operand &operand : kernel.outputs())
      moved += which.batch * size_t(operand.elements * operand.element_bytes);
    executions = int(std::clamp<size_t>(GiB / moved, 1, 256));
    for (const idc_operand &operand : kernel.inputs())
      inputs.push_back(std::make_unique<Operand>(operand, which.batch, executions));
    for (const idc_operand &operand : kernel.outputs())
      outputs.push_back(std::make_unique<Operand>(operand, which.batch, executions));
    fill();
  }

  size_t bytesMoved() const { return moved; }
  int executionCount() const { return executions; }

  std::vector<Measured> run() {
    const size_t half = (moved / 2 + 255) / 256 * 256;
    const Operand from(half, executions), to(half, executions);
    fillUniform(from.all().as<float>(), from.all().size() / sizeof(float), 0, 1, seed, stream);
    add("copy",
        [&](int i) { CHECK_CUDA(cudaMemcpyAsync(to.of(i), from.of(i), moved / 2, cudaMemcpyDeviceToDevice, stream)); });
    for (const auto &output : outputs)
      output->all().poison(stream);
    add("idc", [&](int i) {
      std::vector<const void *> given;
      std::vector<void *> results;
      for (const auto &input : inputs)
        given.push_back(input->of(i));
      for (const auto &output : outputs)
        results.push_back(output->of(i));
      kernel.launch(which.batch, given, results, workspace, stream);
    });
    if (which.checks == TreeCase::Tridiagonal)
      addSolvers();
    else
      addScan();
    const std::vector<Times> times = measure(operations, stream);
    for (size_t i = 0; i < times.size(); i++) {
      const double each = 1e3 / executions; // microseconds of one for a millisecond of all
      measured[i].times = {times[i].median * each, times[i].least * each, times[i].most * each};
    }
    judge(measured[1], outputs.front()->all());
    measured[1].wrong |= !statusesAreZero();
    for (const auto &[participant, result] : others)
      judge(measured[participant], *result);
    return measured;
  }

private:
  size_t count() const { return outputs.front()->all().size() / bytesOf(which.real()); }

  void fill() {
    const auto uniform = [&](const Operand &operand, double low, double high) {
      const size_t numbers = operand.all().size() / bytesOf(which.real());
      if (which.real() == Real::F32)
        fillUniform(operand.all().as<float>(), numbers, low, high, seed, stream);
      else
        fillUniform(operand.all().as<double>(), numbers, low, high, seed, stream);
    };
    if (inputs.size() != (which.checks == TreeCase::Tridiagonal ? 4 : 1))
      throw CudaError("the program has another number of inputs than what its result is checked for");
    if (which.checks == TreeCase::Sums)
      return uniform(*inputs[0], 0.5, 1.5);
    fillCoefficients(which.real(), which.layout.coefficients(), inputs[0]->all().data(), inputs[1]->all().data(),
                     inputs[2]->all().data(), inputs[0]->all().size() / bytesOf(which.real()), seed + 1, stream);
    uniform(*inputs[3], -1, 1);
  }

  void add(const std::string &who, const std::function<void(int)> &record,
           const std::function<void()> &restore = nullptr) {
    if (restore)
      restore();
    record(0); // loads what the operation needs, which a capture may not
    std::function<void()> launch = [record] { record(0); };
    if (executions > 1) {
      graphs.push_back(std::make_unique<Graph>(record, executions, stream));
      launch = [graph = graphs.back().get(), this] { graph->launch(stream); };
    }
    operations.push_back({launch, [this, restore] {
                            if (restore)
                              restore();
                            flush.run(stream);
                          }});
    measured.push_back({who, {}, {}, false});
  }

  void addSolvers() {
    const SystemLayout &layout = which.layout;
    const size_t systems = count() / size_t(executions) / layout.rows;
    if (layout.periodic || layout.shared > 1 || (layout.stride > 1 && which.batch > 1))
      return; // cuSPARSE has none, or solves right-hand sides one after another
    solvers = layout.stride > 1 ? solversOfInterleaved(which.real(), layout.rows, systems)
              : systems > 1     ? solversOfStrided(which.real(), layout.rows, systems)
                                : solversOfOne(which.real(), layout.rows);
    for (const auto &solver : solvers) {
      // Where a solver overwrites an input it gets a copy.
      std::vector<const Operand *> operands;
      std::vector<std::pair<const Operand *, const Operand *>> restored; // copies and originals
      for (size_t i = 0; i < inputs.size(); i++) {
        operands.push_back(inputs[i].get());
        if (!solver->overwrites()[i])
          continue;
        copies.push_back(std::make_unique<Operand>(inputs[i]->bytesEach(), executions));
        operands.back() = copies.back().get();
        restored.push_back({copies.back().get(), inputs[i].get()});
      }
      add(
          solver->name(),
          [this, operands, solver = solver.get()](int i) {
            solver->run(operands[0]->of(i), operands[1]->of(i), operands[2]->of(i), operands[3]->of(i), stream);
          },
          [this, restored] {
            for (const auto &[copy, original] : restored)
              copy->copyFrom(*original, stream);
          });
      others.push_back({measured.size() - 1, &operands[3]->all()});
    }
  }

  void addScan() {
    if (which.batch > 1)
      return; // CUB has no scan of segments in one launch
    scan = std::make_unique<CubScan>(which.layout.rows);
    copies.push_back(std::make_unique<Operand>(outputs.front()->bytesEach(), executions));
    const Operand *sums = copies.back().get();
    add("CUB DeviceScan", [this, sums](int i) {
      scan->run(static_cast<const float *>(inputs[0]->of(i)), static_cast<float *>(sums->of(i)), stream);
    });
    others.push_back({measured.size() - 1, &sums->all()});
  }

  void judge(Measured &participant, const Buffer &result) const {
    double worst = 0;
    if (which.checks == TreeCase::Sums) {
      worst = scanError(inputs[0]->all().as<float>(), result.as<float>(), count(), which.layout.rows, stream);
      participant.error = worst;
    } else {
      const SystemArrays systems = {inputs[0]->all().data(), inputs[1]->all().data(), inputs[2]->all().data(),
                                    inputs[3]->all().data()};
      const Residual found = residual(which.real(), which.layout, systems, result.data(), count(), stream);
      worst = found.worst;
      participant.error = found.relative;
    }
    participant.wrong = !(worst < wrongResult(which.real())); // NaN compares false
  }

  /// Of solvers with a status.
  bool statusesAreZero() const {
    if (outputs.size() == 1)
      return true;
    std::vector<int32_t> statuses(outputs[1]->all().size() / sizeof(int32_t));
    CHECK_CUDA(cudaMemcpy(statuses.data(), outputs[1]->all().data(), outputs[1]->all().size(), cudaMemcpyDeviceToHost));
    return std::all_of(statuses.begin(), statuses.end(), [](int32_t status) { return status == 0; });
  }

  const TreeCase &which;
  const CacheFlush &flush;
  uint64_t seed;
  cudaStream_t stream;
  LoadedKernel kernel;
  Buffer workspace;
  size_t moved = 0; // bytes of an execution's inputs and outputs
  int executions = 1;
  Operands inputs, outputs, copies;
  std::vector<std::unique_ptr<CusparseSolver>> solvers;
  std::unique_ptr<CubScan> scan;
  std::vector<std::unique_ptr<Graph>> graphs;
  std::vector<Operation> operations;
  std::vector<Measured> measured;                        // beside the operations
  std::vector<std::pair<size_t, const Buffer *>> others; // of `measured`, and their results
};

void writeRows(std::FILE *csv, const Machine &machine, const TreeCase &which, const TreeBenchmark &benchmark,
               const std::vector<Measured> &rows) {
  for (const Measured &row : rows) {
    if (row.wrong && row.who == "idc")
      continue;
    std::fprintf(csv, "%s,%s,%s,%s,%s,%s,%s,%zu,%d,%zu,%s,%.6g,%.6g,%.6g,", timestamp().c_str(), machine.gpu.c_str(),
                 machine.driver.c_str(), machine.cudaRuntime.c_str(), which.program.c_str(), which.type.c_str(),
                 which.size.c_str(), which.batch, benchmark.executionCount(), benchmark.bytesMoved(), row.who.c_str(),
                 row.times.median, row.times.least, row.times.most);
    if (row.error)
      std::fprintf(csv, "%.3g", *row.error);
    std::fputc('\n', csv);
  }
  std::fflush(csv);
}

void printRows(const TreeCase &which, const TreeBenchmark &benchmark, const std::vector<Measured> &rows) {
  std::printf("%-36s batch %zu, %d executions\n", which.name().c_str(), which.batch, benchmark.executionCount());
  for (const Measured &row : rows) {
    std::printf("  %-28s %10.3f us %8.3f", row.who.c_str(), row.times.median,
                row.times.median / rows.front().times.median);
    if (row.error)
      std::printf("  error %.2e", *row.error);
    std::puts(row.wrong ? "  WRONG RESULT" : "");
  }
  std::fflush(stdout);
}

struct Options {
  std::string trees = "build/gpu/trees", results;
  Selection selection;
};

int run(const Options &options) {
  CHECK_CUDA(cudaSetDevice(0));
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const Machine machine = describeMachine();
  std::printf("%s, driver %s, CUDA %s, %s\n", machine.gpu.c_str(), machine.driver.c_str(), machine.cudaRuntime.c_str(),
              timestamp().c_str());
  const std::vector<TreeCase> cases = listTreeCases(options.trees, options.selection);
  if (cases.empty())
    throw std::runtime_error("no compiled programs match");
  std::FILE *csv = options.results.empty() ? nullptr : std::fopen(options.results.c_str(), "w");
  if (!options.results.empty() && !csv)
    throw std::runtime_error("cannot write " + options.results);
  if (csv)
    std::fputs("date,gpu,driver,cuda,program,type,n,batch,executions,bytes,who,us,least_us,most_us,error\n", csv);
  warmUp(stream);
  const CacheFlush flush(stream);
  int status = 0;
  const uint64_t seed = std::random_device{}();
  for (const TreeCase &which : cases) {
    try {
      TreeBenchmark benchmark(which, flush, seed, stream);
      const std::vector<Measured> rows = benchmark.run();
      if (csv)
        writeRows(csv, machine, which, benchmark, rows);
      printRows(which, benchmark, rows);
      for (const Measured &row : rows)
        if (row.wrong && row.who == "idc")
          status = 1;
    } catch (const CudaError &error) {
      std::printf("%-36s %s\n", which.name().c_str(), error.what());
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
  CLI::App tool("Times scans, recurrences and tridiagonal solvers beside libraries and a copy.");
  Options options;
  tool.add_option("--trees", options.trees, "of the compiled programs")->type_name("FOLDER");
  tool.add_option("--results", options.results, "where to write the times")->type_name("FILE.csv");
  addSelection(tool, options.selection);
  return idc::host::toolMain(
      tool, argc, argv, [&options] { return run(options); }, 2);
}
