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

static int64_t elementsOf(const frontend::Sequence &sequence) {
  int64_t elements = 1;
  for (int radix : sequence.radices)
    elements *= radix;
  return elements;
}

static npy::Array arrayOf(const std::vector<Scalar> &leaves, const frontend::Sequence &sequence) {
  return frontend::toArray(leaves, host::ElementType::parse(frontend::spellStructure(*sequence.element)));
}

/// "mine.id:13: merge @ i, i = 3".
static std::string whereIs(const frontend::Step &step, const codegen::Compiler &compiler) {
  const explain::StepSource source = explain::sourceOf(step, compiler);
  return source.place + (source.text.empty() ? "" : ": " + source.text);
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
    if (operand.type.bytes != type.bytes || operand.elements != elementsOf(sequence))
      throw host::Error("input '" + input.name + "' of " + program.entry + " has " +
                        std::to_string(elementsOf(sequence)) + " elements of " + frontend::spell(*sequence.element) +
                        ", which input '" + operand.name + "' has not");
    sequences.push_back(frontend::loadScalars(operand.data.data(), type, operand.elements));
  }
  return sequences;
}

tools::Trace::Trace(codegen::Compiler &compiler, const host::ProblemValues &problem) {
  const frontend::Program &program = programOf(compiler, llvm::errs());
  int64_t numbers = 0;
  for (const frontend::Sequence &sequence : program.values)
    numbers += elementsOf(sequence) * frontend::countLeaves(*sequence.element, mostNumbers);
  if (numbers > mostNumbers)
    throw host::Error("the values of all steps are more than 2^26 numbers; trace a smaller size");
  if (problem.scalars.size() != program.scalars.size())
    throw host::Error(program.entry + " takes " + std::to_string(program.scalars.size()) + " scalars, not " +
                      std::to_string(problem.scalars.size()));
  std::vector<Scalar> scalars;
  for (const auto &[bytes, scalar] : llvm::zip(problem.scalars, program.scalars))
    scalars.push_back(
        frontend::loadScalars(bytes.data(), host::ElementType::parse(frontend::spellStructure(*scalar.type)), 1)
            .front());
  auto observe = [&](size_t number, const std::vector<const std::vector<Scalar> *> &results) {
    const frontend::Step &step = program.steps[number];
    Step traced{explain::describe(program, step), whereIs(step, compiler), {}, {}};
    for (const auto &[value, leaves] : llvm::zip(step.outputs, results)) {
      traced.sequences.push_back(&program.values[static_cast<size_t>(value)]);
      traced.values.push_back(arrayOf(*leaves, *traced.sequences.back()));
    }
    steps.push_back(std::move(traced));
  };
  std::vector<std::vector<Scalar>> results;
  std::string error;
  if (!frontend::evaluate(program, load(program, problem.inputs), scalars, results, error, observe))
    throw host::Error("the evaluation failed: " + error);
  Step last{"the results", "", {}, {}};
  for (const auto &[value, leaves] : llvm::zip(program.outputs, results)) {
    last.sequences.push_back(&program.values[static_cast<size_t>(value)]);
    last.values.push_back(arrayOf(leaves, *last.sequences.back()));
  }
  steps.push_back(std::move(last));
}

void tools::Trace::print(std::ostream &out) const {
  for (const auto &[number, step] : llvm::enumerate(llvm::ArrayRef(steps).drop_back())) {
    out << "step " << number + 1 << ": " << step.what << "\n";
    if (!step.where.empty())
      out << "  " << step.where << "\n";
    for (const auto &[values, sequence] : llvm::zip(step.values, step.sequences))
      host::printTable(out, values, sequence->radices);
  }
}

/// Whether elements of both can be compared.
bool tools::Trace::haveOneForm(const Step &own, const Step &others) {
  return own.values.size() == others.values.size() &&
         llvm::all_of(llvm::zip(own.sequences, others.sequences), [](auto pair) {
           auto [a, b] = pair;
           return frontend::spellStructure(*a->element) == frontend::spellStructure(*b->element) &&
                  elementsOf(*a) == elementsOf(*b);
         });
}

bool tools::Trace::agree(const Step &own, const Step &others, double tolerance) {
  return haveOneForm(own, others) && llvm::all_of(llvm::zip(own.values, others.values), [&](auto pair) {
           return host::relativeError(std::get<0>(pair), std::get<1>(pair), "a step") <= tolerance;
         });
}

bool tools::Trace::compare(std::ostream &out, const Trace &other, const std::string &name, double tolerance) const {
  size_t next = 0; // of the other's steps
  for (const auto &[number, step] : llvm::enumerate(steps)) {
    size_t found = next;
    while (found < other.steps.size() && !agree(step, other.steps[found], tolerance))
      ++found;
    if (found < other.steps.size()) {
      next = std::min(found + 1, other.steps.size() - 1); // the results may be those of the last step
      continue;
    }
    const Step &there = other.steps[next];
    const bool isResult = number + 1 == steps.size();
    out << "against " << name << ": ";
    if (isResult)
      out << "the results differ, though all steps agree\n";
    else
      out << "step " << number + 1 << " is the first that differs: " << step.what << "\n  " << step.where << "\n";
    out << "  there: " << there.what << (there.where.empty() ? "" : "\n  " + there.where) << "\n";
    if (!haveOneForm(step, there))
      out << "  which gives sequences of another form\n";
    else
      for (size_t i = 0; i < step.values.size(); ++i)
        out << host::describeMismatch(step.values[i], there.values[i],
                                      {1, elementsOf(*step.sequences[i]), 0, step.sequences[i]->radices}, tolerance);
    return false;
  }
  out << "against " << name << ": all " << steps.size() - 1 << " steps and the results agree\n";
  return true;
}
