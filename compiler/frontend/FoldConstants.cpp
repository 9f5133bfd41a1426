// What is known when the program is compiled: sequences made of nothing, and all that is made of such alone.
//
// A sequence whose elements are all the same is a number for each leaf from the beginning: it is never made element by
// element, so that its length has no limit, and steps that take it have the numbers in their bodies. Others are
// evaluated, and what steps take of them becomes constants of the program.
#include "compiler/frontend/Elaborator.h"
#include "compiler/frontend/Evaluate.h"

#include "host/ElementType.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace idc::frontend {

namespace {

/// Numbers of a sequence that is evaluated.
constexpr int64_t maxNumbers = int64_t(1) << 22;
/// Numbers that are evaluated since nothing was taken of the elements that they were made from.
constexpr int64_t maxForgotten = int64_t(1) << 14;
/// Of the constants of a program, together.
constexpr int64_t maxBytes = int64_t(1) << 24;

/// The leaves of one element.
using Numbers = std::vector<Scalar>;

bool sameReal(long double a, long double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}
bool same(const Scalar &a, const Scalar &b) {
  return sameReal(a.re, b.re) && sameReal(a.im, b.im) && a.integer == b.integer;
}
bool same(const Numbers &a, const Numbers &b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Scalar &x, const Scalar &y) { return same(x, y); });
}

/// The element that all of `leaves` consist of, if there is one.
std::optional<Numbers> commonElement(const Numbers &leaves, size_t leafCount) {
  for (size_t i = leafCount; i < leaves.size(); ++i)
    if (!same(leaves[i], leaves[i - leafCount]))
      return std::nullopt;
  return Numbers(leaves.begin(), leaves.begin() + static_cast<std::ptrdiff_t>(leafCount));
}

bool namesDigits(const Body &body) {
  return llvm::any_of(body.instrs, [](const Instr &instr) {
    return instr.op == Op::Digit || (instr.op == Op::Omega && instr.hasPoly && !instr.poly.isConstant());
  });
}

bool isAt(const std::vector<bool> &flags, size_t i) { return i < flags.size() && flags[i]; }

bool hasBodyOnElements(const Step &step) { return step.kind == Step::Kind::Pointwise || step.kind == Step::Kind::Node; }

class Folding {
public:
  explicit Folding(Program &program) : program(program), known(program.values.size()), numbers(program.values.size()) {}

  /// What ends the folding at step number `step`.
  struct Mistake {
    size_t step;
    llvm::SMLoc loc;
    std::string message;
  };
  std::optional<Mistake> run();

private:
  struct Numbered {
    size_t number;
    Step step;
  };

  Program &program;
  std::vector<bool> known;                     // by value: made of what is known when compiling alone
  std::vector<std::optional<Numbers>> numbers; // by value: what every element is
  std::map<int, size_t> madeBy;                // by known value, and by constant: the number of its step
  std::map<int, int> constantOf;               // by value that was evaluated: its constant

  void keepNeeded(std::vector<Numbered> &constant, const std::vector<Step> &others, std::vector<bool> &needed) const;
  std::optional<Mistake> evaluateSteps(const std::vector<Numbered> &constant, const std::vector<int> &wanted);
  std::optional<Mistake> findNumbers(const Numbered &made);
  void findCommonNumbers(const Step &step, std::string &error);
  std::optional<Mistake> checkBytes() const;

  void take(Step step, std::vector<Step> &steps);
  void takeNumbers(Step &step);
  void narrow(Step &step, size_t input, const Numbers &element);
  int fill(int value, std::vector<Step> &steps);
  int addValue(Sequence sequence);
  int addConstant(int value, std::vector<int> radices, Numbers leaves);

  std::vector<bool> usedInputs(const Step &step) const;
  void forgetUnused(Step &step, size_t number);
  size_t leafCount(int value) const { return leaves(program.values[value].element).size(); }
  int64_t elementsOf(int value) const {
    int64_t elements = 1;
    for (int radix : program.values[value].radices)
      elements *= radix;
    return elements;
  }
  size_t arrayLength(size_t all, const std::vector<int> &values, const std::vector<bool> &isArray) const;
};

