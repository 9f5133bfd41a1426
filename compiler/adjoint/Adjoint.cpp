#include "compiler/adjoint/Adjoint.h"

#include "compiler/adjoint/BodyAdjoint.h"
#include "compiler/adjoint/GatherAdjoint.h"
#include "compiler/adjoint/StepMaker.h"

#include "compiler/frontend/Value.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <map>
#include <set>

using namespace idc;
using namespace idc::adjoint;
using frontend::Body;
using frontend::Instr;
using frontend::Op;
using frontend::Program;
using frontend::Step;
using frontend::Type;
using frontend::TypeRef;

static bool hasDerivatives(const TypeRef &element) {
  return llvm::any_of(frontend::leaves(element), [](const TypeRef &leaf) { return isDifferentiable(*leaf); });
}

/// Why a type has none.
static std::string withoutDerivatives(const TypeRef &element) {
  return frontend::spell(*element) + " has no derivatives: they are those of f16, bf16, f32, f64 and complex numbers";
}

static int64_t bytesOf(const frontend::Sequence &sequence) {
  int64_t bytes = 0;
  for (const TypeRef &leaf : frontend::leaves(sequence.element))
    bytes += leaf->kind == Type::Kind::Complex ? frontend::bitWidth(*leaf->element) / 4
             : leaf->kind == Type::Kind::Bool  ? 1
             : leaf->kind == Type::Kind::Mod   ? (leaf->modulus > UINT32_MAX ? 8 : 4)
                                               : frontend::bitWidth(*leaf) / 8;
  for (int radix : sequence.radices)
    bytes *= radix;
  return bytes;
}

namespace {

/// The digits of a pointwise step or node: all, and those that are not the node's.
struct FullArrangement {
  std::vector<int> radices, all, outside;
  int64_t size = 1; // elements of the node's arrays

  FullArrangement(const Program &program, const Step &step) {
    size_t count = 0;
    auto isArray = [](const std::vector<bool> &flags, size_t i) { return i < flags.size() && flags[i]; };
    for (size_t i = 0; i < step.outputs.size(); ++i)
      count = std::max(count, program.values[step.outputs[i]].radices.size() +
                                  (isArray(step.arrayOutput, i) ? 0 : step.digits.size()));
    radices.resize(count);
    for (size_t digit = 1; digit <= count; ++digit) {
      all.push_back(static_cast<int>(digit));
      if (!llvm::is_contained(step.digits, static_cast<int>(digit)))
        outside.push_back(static_cast<int>(digit));
    }
    auto learn = [&](int value, const std::vector<int> &places) {
      const std::vector<int> &own = program.values[value].radices;
      for (size_t i = 0; i < own.size(); ++i)
        radices[static_cast<size_t>(places[i]) - 1] = own[i];
    };
    for (size_t i = 0; i < step.inputs.size(); ++i)
      learn(step.inputs[i], placesOf(program, step, i));
    for (size_t i = 0; i < step.outputs.size(); ++i)
      learn(step.outputs[i], isArray(step.arrayOutput, i) ? all : outside);
    for (int digit : step.digits)
      size *= radices[static_cast<size_t>(digit) - 1];
  }

  const std::vector<int> &wanted(const Step &step, size_t input) const {
    return input < step.arrayInput.size() && step.arrayInput[input] ? all : outside;
  }

  /// Which digits an input has, in its order.
  std::vector<int> placesOf(const Program &program, const Step &step, size_t input) const {
    if (input < step.broadcastDigits.size() && !step.broadcastDigits[input].empty())
      return step.broadcastDigits[input];
    return program.values[step.inputs[input]].radices.empty() ? std::vector<int>() : wanted(step, input);
  }
};

class Differentiation {
public:
  Differentiation(const Program &forward, frontend::Diagnostics &diagnostics)
      : forward(forward), diagnostics(diagnostics) {
    result.program.values = forward.values;
    result.program.entry = forward.entry + "_adjoint";
  }

