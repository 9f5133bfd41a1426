#include "compiler/adjoint/WriteAdjoint.h"

#include "compiler/adjoint/Adjoint.h"

#include "compiler/frontend/Format.h"
#include "compiler/frontend/WriteProgram.h"

#include "llvm/ADT/STLExtras.h"

using namespace idc;
using frontend::Program;

/// The dimensions of a declared type for digits with these radices; none where its lengths are no integers of sizes and
/// constants, or do not split the digits.
static frontend::WrittenShape shapeOf(const frontend::TypeExpr &type, const std::vector<int> &radices,
                                      const frontend::Source &source, const frontend::SizeMap &sizes) {
  frontend::WrittenShape shape;
  frontend::Diagnostics unseen;
  auto digit = radices.rbegin();
  for (const frontend::Dimension &dimension : type.dimensions) {
    const std::optional<int64_t> length = frontend::evaluateSize(source, *dimension.length, sizes, "a length", unseen);
    int digits = 0;
    int64_t product = 1;
    while (length && product < *length && digit != radices.rend()) {
      product *= *digit++;
      ++digits;
    }
    if (!length || product != *length)
      return {};
    shape.push_back({dimension.name, digits});
  }
  return digit == radices.rend() ? shape : frontend::WrittenShape();
}

static std::string listed(const std::vector<std::string> &names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  return text;
}

std::optional<std::string> adjoint::writeAdjoint(const frontend::Source &source, const std::string &entry,
                                                 const frontend::SizeMap &sizes, const frontend::TypeMap &types,
                                                 const std::vector<std::string> &withRespectTo,
                                                 frontend::Diagnostics &diagnostics) {
  const std::optional<Program> forward = frontend::elaborateUnfolded(source, entry, sizes, types, diagnostics);
  if (!forward)
    return std::nullopt;
  const std::optional<AdjointProgram> derived = differentiate(*forward, withRespectTo, diagnostics);
  if (!derived)
    return std::nullopt;

  const frontend::Function &declaration = *frontend::findFunction(source.main(), entry);
  const frontend::SizeMap bound(forward->sizes.begin(), forward->sizes.end());
  auto ofInput = [&](int input) {
    const frontend::Parameter &parameter = forward->inputs[static_cast<size_t>(input)];
    for (const frontend::Param &declared : declaration.params)
      if (declared.name.text == parameter.name)
        return shapeOf(*declared.type, forward->values[parameter.value].radices, source, bound);
    return frontend::WrittenShape();
  };
  auto ofResult = [&](int output) {
    const size_t number = static_cast<size_t>(output);
    return shapeOf(*declaration.results[number], forward->values[forward->outputs[number]].radices, source, bound);
  };
  frontend::ProgramText about;
  std::vector<std::string> chosen, given;
  for (auto [input, parameter] : llvm::zip(derived->inputs, derived->program.inputs)) {
    about.inputs.push_back(input >= 0 ? ofInput(input) : ofResult(-1 - input));
    if (input < 0)
      given.push_back(parameter.name);
  }
  for (int input : derived->withRespectTo) {
    about.outputs.push_back(ofInput(input));
    chosen.push_back(forward->inputs[static_cast<size_t>(input)].name);
  }
  std::string instance;
  for (const auto &[name, value] : forward->sizes)
    instance += (instance.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  for (const auto &[name, type] : forward->types)
    instance += (instance.empty() ? "" : ", ") + name + " = " + type;
  about.doc =
      "The adjoint of " + entry + (instance.empty() ? "" : " (" + instance + ")") + ": the gradient" +
      (chosen.size() == 1 ? "" : "s") + " with respect to " + listed(chosen) + ", from " +
      (given.empty() ? "none of its results"
                     : listed(given) + ", th" + (given.size() == 1 ? "at of its result" : "ose of its results")) +
      ".\n";
  about.doc += derived->keptValues == 0 ? "It takes no value between the steps of the forward run."
                                        : "It takes " + std::to_string(derived->keptValues) + " value" +
                                              (derived->keptValues == 1 ? "" : "s") + " of the forward run, " +
                                              std::to_string(derived->keptBytes) + " bytes of each problem.";
  return frontend::format(frontend::writeProgram(derived->program, about), entry + "_adjoint.id", diagnostics);
}