/// The elements of a node's arrays, when a body has `all` leaves of `values`.
size_t Folding::arrayLength(size_t all, const std::vector<int> &values, const std::vector<bool> &isArray) const {
  size_t single = 0, repeated = 0;
  for (size_t i = 0; i < values.size(); ++i)
    (isAt(isArray, i) ? repeated : single) += leafCount(values[i]);
  return repeated ? (all - single) / repeated : 1;
}

/// The inputs that the results of a step on elements depend on; of another step all.
std::vector<bool> Folding::usedInputs(const Step &step) const {
  std::vector<bool> used(step.inputs.size(), !hasBodyOnElements(step));
  if (!hasBodyOnElements(step))
    return used;
  const Body &body = step.body;
  std::vector<bool> needed(body.params.size() + body.instrs.size(), false);
  for (int result : body.results)
    needed[result] = true;
  for (size_t i = body.instrs.size(); i-- > 0;)
    if (needed[body.params.size() + i])
      for (int operand : body.instrs[i].operands)
        needed[operand] = true;
  const size_t length = arrayLength(body.params.size(), step.inputs, step.arrayInput);
  size_t parameter = 0;
  for (size_t i = 0; i < step.inputs.size(); ++i)
    for (size_t k = leafCount(step.inputs[i]) * (isAt(step.arrayInput, i) ? length : 1); k > 0; --k)
      if (needed[parameter++])
        used[i] = true;
  return used;
}

/// Finds what all elements of the results are, if that is so whatever the length.
void Folding::findCommonNumbers(const Step &step, std::string &error) {
  for (int input : step.inputs)
    if (!numbers[input])
      return;
  if (!hasBodyOnElements(step)) {
    Numbers fill;
    if (step.kind == Step::Kind::Resize && !step.body.results.empty() &&
        (!evaluate(step.body, {}, fill, error) || !same(fill, *numbers[step.inputs[0]])))
      return;
    numbers[step.outputs[0]] = numbers[step.inputs[0]];
    return;
  }
  if (namesDigits(step.body))
    return;
  Numbers parameters, results;
  const size_t length = arrayLength(step.body.params.size(), step.inputs, step.arrayInput);
  for (size_t i = 0; i < step.inputs.size(); ++i)
    for (size_t k = isAt(step.arrayInput, i) ? length : 1; k > 0; --k)
      llvm::append_range(parameters, *numbers[step.inputs[i]]);
  if (!evaluate(step.body, parameters, results, error))
    return;
  const size_t made = arrayLength(results.size(), step.outputs, step.arrayOutput);
  auto next = results.begin();
  for (size_t i = 0; i < step.outputs.size(); ++i) {
    const size_t leafs = leafCount(step.outputs[i]);
    const auto end = next + static_cast<std::ptrdiff_t>(leafs * (isAt(step.arrayOutput, i) ? made : 1));
    numbers[step.outputs[i]] = commonElement(Numbers(next, end), leafs);
    next = end;
  }
}

int Folding::addValue(Sequence sequence) {
  program.values.push_back(std::move(sequence));
  known.push_back(false);
  numbers.emplace_back();
  return static_cast<int>(program.values.size()) - 1;
}

/// An equal constant, or a new one of elements as `value` has them.
int Folding::addConstant(int value, std::vector<int> radices, Numbers leaves) {
  Sequence own{std::move(radices), program.values[value].element, program.values[value].loc};
  for (const Constant &other : program.constants) {
    const Sequence &sequence = program.values[other.value];
    if (sequence.radices == own.radices && equal(*sequence.element, *own.element) && same(other.leaves, leaves))
      return other.value;
  }
  const int constant = addValue(std::move(own));
  madeBy[constant] = madeBy.at(value);
  program.constants.push_back({constant, std::move(leaves)});
  return constant;
}

/// Makes a sequence of a value that is the same everywhere.
int Folding::fill(int value, std::vector<Step> &steps) {
  Step step;
  step.kind = Step::Kind::Pointwise;
  step.name = "fill";
  step.loc = program.values[value].loc;
  step.inputs = {value};
  step.body.params = leaves(program.values[value].element);
  for (size_t i = 0; i < step.body.params.size(); ++i)
    step.body.results.push_back(static_cast<int>(i));
  takeNumbers(step);
  step.outputs = {addValue(program.values[value])};
  steps.push_back(std::move(step));
  return steps.back().outputs[0];
}