  std::optional<AdjointProgram> run(const std::vector<std::string> &withRespectTo) {
    if (!chooseInputs(withRespectTo))
      return std::nullopt;
    findActive();
    if (!seedGradients())
      return std::nullopt;
    for (const Step &step : llvm::reverse(forward.steps))
      if (!backwards(step))
        return std::nullopt;
    for (int input : result.withRespectTo) {
      const int value = forward.inputs[static_cast<size_t>(input)].value;
      steps.place = forward.values[value].loc;
      const std::optional<int> gradient = gradientOf(value);
      result.program.outputs.push_back(
          gradient ? *gradient : steps.zeros(forward.values[value].radices, forward.values[value].element));
    }
    assemble();
    if (result.program.inputs.empty())
      return withoutGradients(), std::nullopt;
    return std::move(result);
  }

private:
  bool fail(llvm::SMLoc loc, const std::string &message) {
    diagnostics.error(loc, message);
    return false;
  }

  //===--- what is asked for ------------------------------------------------------------------------------------===//

  bool chooseInputs(const std::vector<std::string> &names) {
    for (size_t i = 0; i < forward.inputs.size() && names.empty(); ++i)
      if (hasDerivatives(forward.values[forward.inputs[i].value].element))
        result.withRespectTo.push_back(static_cast<int>(i));
    if (names.empty() && result.withRespectTo.empty()) {
      const frontend::Sequence &first = forward.values[forward.inputs[0].value];
      return fail(first.loc, "no input of '" + forward.entry + "' has derivatives: '" + forward.inputs[0].name +
                                 "': " + withoutDerivatives(first.element));
    }
    for (const std::string &name : names) {
      auto input = llvm::find_if(forward.inputs, [&](const auto &other) { return other.name == name; });
      if (input == forward.inputs.end()) {
        const bool isScalar = llvm::any_of(forward.scalars, [&](const auto &scalar) { return scalar.name == name; });
        return fail({}, isScalar
                            ? "'" + name + "' holds one value for the whole batch: gradients are those of sequences"
                            : "'" + forward.entry + "' has no input '" + name + "'");
      }
      const frontend::Sequence &sequence = forward.values[input->value];
      if (!hasDerivatives(sequence.element))
        return fail(sequence.loc,
                    "there is no gradient with respect to '" + name + "': " + withoutDerivatives(sequence.element));
      const int number = static_cast<int>(input - forward.inputs.begin());
      if (!llvm::is_contained(result.withRespectTo, number))
        result.withRespectTo.push_back(number);
    }
    return true;
  }

  /// Values that depend on the chosen inputs and have derivatives.
  void findActive() {
    active.assign(forward.values.size(), false);
    for (int input : result.withRespectTo)
      active[forward.inputs[static_cast<size_t>(input)].value] = true;
    for (const Step &step : forward.steps)
      if (llvm::any_of(step.inputs, [&](int value) { return active[value]; }))
        for (int value : step.outputs)
          active[value] = hasDerivatives(forward.values[value].element);
  }

  /// The gradients of the results are inputs.
  bool seedGradients() {
    for (size_t i = 0; i < forward.outputs.size(); ++i) {
      const int value = forward.outputs[i];
      if (!active[value])
        continue;
      std::string name = "d_y" + std::to_string(i);
      while (llvm::any_of(forward.inputs, [&](const auto &input) { return input.name == name; }) ||
             llvm::any_of(forward.scalars, [&](const auto &scalar) { return scalar.name == name; }))
        name += "_";
      const int gradient = steps.value(forward.values[value].radices, forward.values[value].element);
      gradients[value].push_back(gradient);
      seeds.push_back({static_cast<int>(i), {name, gradient}});
    }
    return !seeds.empty() || withoutGradients();
  }

