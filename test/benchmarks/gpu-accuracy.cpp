// gpu-accuracy: errors of compiled tridiagonal solvers and of cuSPARSE's gtsv2 and gtsv2_nopivot on hard systems, as
// comma-separated values. The systems are those of cpu-accuracy.
//
// Exit status: 0 all done, 1 a solver with a status gave numbers that are not finite without saying so, 2 wrong use or
// no GPU.
#include "AccuracyRows.h"
#include "Cusparse.h"
#include "Kernel.h"
#include "host/ToolMain.h"
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

using namespace gpucheck;
using hard::Matrix;
using hard::System;

namespace {

/// A system in device memory.
template <class T> class OnDevice {
public:
  explicit OnDevice(const System<T> &system)
      : bytes(system.b.size() * sizeof(T)), arrays{Buffer(bytes), Buffer(bytes), Buffer(bytes), Buffer(bytes)} {
    const std::vector<T> *const from[] = {&system.a, &system.b, &system.c, &system.d};
    for (int i = 0; i < 4; i++)
      CHECK_CUDA(cudaMemcpy(arrays[i].data(), from[i]->data(), bytes, cudaMemcpyHostToDevice));
  }
  void *operator[](int i) const { return arrays[i].data(); }

private:
  size_t bytes;
  Buffer arrays[4];
};

template <class T> std::vector<T> toHost(const void *device, size_t count) {
  std::vector<T> values(count);
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaMemcpy(values.data(), device, count * sizeof(T), cudaMemcpyDeviceToHost));
  return values;
}

template <class T>
void measureLibrary(const std::string &program, const std::string &type, int n, const LoadedKernel &kernel,
                    hard::AccuracyRows &rows) {
  const size_t count = size_t(1) << n;
  const Buffer x(count * sizeof(T)), status(sizeof(int32_t)), workspace(kernel.workspaceBytes(1));
  const bool checked = kernel.outputs().size() > 1;
  for (const Matrix &matrix : hard::matrices()) {
    const System<T> system = hard::makeSystem<T>(matrix, count);
    const OnDevice<T> given(system);
    std::vector<void *> outputs = {x.data()};
    if (checked)
      outputs.push_back(status.data());
    x.poison(nullptr);
    kernel.launch(1, {given[0], given[1], given[2], given[3]}, outputs, workspace, nullptr);
    const std::vector<T> solved = toHost<T>(x.data(), count);
    std::optional<int> reported;
    if (checked)
      reported = toHost<int32_t>(status.data(), 1)[0];
    rows.add(matrix, n, type, program, errorsOf(system, solution(system), solved.data()), reported);
  }
}

template <class T> void measureCusparse(Real real, const std::string &type, int n, hard::AccuracyRows &rows) {
  const size_t count = size_t(1) << n;
  for (const auto &solver : solversOfOne(real, count))
    for (const Matrix &matrix : hard::matrices()) {
      const System<T> system = hard::makeSystem<T>(matrix, count);
      const OnDevice<T> given(system);
      solver->run(given[0], given[1], given[2], given[3], nullptr);
      const std::vector<T> solved = toHost<T>(given[3], count); // the right-hand side becomes the solution
      rows.add(matrix, n, type, solver->name(), errorsOf(system, solution(system), solved.data()));
    }
}

struct Options {
  std::string programs = "build/gpu/accuracy", results;
};

int run(const Options &options) {
  CHECK_CUDA(cudaSetDevice(0));
  const auto &[folder, path] = options;
  std::ifstream text(folder + "/cases.json");
  const nlohmann::json listed = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!listed.is_array())
    throw std::runtime_error(folder + "/cases.json is not a list of cases");
  std::FILE *csv = path.empty() ? stdout : std::fopen(path.c_str(), "w");
  if (!csv)
    throw std::runtime_error("cannot write " + path);
  hard::AccuracyRows rows(csv);
  std::set<std::pair<std::string, int>> sizes; // types and exponents
  for (const nlohmann::json &entry : listed) {
    const std::string program = entry.at("program"), type = entry.at("type"), name = entry.at("name");
    const int n = std::stoi(entry.at("size").get<std::string>());
    const LoadedKernel kernel(folder + "/" + name + ".fatbin", folder + "/" + name + ".json");
    if (type == "f32")
      measureLibrary<float>(program, type, n, kernel, rows);
    else
      measureLibrary<double>(program, type, n, kernel, rows);
    sizes.insert({type, n});
  }
  for (const auto &[type, n] : sizes)
    if (type == "f32")
      measureCusparse<float>(Real::F32, type, n, rows);
    else
      measureCusparse<double>(Real::F64, type, n, rows);
  if (csv != stdout)
    std::fclose(csv);
  return rows.failed() ? 1 : 0;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App tool("Errors of tridiagonal solvers on hard systems, of the library's and cuSPARSE's.");
  Options options;
  tool.add_option("--programs", options.programs, "of the compiled programs")->type_name("FOLDER");
  tool.add_option("--results", options.results, "where to write the errors instead of standard output")
      ->type_name("FILE.csv");
  return idc::host::toolMain(
      tool, argc, argv, [&options] { return run(options); }, 2);
}