/// Gives a step one element, or a node one array, in the place of an input that is the same everywhere.
void Folding::narrow(Step &step, size_t input, const Numbers &element) {
  step.broadcastDigits.resize(step.inputs.size());
  std::vector<int> &places = step.broadcastDigits[input];
  const std::vector<int> all = program.values[step.inputs[input]].radices;
  std::vector<int> kept, radices;
  Numbers leaves = element;
  if (isAt(step.arrayInput, input)) {
    kept = step.digits;
    llvm::sort(kept);
    for (int digit : kept) {
      const auto at = places.empty() ? digit - 1 : llvm::find(places, digit) - places.begin();
      radices.push_back(all[static_cast<size_t>(at)]);
      const Numbers one = leaves;
      for (int k = 1; k < radices.back(); ++k)
        llvm::append_range(leaves, one);
    }
  }
  places = std::move(kept);
  step.inputs[input] = addConstant(step.inputs[input], std::move(radices), std::move(leaves));
}

/// Puts numbers into the body of a step on elements, in the place of inputs that are the same everywhere or that it
/// does not use. One input stays where it would have none else, and an array where a node has its digits from it alone.
void Folding::takeNumbers(Step &step) {
  const std::vector<bool> used = usedInputs(step);
  auto replacement = [&](size_t i) -> std::optional<Numbers> {
    if (!used[i] && known[step.inputs[i]])
      return Numbers(leafCount(step.inputs[i]));
    return numbers[step.inputs[i]];
  };
  std::vector<std::optional<Numbers>> taken;
  for (size_t i = 0; i < step.inputs.size(); ++i)
    taken.push_back(replacement(i));
  const bool needsArray = step.kind == Step::Kind::Node && !llvm::is_contained(step.arrayOutput, true);
  auto isEnough = [&](size_t i) { return !needsArray || isAt(step.arrayInput, i); };
  size_t staying = 0, candidate = step.inputs.size();
  for (size_t i = step.inputs.size(); i-- > 0;) {
    staying += !taken[i] && isEnough(i);
    if (taken[i] && isEnough(i))
      candidate = i;
  }
  if (staying == 0 && candidate < step.inputs.size()) {
    narrow(step, candidate, *taken[candidate]);
    taken[candidate].reset();
  }

  Body body;
  std::vector<int> renamed; // by old number
  std::vector<Instr> constants;
  std::vector<std::pair<size_t, size_t>> waiting; // old number, place among the constants
  const size_t length = arrayLength(step.body.params.size(), step.inputs, step.arrayInput);
  for (size_t i = 0; i < step.inputs.size(); ++i) {
    const size_t leafs = leafCount(step.inputs[i]);
    for (size_t k = 0; k < leafs * (isAt(step.arrayInput, i) ? length : 1); ++k) {
      const TypeRef &type = step.body.params[renamed.size()];
      if (taken[i]) {
        const Scalar &number = (*taken[i])[k % leafs];
        waiting.emplace_back(renamed.size(), constants.size());
        Instr &constant = constants.emplace_back();
        constant.op = Op::Constant;
        constant.type = type;
        constant.intValue = number.integer;
        constant.real = number.re;
        constant.imag = number.im;
        constant.loc = step.loc;
        renamed.push_back(0);
      } else {
        renamed.push_back(static_cast<int>(body.params.size()));
        body.params.push_back(type);
      }
    }
  }
  for (auto [old, place] : waiting)
    renamed[old] = static_cast<int>(body.params.size() + place);
  for (size_t i = 0; i < step.body.instrs.size(); ++i)
    renamed.push_back(static_cast<int>(body.params.size() + constants.size() + i));
  body.instrs = std::move(constants);
  for (Instr &instr : step.body.instrs) {
    for (int &operand : instr.operands)
      operand = renamed[operand];
    body.instrs.push_back(std::move(instr));
  }
  for (int result : step.body.results)
    body.results.push_back(renamed[result]);
  step.body = std::move(body);

  for (size_t i = step.inputs.size(); i-- > 0;)
    if (taken[i]) {
      auto at = static_cast<std::ptrdiff_t>(i);
      step.inputs.erase(step.inputs.begin() + at);
      if (!step.broadcastDigits.empty())
        step.broadcastDigits.erase(step.broadcastDigits.begin() + at);
      if (i < step.arrayInput.size())
        step.arrayInput.erase(step.arrayInput.begin() + at);
    }
}