  /// No result depends on the chosen inputs in a way that has derivatives.
  bool withoutGradients() {
    const frontend::Sequence &first = forward.values[forward.outputs[0]];
    if (!hasDerivatives(first.element) && forward.outputs.size() == 1)
      return fail(first.loc,
                  "the result of '" + forward.entry + "' has no gradient: " + withoutDerivatives(first.element));
    return fail(first.loc, "no result of '" + forward.entry + "' has derivatives with respect to its inputs");
  }

  //===--- backwards --------------------------------------------------------------------------------------------===//

  /// The sum of what the users of a value gave, or none.
  std::optional<int> gradientOf(int value) {
    auto parts = gradients.find(value);
    if (parts == gradients.end())
      return std::nullopt;
    return steps.sum(parts->second);
  }

  bool backwards(const Step &step) {
    steps.place = step.loc;
    if (llvm::none_of(step.inputs, [&](int value) { return active[value]; }))
      return true;
    if (step.kind == Step::Kind::Pointwise || step.kind == Step::Kind::Node)
      return throughBody(step);
    const int from = step.inputs[0];
    const std::optional<int> gradient = gradientOf(step.outputs[0]);
    if (!gradient)
      return true;
    std::optional<int> made;
    const std::vector<int> own(forward.values[from].radices.begin(),
                               forward.values[from].radices.begin() + step.lowest);
    const int lowest =
        static_cast<int>(steps.radices(*gradient).size() - (forward.values[from].radices.size() - own.size()));
    std::string error;
    switch (step.kind) {
    case Step::Kind::Permute:
      made = steps.permute(*gradient, step.permutation.inverse());
      break;
    case Step::Kind::Resize:
      made = steps.resize(*gradient, lowest, own);
      break;
    case Step::Kind::Scatter:
      made = steps.move(Step::Kind::Gather, *gradient, lowest, own, step.body);
      break;
    default:
      made = gatherAdjoint(steps, step, forward.values[from].radices, *gradient, error);
      break;
    }
    if (!made)
      return fail(step.loc, error);
    gradients[from].push_back(*made);
    return true;
  }

  bool throughBody(const Step &step) {
    const FullArrangement full(forward, step);
    auto isArray = [](const std::vector<bool> &flags, size_t i) { return i < flags.size() && flags[i]; };
    auto countOf = [&](int value, bool array) {
      return frontend::leaves(forward.values[value].element).size() * static_cast<size_t>(array ? full.size : 1);
    };
    std::vector<std::optional<int>> given;
    std::vector<bool> givenLeaves, wantedLeaves;
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      given.push_back(gradientOf(step.outputs[i]));
      givenLeaves.insert(givenLeaves.end(), countOf(step.outputs[i], isArray(step.arrayOutput, i)),
                         given.back().has_value());
    }
    if (llvm::none_of(given, [](const auto &gradient) { return gradient.has_value(); }))
      return true;
    for (size_t i = 0; i < step.inputs.size(); ++i)
      wantedLeaves.insert(wantedLeaves.end(), countOf(step.inputs[i], isArray(step.arrayInput, i)),
                          active[step.inputs[i]]);
    const BodyAdjoint derived = differentiate(step.body, givenLeaves, wantedLeaves);

    // The results that are not zero.
    Step made;
    made.kind = step.kind;
    made.name = step.name + "_adjoint";
    made.loc = step.loc;
    made.digits = step.digits;
    Body body = derived.body;
    body.results.clear();
    std::vector<size_t> targets; // inputs of the forward step
    size_t leaf = 0;
    for (size_t i = 0; i < step.inputs.size(); ++i) {
      if (!active[step.inputs[i]])
        continue;
      const size_t count = countOf(step.inputs[i], isArray(step.arrayInput, i));
      const auto zero = derived.isZero.begin() + static_cast<std::ptrdiff_t>(leaf);
      const auto first = derived.body.results.begin() + static_cast<std::ptrdiff_t>(leaf);
      leaf += count;
      if (std::all_of(zero, zero + static_cast<std::ptrdiff_t>(count), [](bool isZero) { return isZero; }))
        continue;
      targets.push_back(i);
      body.results.insert(body.results.end(), first, first + static_cast<std::ptrdiff_t>(count));
      made.arrayOutput.push_back(isArray(step.arrayInput, i));
    }
    if (targets.empty())
      return true;
    body = withoutDeadCode(body);

