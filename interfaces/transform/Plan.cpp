#include "interfaces/transform/Plan.h"

#include "interfaces/compiled/Failure.h"
#include "interfaces/transforms.h"

#include <algorithm>

using namespace idc::interfaces;

/// Bytes that arrays in the scratch begin at multiples of.
static constexpr int64_t alignment = 256;
static int64_t aligned(int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// As the language calls them.
static const char *typeOf(Number number) {
  switch (number) {
  case Number::Half:
    return "f16";
  case Number::BFloat:
    return "bf16";
  case Number::Single:
    return "f32";
  case Number::Double:
    return "f64";
  }
  return "";
}

int64_t Plan::numberBytes() const {
  return problem.number == Number::Double ? 8 : problem.number == Number::Single ? 4 : 2;
}

int64_t Plan::elementBytes(const Side &side) const { return numberBytes() * (side.isComplex && !side.isSplit ? 2 : 1); }

/// What `idc compile --layout` takes; empty for a dense array.
static std::string layoutOf(const Side &side, int64_t problems) {
  int64_t elements = 1;
  bool dense = true;
  for (size_t i = side.sizes.size(); i-- > 0; elements *= side.sizes[i])
    dense &= side.sizes[i] == 1 || side.strides[i] == elements;
  std::string text;
  auto add = [&](const std::string &property) { text += (text.empty() ? "" : ",") + property; };
  if (!dense) {
    std::string strides;
    for (int64_t stride : side.strides)
      strides += ":" + std::to_string(stride);
    add("stride" + strides);
  }
  if (problems > 1 && !(dense && side.batch == elements))
    add("batch:" + std::to_string(side.batch));
  if (side.isComplex && side.isSplit)
    add("planar");
  return text;
}

std::unique_ptr<Program> Plan::make(const Pass &pass) const {
  ProgramRequest request{transformsText, pass.entry, target, plan, pass.settings, pass.inPlace};
  const std::string stored = typeOf(problem.number);
  request.settings.push_back("S=" + (pass.copies && pass.in.isComplex ? "complex<" + stored + ">" : stored));
  if (!pass.copies)
    request.settings.push_back(std::string("T=") + typeOf(std::max(problem.number, Number::Single)));
  auto array = [&](const char *name, const Side &side) {
    return ProgramArray{name, layoutOf(side, pass.problems), elementBytes(side),
                        side.isComplex && side.isSplit ? 2 : 1};
  };
  return std::make_unique<Program>(std::move(request), std::vector{array("x", pass.in)},
                                   std::vector{array("y0", pass.out)});
}

void Plan::compile(Copies copies) {
  stages.clear();
  Schedule schedule = makeSchedule(problem, copies);
  secondAt = aligned(schedule.firstElements * numberBytes());
  workspaceAt = secondAt + aligned(schedule.secondElements * numberBytes());
  bytes = workspaceAt;
  for (Pass &pass : schedule.passes) {
    std::unique_ptr<Program> program = make(pass);
    bytes = std::max(bytes, workspaceAt + program->workspaceBytes(pass.problems));
    stages.push_back({std::move(pass), std::move(program)});
  }
}

Plan::Plan(const Problem &problem, const std::string &target, const std::string &plan)
    : problem(problem), target(target), plan(plan) {
  // What a program cannot do with a layout or in place the compiler says.
  for (Copies copies : {Copies::None, Copies::OfResult})
    try {
      compile(copies);
      return;
    } catch (const Failure &failure) {
      if (failure.status != IDC_ERROR_PROGRAM)
        throw;
    }
  compile(Copies::OfBoth);
}

static void *moved(void *pointer, int64_t bytes) { return pointer ? static_cast<char *>(pointer) + bytes : nullptr; }

void Plan::run(Array in, Array out, void *scratch, void *stream) const {
  for (const Stage &stage : stages) {
    const Pass &pass = stage.pass;
    auto arrayOf = [&](const Side &side) -> Array {
      switch (side.place) {
      case Place::Input:
        return in;
      case Place::Output:
        return out;
      case Place::First:
        return {scratch, nullptr};
      case Place::Second:
        return {moved(scratch, secondAt), nullptr};
      }
      return {};
    };
    const Array from = arrayOf(pass.in), to = arrayOf(pass.out);
    const int64_t inBytes = elementBytes(pass.in), outBytes = elementBytes(pass.out);
    std::vector<int64_t> index(pass.loops.size(), 0);
    for (bool more = true; more;) {
      int64_t inAt = 0, outAt = 0;
      for (size_t i = 0; i < index.size(); ++i) {
        inAt += index[i] * pass.loops[i].in * inBytes;
        outAt += index[i] * pass.loops[i].out * outBytes;
      }
      void *const inputs[] = {moved(from.first, inAt), moved(from.second, inAt)};
      void *const outputs[] = {moved(to.first, outAt), moved(to.second, outAt)};
      stage.program->run(pass.problems, inputs, outputs, moved(scratch, workspaceAt), stream);
      size_t i = index.size();
      while (i > 0 && ++index[i - 1] == pass.loops[i - 1].size)
        index[--i] = 0;
      more = i > 0;
    }
  }
}

bool Plan::worksInPlace() const {
  // Of several passes the first reads the input, and only the last writes the result.
  return stages.size() != 1 || stages[0].program->worksInPlace(0, 0);
}

std::string Plan::describe() const {
  std::string text;
  for (const auto &[pass, program] : stages) {
    text += (text.empty() ? "" : ", ") + pass.entry + "<";
    for (size_t i = 0; i < pass.settings.size(); ++i)
      text += (i ? ", " : "") + pass.settings[i];
    text += ">";
    int64_t problems = pass.problems;
    for (const Axis &loop : pass.loops)
      problems *= loop.size;
    if (problems > 1)
      text += " x " + std::to_string(problems);
  }
  return text;
}