/// Appends a step with what it takes of known values.
void Folding::take(Step step, std::vector<Step> &steps) {
  if (hasBodyOnElements(step))
    takeNumbers(step);
  else if (numbers[step.inputs[0]])
    step.inputs[0] = fill(step.inputs[0], steps);
  for (int &value : step.inputs)
    if (auto constant = constantOf.find(value); constant != constantOf.end())
      value = constant->second;
  steps.push_back(std::move(step));
}

std::optional<Folding::Mistake> Folding::findNumbers(const Numbered &made) {
  std::string error;
  findCommonNumbers(made.step, error);
  if (!error.empty())
    return Mistake{made.number, made.step.loc, "what is computed when compiling: " + error};
  for (int value : made.step.outputs) {
    if (numbers[value])
      continue;
    const int64_t leafs = countLeaves(*program.values[value].element, maxNumbers), elements = elementsOf(value);
    if (elements > maxNumbers / leafs)
      return Mistake{made.number, made.step.loc,
                     "a sequence that is computed when compiling has at most " + std::to_string(maxNumbers) +
                         " numbers, and this one has " +
                         std::to_string(llvm::SaturatingMultiply(uint64_t(elements), uint64_t(leafs))) +
                         (leafs == 1 ? "" : ", " + std::to_string(leafs) + " in each element")};
  }
  return std::nullopt;
}

/// Evaluates steps that make no common numbers; of `wanted` then either numbers or a constant is known.
std::optional<Folding::Mistake> Folding::evaluateSteps(const std::vector<Numbered> &constant,
                                                       const std::vector<int> &wanted) {
  Program part;
  std::vector<size_t> origin; // by step of it: which of `constant` it was
  for (size_t i = 0; i < constant.size(); ++i) {
    if (llvm::all_of(constant[i].step.outputs, [&](int value) { return numbers[value].has_value(); }))
      continue;
    take(constant[i].step, part.steps);
    origin.resize(part.steps.size(), i);
  }
  llvm::copy_if(wanted, std::back_inserter(part.outputs), [&](int value) { return !numbers[value]; });
  part.values = program.values;
  part.constants = std::move(program.constants);
  program.constants.clear();
  std::vector<std::vector<Scalar>> results;
  std::string error;
  size_t done = 0;
  if (!evaluate(part, {}, {}, results, error, [&](size_t step, const auto &) { done = step + 1; })) {
    const Numbered &failed = constant[origin[done]];
    return Mistake{failed.number, failed.step.loc, "what is computed when compiling: " + error};
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const int value = part.outputs[i];
    numbers[value] = commonElement(results[i], leafCount(value));
    if (!numbers[value])
      constantOf[value] = addConstant(value, program.values[value].radices, std::move(results[i]));
  }
  return std::nullopt;
}

/// Drops steps that nothing depends on; `needed` has the known values that are left.
void Folding::keepNeeded(std::vector<Numbered> &constant, const std::vector<Step> &others,
                         std::vector<bool> &needed) const {
  auto need = [&](const Step &step) {
    const std::vector<bool> used = usedInputs(step);
    for (size_t i = 0; i < used.size(); ++i)
      if (used[i])
        needed[step.inputs[i]] = true;
  };
  llvm::for_each(others, need);
  for (int value : program.outputs)
    needed[value] = true;
  std::vector<Numbered> kept;
  for (Numbered &made : llvm::reverse(constant))
    if (llvm::any_of(made.step.outputs, [&](int value) { return needed[value]; })) {
      need(made.step);
      kept.push_back(std::move(made));
    }
  constant.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
}