    // The values that are taken: of the forward run, then gradients.
    const std::vector<bool> used = usedParameters(body);
    std::vector<int> renamed;
    Body taken;
    bool broadcasts = false;
    size_t at = 0;
    auto take = [&](int value, bool array, size_t count, std::vector<int> broadcast) {
      const bool needed = std::any_of(used.begin() + static_cast<std::ptrdiff_t>(at),
                                      used.begin() + static_cast<std::ptrdiff_t>(at + count), [](bool u) { return u; });
      for (size_t k = 0; k < count; ++k, ++at) {
        renamed.push_back(needed ? static_cast<int>(taken.params.size()) : -1);
        if (needed)
          taken.params.push_back(body.params[at]);
      }
      if (!needed)
        return;
      made.inputs.push_back(value);
      made.arrayInput.push_back(array);
      broadcasts |= !broadcast.empty() || (steps.radices(value).empty() && !full.outside.empty());
      made.broadcastDigits.push_back(std::move(broadcast));
    };
    for (size_t i = 0; i < step.inputs.size(); ++i)
      take(step.inputs[i], isArray(step.arrayInput, i), countOf(step.inputs[i], isArray(step.arrayInput, i)),
           i < step.broadcastDigits.size() ? step.broadcastDigits[i] : std::vector<int>());
    for (size_t i = 0; i < step.outputs.size(); ++i)
      if (given[i])
        take(*given[i], isArray(step.arrayOutput, i), countOf(step.outputs[i], isArray(step.arrayOutput, i)), {});
    if (!broadcasts)
      made.broadcastDigits.clear();
    rename(body, taken, renamed);
    made.body = std::move(taken);
    if (made.kind == Step::Kind::Node && !llvm::is_contained(made.arrayInput, true) &&
        !llvm::is_contained(made.arrayOutput, true))
      becomePointwise(made, full);
    for (size_t i : targets) {
      std::vector<int> radices;
      for (int digit : full.wanted(step, i))
        radices.push_back(full.radices[static_cast<size_t>(digit) - 1]);
      made.outputs.push_back(steps.value(std::move(radices), TypeRef(forward.values[step.inputs[i]].element)));
    }
    const std::vector<int> outputs = made.outputs;
    result.program.steps.push_back(std::move(made));
    for (size_t k = 0; k < targets.size(); ++k)
      gradients[step.inputs[targets[k]]].push_back(summed(outputs[k], step, targets[k], full));
    return true;
  }

  /// `body` with the parameters of `taken`, at its end.
  static void rename(const Body &body, Body &taken, const std::vector<int> &renamed) {
    const int before = static_cast<int>(body.params.size()), now = static_cast<int>(taken.params.size());
    auto name = [&](int id) { return id < before ? renamed[static_cast<size_t>(id)] : id - before + now; };
    for (Instr instr : body.instrs) {
      for (int &operand : instr.operands)
        operand = name(operand);
      taken.instrs.push_back(std::move(instr));
    }
    for (int id : body.results)
      taken.results.push_back(name(id));
  }

  /// A node all of whose values lack its digits is a step on what lacks them.
  static void becomePointwise(Step &step, const FullArrangement &full) {
    auto number = [&](int digit) {
      return static_cast<int>(llvm::find(full.outside, digit) - full.outside.begin()) + 1;
    };
    step.kind = Step::Kind::Pointwise;
    step.digits.clear();
    step.arrayInput.clear();
    step.arrayOutput.clear();
    for (std::vector<int> &broadcast : step.broadcastDigits)
      for (int &digit : broadcast)
        digit = number(digit);
    for (Instr &instr : step.body.instrs) {
      if (instr.op == Op::Digit)
        instr.digit = number(instr.digit);
      if (instr.hasPoly)
        instr.poly = instr.poly.substitute([&](int digit) { return digits::Polynomial::digit(number(digit)); });
    }
  }

