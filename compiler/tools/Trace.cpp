#include "compiler/tools/Trace.h"

#include "compiler/explain/Text.h"
#include "compiler/frontend/Evaluate.h"
#include "compiler/frontend/ScalarArrays.h"
#include "compiler/frontend/ScalarMemory.h"
#include "compiler/tools/Executable.h"

#include "host/Arrays.h"
#include "host/Mismatch.h"
#include "host/ValueTable.h"

#include "llvm/ADT/STLExtras.h"

using namespace idc;
using frontend::Scalar;

// Of all steps together; a number takes 16 bytes at most.
static constexpr int64_t mostNumbers = int64_t(1) << 26;

static int64_t elementsOf(const std::vector<int> &radices) {
  int64_t elements = 1;
  for (int radix : radices)
    elements *= radix;
  return elements;
}

static tools::TracedSequence traced(const std::vector<Scalar> &leaves, const std::vector<int> &radices,
                                    const frontend::Type &element) {
  const std::string type = frontend::spellStructure(element);
  return {type, radices, frontend::toArray(leaves, host::ElementType::parse(type))};
}

static tools::TracedSequence traced(const std::vector<Scalar> &leaves, const frontend::Sequence &sequence) {
  return traced(leaves, sequence.radices, *sequence.element);
}

/// The sequences that a side of the program takes or gives, loaded from memory.
static std::vector<std::vector<Scalar>> load(const frontend::Program &program,
                                             const std::vector<host::OperandValues> &operands) {
  if (operands.size() != program.inputs.size())
    throw host::Error(program.entry + " takes " + std::to_string(program.inputs.size()) + " sequences, not " +
                      std::to_string(operands.size()));
  std::vector<std::vector<Scalar>> sequences;
  for (const auto &[operand, input] : llvm::zip(operands, program.inputs)) {
    const frontend::Sequence &sequence = program.values[static_cast<size_t>(input.value)];
    const auto type = host::ElementType::parse(frontend::spellStructure(*sequence.element));
    if (operand.type.bytes != type.bytes || operand.elements != elementsOf(sequence.radices))
      throw host::Error("input '" + input.name + "' of " + program.entry + " has " +
                        std::to_string(elementsOf(sequence.radices)) + " elements of " +
                        frontend::spell(*sequence.element) + ", which input '" + operand.name + "' has not");
    sequences.push_back(frontend::loadScalars(operand.data.data(), type, operand.elements));
  }
  return sequences;
}

tools::Trace tools::traceProgram(codegen::Compiler &compiler, const host::ProblemValues &problem) {
  const frontend::Program &program = programOf(compiler, llvm::errs());
  int64_t numbers = 0;
  for (const frontend::Sequence &sequence : program.values)
    numbers += elementsOf(sequence.radices) * frontend::countLeaves(*sequence.element, mostNumbers);
  if (numbers > mostNumbers)
    throw host::Error("the values of all steps are more than 2^26 numbers; trace a smaller size");
  if (problem.scalars.size() != program.scalars.size())
    throw host::Error(program.entry + " takes " + std::to_string(program.scalars.size()) + " scalars, not " +
                      std::to_string(problem.scalars.size()));
  Trace trace;
  const std::vector<std::vector<Scalar>> inputs = load(program, problem.inputs);
  for (const auto &[input, leaves] : llvm::zip(program.inputs, inputs)) {
    trace.names.push_back(input.name);
    trace.inputs.push_back(traced(leaves, program.values[static_cast<size_t>(input.value)]));
  }
  std::vector<Scalar> scalars;
  for (const auto &[bytes, scalar] : llvm::zip(problem.scalars, program.scalars)) {
    scalars.push_back(
        frontend::loadScalars(bytes.data(), host::ElementType::parse(frontend::spellStructure(*scalar.type)), 1)
            .front());
    trace.names.push_back(scalar.name);
    trace.inputs.push_back(traced({scalars.back()}, {}, *scalar.type));
  }
  if (const std::string broken = frontend::brokenRequirement(program, scalars); !broken.empty())
    throw host::Error(broken);
  const StepPlace placeOf = placesOf(compiler);
  auto observe = [&](size_t number, const std::vector<const std::vector<Scalar> *> &results) {
    const frontend::Step &step = program.steps[number];
    TracedStep made{explain::describe(program, step), placeOf(step), {}};
    for (const auto &[value, leaves] : llvm::zip(step.outputs, results))
      made.results.push_back(traced(*leaves, program.values[static_cast<size_t>(value)]));
    trace.steps.push_back(std::move(made));
  };
  std::vector<std::vector<Scalar>> results;
  std::string error;
  if (!frontend::evaluate(program, inputs, scalars, results, error, observe))
    throw host::Error("the evaluation failed: " + placeOf(program.steps[trace.steps.size()]) + ": " + error);
  TracedStep last{"the results", "", {}};
  for (const auto &[value, leaves] : llvm::zip(program.outputs, results))
    last.results.push_back(traced(leaves, program.values[static_cast<size_t>(value)]));
  trace.steps.push_back(std::move(last));
  return trace;
}

