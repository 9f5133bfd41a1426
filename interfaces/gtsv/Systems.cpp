#include "interfaces/gtsv/Systems.h"

#include "interfaces/compiled/Failure.h"
#include "interfaces/compiled/Target.h"
#include "interfaces/systems.h"

#include <map>
#include <mutex>
#include <numeric>
#include <tuple>

using namespace idc::interfaces;

/// Systems beside each other that one program solves together: a power of two, so that threads share them well.
static constexpr int64_t mostColumns = 256, leastColumns = 4;

/// A dense batch of as many elements, or the given distances.
static std::string layoutOf(int64_t stride, int64_t columns, int64_t equations, int64_t problems, int64_t batch) {
  std::string text;
  if (columns > 1 ? stride != columns : stride != 1 && equations > 1)
    text = "stride:" + std::to_string(stride) + (columns > 1 ? ":1" : "");
  if (problems > 1 && (!text.empty() || batch != equations * columns))
    text += (text.empty() ? "" : ",") + ("batch:" + std::to_string(batch));
  return text;
}

Systems::Systems(const SystemsShape &shape, const std::string &target, bool checked) : problems(shape.systems) {
  int64_t columns = 1;
  if (shape.stride > 1 && shape.matrix == 1 && shape.side == 1 && !checked)
    columns = std::gcd(shape.systems, mostColumns);
  if (columns < leastColumns)
    columns = 1;
  problems /= columns;
  auto layout = [&](int64_t batch) {
    return layoutOf(shape.stride, columns, shape.equations, problems, batch * columns);
  };
  const std::string matrix = layout(shape.matrix), side = layout(shape.side);
  ProgramRequest request{systemsText, columns > 1 ? "solve_columns" : checked ? "solve_checked" : "solve", target,
                         "",          {"T=" + shape.number, "N=" + std::to_string(shape.equations)},       !checked};
  if (columns > 1)
    request.settings.push_back("C=" + std::to_string(columns));
  const int64_t element = shape.elementBytes;
  const std::vector<ProgramArray> inputs{
      {"a", matrix, element}, {"b", matrix, element}, {"c", matrix, element}, {"d", side, element}};
  std::vector<ProgramArray> outputs{{"y0", side, element}};
  if (checked)
    outputs.push_back({"y1", "", 4});
  if (!checked)
    try {
      solver = std::make_unique<Program>(request, inputs, outputs);
    } catch (const Failure &failure) {
      if (failure.status != IDC_ERROR_PROGRAM) // it cannot be made to work in place
        throw;
    }
  if (!solver || !solver->worksInPlace(3, 0)) {
    request.inPlace = false;
    outputs[0].layout.clear();
    solver = std::make_unique<Program>(request, inputs, outputs);
    request.entry = columns > 1 ? "copied_columns" : "copied";
    copier = std::make_unique<Program>(request, std::vector<ProgramArray>{{"x", "", element}},
                                       std::vector<ProgramArray>{{"y0", side, element}});
    workspaceAt = (shape.equations * shape.systems * element + 255) / 256 * 256;
  }
  bytes = workspaceAt + solver->workspaceBytes(problems);
}

void Systems::solve(void *below, void *main, void *above, void *x, int32_t *status, void *scratch, void *stream) const {
  void *const inputs[] = {below, main, above, x};
  void *const outputs[] = {copier ? scratch : x, status};
  char *workspace = static_cast<char *>(scratch) + (scratch ? workspaceAt : 0);
  solver->run(problems, inputs, outputs, workspace, stream);
  if (copier)
    copier->run(problems, &scratch, &x, workspace, stream);
}

std::shared_ptr<const Systems> Systems::find(const SystemsShape &shape, const std::string &target, bool checked) {
  using Key = std::tuple<void *, std::string, std::string, int64_t, int64_t, int64_t, int64_t, int64_t, bool>;
  static std::mutex mutex;
  static auto *known = new std::map<Key, std::shared_ptr<const Systems>>; // it outlives the driver
  const Key key{target == "cpu" ? nullptr : currentContext(),
                target,
                shape.number,
                shape.equations,
                shape.systems,
                shape.stride,
                shape.matrix,
                shape.side,
                checked};
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (auto found = known->find(key); found != known->end())
      return found->second;
  }
  auto made = std::make_shared<const Systems>(shape, target, checked);
  std::lock_guard<std::mutex> lock(mutex);
  return known->emplace(key, std::move(made)).first->second;
}
