// The values after every step of a program, as the reference interpreter has them.
#pragma once

#include "compiler/codegen/Compiler.h"

#include "host/Run.h"

#include <ostream>
#include <string>
#include <vector>

namespace idc::tools {

/// A sequence of one problem, or a scalar, which has no digits.
struct TracedSequence {
  std::string type;         // of an element, as manifests spell it
  std::vector<int> radices; // least significant first
  npy::Array values;        // as frontend::toArray() has them
};

struct TracedStep {
  std::string what, where; // "merge @ 3"; "mine.id:13: merge @ i, i = 3"
  std::vector<TracedSequence> results;
};

/// What the steps of a program gave for one problem: made here, or read from a file (TraceFile.h).
struct Trace {
  std::vector<std::string> names; // of `inputs`
  std::vector<TracedSequence> inputs;
  std::vector<TracedStep> steps; // the last one is the return
};

/// Evaluates the compiler's program on the inputs and scalars of one problem. Mistakes in the source are printed to
/// standard error. Throws host::Error when the program takes other inputs, when it cannot be evaluated, or when its
/// values would take too much memory.
Trace traceProgram(codegen::Compiler &compiler, const host::ProblemValues &problem);

/// Prints every step with its place in the source and a table of what it gave.
void print(std::ostream &out, const Trace &trace);

/// Writes which step of `own` first gives values that no later step of `other`, called `name`, gives: steps of both are
/// paired in order, each with the next of the other program whose results are the same up to a relative L2 error of
/// `tolerance`. False when there is such a step or when the results differ. Throws host::Error when the two were not
/// made from the same inputs.
bool compare(std::ostream &out, const Trace &own, const Trace &other, const std::string &name, double tolerance);

} // namespace idc::tools