void tools::print(std::ostream &out, const Trace &trace) {
  for (const auto &[number, step] : llvm::enumerate(llvm::ArrayRef(trace.steps).drop_back())) {
    out << "step " << number + 1 << ": " << step.what << "\n";
    if (!step.where.empty())
      out << "  " << step.where << "\n";
    for (const TracedSequence &result : step.results)
      host::printTable(out, result.values, result.radices);
  }
}

/// Whether elements of both can be compared.
static bool haveOneForm(const tools::TracedSequence &own, const tools::TracedSequence &other) {
  return own.type == other.type && elementsOf(own.radices) == elementsOf(other.radices);
}

static bool haveOneForm(const tools::TracedStep &own, const tools::TracedStep &other) {
  return own.results.size() == other.results.size() &&
         llvm::all_of(llvm::zip(own.results, other.results),
                      [](auto pair) { return haveOneForm(std::get<0>(pair), std::get<1>(pair)); });
}

static bool agree(const tools::TracedStep &own, const tools::TracedStep &other, double tolerance) {
  return haveOneForm(own, other) && llvm::all_of(llvm::zip(own.results, other.results), [&](auto pair) {
           return host::relativeError(std::get<0>(pair).values, std::get<1>(pair).values, "a step") <= tolerance;
         });
}

static void checkInputs(const tools::Trace &own, const tools::Trace &other, const std::string &name) {
  if (own.inputs.size() != other.inputs.size())
    throw host::Error(name + " has " + std::to_string(other.inputs.size()) + " inputs, not " +
                      std::to_string(own.inputs.size()));
  for (const auto &[input, mine, theirs] : llvm::zip(own.names, own.inputs, other.inputs)) {
    if (!haveOneForm(mine, theirs))
      throw host::Error("input '" + input + "' has " + std::to_string(elementsOf(mine.radices)) + " elements of " +
                        mine.type + ", and in " + name + " " + std::to_string(elementsOf(theirs.radices)) + " of " +
                        theirs.type);
    if (mine.values.data != theirs.values.data)
      throw host::Error("input '" + input + "' has other values than in " + name +
                        "; steps are compared for the same input (--input, --seed, --problem)");
  }
}

bool tools::compare(std::ostream &out, const Trace &own, const Trace &other, const std::string &name,
                    double tolerance) {
  checkInputs(own, other, name);
  size_t next = 0; // of the other's steps
  for (const auto &[number, step] : llvm::enumerate(own.steps)) {
    size_t found = next;
    while (found < other.steps.size() && !agree(step, other.steps[found], tolerance))
      ++found;
    if (found < other.steps.size()) {
      next = std::min(found + 1, other.steps.size() - 1); // the results may be those of the last step
      continue;
    }
    const TracedStep &there = other.steps[next];
    const bool isResult = number + 1 == own.steps.size();
    out << "against " << name << ": ";
    if (isResult)
      out << "the results differ, though all steps agree\n";
    else
      out << "step " << number + 1 << " is the first that differs: " << step.what << "\n  " << step.where << "\n";
    out << "  there: " << there.what << (there.where.empty() ? "" : "\n  " + there.where) << "\n";
    if (!haveOneForm(step, there))
      out << "  which gives sequences of another form\n";
    else
      for (const auto &[mine, theirs] : llvm::zip(step.results, there.results))
        out << host::describeMismatch(mine.values, theirs.values, {1, elementsOf(mine.radices), 0, mine.radices},
                                      tolerance);
    return false;
  }
  out << "against " << name << ": all " << own.steps.size() - 1 << " steps and the results agree\n";
  return true;
}