std::optional<Folding::Mistake> Folding::checkBytes() const {
  int64_t all = 0, most = 0;
  const Constant *largest = nullptr;
  for (const Constant &constant : program.constants) {
    const auto element = host::ElementType::parse(spellStructure(*program.values[constant.value].element));
    const int64_t bytes =
        static_cast<int64_t>(constant.leaves.size() / element.fields.size()) * static_cast<int64_t>(element.bytes);
    all += bytes;
    if (bytes > most)
      most = bytes, largest = &constant;
  }
  if (all <= maxBytes)
    return std::nullopt;
  return Mistake{madeBy.at(largest->value), program.values[largest->value].loc,
                 "what is computed when compiling takes " + std::to_string(all) + " bytes" +
                     (most < all ? ", " + std::to_string(most) + " of them here" : "") +
                     ", and a module holds at most " + std::to_string(maxBytes)};
}

/// Gives a step that makes its results of no element zeros, which are known, where it takes elements that are not: of
/// one that names digits few results are computed; where all are the same few are as cheap to compute, and many are no
/// table.
void Folding::forgetUnused(Step &step, size_t number) {
  if (step.kind != Step::Kind::Pointwise)
    return;
  int64_t made = 0;
  for (int value : step.outputs)
    made += elementsOf(value) * static_cast<int64_t>(leafCount(value));
  const bool areAlike = !namesDigits(step.body);
  const std::vector<bool> used = usedInputs(step);
  auto isKnown = [&](size_t i) { return !used[i] || (!areAlike && known[step.inputs[i]]); };
  if ((made > maxForgotten) != areAlike || !llvm::all_of(llvm::seq(used.size()), isKnown))
    return;
  for (int &value : step.inputs)
    if (!known[value]) {
      value = addValue(program.values[value]);
      known[value] = true;
      numbers[value] = Numbers(leafCount(value));
      madeBy[value] = number;
    }
}

std::optional<Folding::Mistake> Folding::run() {
  std::vector<Numbered> constant;
  std::vector<Step> others;
  std::vector<bool> moved(program.values.size(), false); // taken by more than steps on each element alone
  for (const Step &step : program.steps)
    if (step.kind != Step::Kind::Pointwise)
      for (int value : step.inputs)
        moved[value] = true;
  for (auto [number, step] : llvm::enumerate(program.steps)) {
    if (llvm::any_of(step.outputs, [&](int value) { return moved[value]; }))
      forgetUnused(step, number);
    const bool folds = !step.body.readsScalars() && llvm::all_of(step.inputs, [&](int value) { return known[value]; });
    for (int value : step.outputs) {
      known[value] = folds;
      if (folds)
        madeBy[value] = number;
    }
    if (folds)
      constant.push_back({number, std::move(step)});
    else
      others.push_back(std::move(step));
  }
  std::vector<bool> needed(known.size(), false);
  std::vector<int> wanted; // known, by what is not
  keepNeeded(constant, others, needed);
  for (const Numbered &made : constant)
    if (auto mistake = findNumbers(made))
      return mistake;
  auto want = [&](int value) {
    if (known[value] && needed[value] && !llvm::is_contained(wanted, value))
      wanted.push_back(value);
  };
  for (const Step &step : others)
    llvm::for_each(step.inputs, want);
  llvm::for_each(program.outputs, want);
  if (auto mistake = evaluateSteps(constant, wanted))
    return mistake;
  program.steps.clear();
  for (Step &step : others)
    take(std::move(step), program.steps);
  for (int &value : program.outputs)
    if (numbers[value])
      value = fill(value, program.steps);
    else if (auto made = constantOf.find(value); made != constantOf.end())
      value = made->second;
  return checkBytes();
}

} // namespace

void Elaborator::foldConstants() {
  if (auto mistake = Folding(program).run())
    failAt(mistake->step, mistake->loc, mistake->message);
}

void Elaborator::failAt(size_t step, llvm::SMLoc loc, const std::string &message) {
  for (const Call &call : llvm::reverse(calls))
    if (call.first <= step && step < call.end)
      frames.push_back(call.frame);
  fail(loc, message);
}

} // namespace idc::frontend