  /// The gradient of an input from that of what it was repeated to.
  int summed(int gradient, const Step &step, size_t input, const FullArrangement &full) {
    const std::vector<int> own = full.placesOf(forward, step, input), &wanted = full.wanted(step, input);
    for (size_t place = wanted.size(); place > 0; --place)
      if (!llvm::is_contained(own, wanted[place - 1]))
        gradient = steps.sumOverDigit(gradient, static_cast<int>(place));
    std::vector<int> sorted = own, sources;
    std::sort(sorted.begin(), sorted.end());
    for (int digit : own)
      sources.push_back(static_cast<int>(llvm::find(sorted, digit) - sorted.begin()) + 1);
    return steps.permute(gradient, digits::Permutation::fromSources(std::move(sources)));
  }

  //===--- the program ------------------------------------------------------------------------------------------===//

  /// Puts the needed steps of the forward run in front, and gives the program its inputs and parameters.
  void assemble() {
    Program &program = result.program;
    std::vector<Step> all = forward.steps;
    const size_t before = all.size();
    all.insert(all.end(), std::make_move_iterator(program.steps.begin()), std::make_move_iterator(program.steps.end()));
    std::vector<bool> needed(program.values.size(), false);
    for (int value : program.outputs)
      needed[value] = true;
    std::set<int> kept;
    program.steps.clear();
    for (size_t i = all.size(); i-- > 0;) {
      Step &step = all[i];
      if (llvm::none_of(step.outputs, [&](int value) { return needed[value]; }))
        continue;
      for (int value : step.inputs) {
        needed[value] = true;
        if (i >= before && value < static_cast<int>(forward.values.size()) && active[value])
          kept.insert(value);
      }
      program.steps.push_back(std::move(step));
    }
    std::reverse(program.steps.begin(), program.steps.end());
    for (size_t i = 0; i < forward.inputs.size(); ++i) {
      kept.erase(forward.inputs[i].value);
      if (needed[forward.inputs[i].value]) {
        program.inputs.push_back(forward.inputs[i]);
        result.inputs.push_back(static_cast<int>(i));
      }
    }
    for (const auto &[output, parameter] : seeds)
      if (needed[parameter.value]) {
        program.inputs.push_back(parameter);
        result.inputs.push_back(-1 - output);
      }
    for (int value : kept)
      result.keptBytes += bytesOf(forward.values[value]);
    result.keptValues = static_cast<int>(kept.size());
    takeScalars();
  }

  /// Only the parameters without brackets that steps use.
  void takeScalars() {
    std::vector<int> number(forward.scalars.size(), -1);
    auto each = [&](auto use) {
      for (Step &step : result.program.steps)
        for (Instr &instr : step.body.instrs)
          if (instr.op == Op::ScalarParam)
            use(instr);
    };
    each([&](Instr &instr) { number[static_cast<size_t>(instr.digit)] = 0; });
    for (size_t i = 0; i < number.size(); ++i)
      if (number[i] == 0) {
        number[i] = static_cast<int>(result.program.scalars.size());
        result.program.scalars.push_back(forward.scalars[i]);
        result.scalars.push_back(static_cast<int>(i));
      }
    each([&](Instr &instr) { instr.digit = number[static_cast<size_t>(instr.digit)]; });
  }

  const Program &forward;
  frontend::Diagnostics &diagnostics;
  AdjointProgram result;
  StepMaker steps{result.program};
  std::vector<bool> active;
  std::map<int, std::vector<int>> gradients; // by value of the forward run
  std::vector<std::pair<int, frontend::Parameter>> seeds;
};

} // namespace

std::optional<AdjointProgram> adjoint::differentiate(const Program &forward,
                                                     const std::vector<std::string> &withRespectTo,
                                                     frontend::Diagnostics &diagnostics) {
  return Differentiation(forward, diagnostics).run(withRespectTo);
}
