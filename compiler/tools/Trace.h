// The values after every step of a program, as the reference interpreter has them.
#pragma once

#include "compiler/codegen/Compiler.h"

#include "host/Run.h"

#include <ostream>
#include <string>
#include <vector>

namespace idc::tools {

/// What the steps of a program gave for one problem.
class Trace {
public:
  /// Evaluates the compiler's program, which must outlive the trace, on the inputs and scalars of one problem. Mistakes
  /// in the source are printed to standard error. Throws host::Error when the program takes other inputs, when it
  /// cannot be evaluated, or when its values would take too much memory.
  Trace(codegen::Compiler &compiler, const host::ProblemValues &problem);

  /// Every step with its place in the source and a table of what it gave.
  void print(std::ostream &out) const;

  /// Writes which step first gives values that no later step of `other`, called `name`, gives: steps of both are paired
  /// in order, each with the next of the other program whose results are the same up to a relative L2 error of
  /// `tolerance`. False when there is such a step or when the results differ.
  bool compare(std::ostream &out, const Trace &other, const std::string &name, double tolerance) const;

private:
  struct Step {
    std::string what, where; // "merge @ 3"; "mine.id:13: merge @ i, i = 3"
    std::vector<npy::Array> values;
    std::vector<const frontend::Sequence *> sequences;
  };
  static bool agree(const Step &own, const Step &others, double tolerance);
  static bool haveOneForm(const Step &own, const Step &others);

  std::vector<Step> steps; // the last one is the return
};

} // namespace idc::tools
