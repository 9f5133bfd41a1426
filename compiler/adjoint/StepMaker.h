// Adds linear steps to an elaborated program. Elements may be records; numbers in them that have no derivatives become
// 0.
#pragma once

#include "compiler/frontend/Elaborated.h"

#include <vector>

namespace idc::adjoint {

class StepMaker {
public:
  explicit StepMaker(frontend::Program &program) : program(program) {}

  frontend::Program &program;
  llvm::SMLoc place; // of what is made

  const std::vector<int> &radices(int value) const { return program.values[static_cast<size_t>(value)].radices; }
  const frontend::TypeRef &element(int value) const { return program.values[static_cast<size_t>(value)].element; }

  /// A new value; nothing makes it yet.
  int value(std::vector<int> radices, const frontend::TypeRef &element);
  int permute(int value, const digits::Permutation &permutation);
  /// Other digits, with `own` radices, in the place of the lowest: pads with zeros or crops.
  int resize(int value, int lowest, const std::vector<int> &own);
  /// The same by a gather, or a scatter.
  int move(frontend::Step::Kind kind, int value, int lowest, const std::vector<int> &own, frontend::Body index);
  /// The sums over the values of a digit.
  int sumOverDigit(int value, int digit);
  /// The sum of sequences of one shape and type.
  int sum(const std::vector<int> &values);
  /// Zero where `place`, a body without parameters of one I64 from the value's digits, gives a negative number.
  int masked(int value, const frontend::Body &place);
  /// `value` with `one`, which lacks the lowest digits with `own` radices, added at their element number `index`.
  int addedAt(int value, int one, const std::vector<int> &own, int64_t index);
  /// A sequence of zeros.
  int zeros(const std::vector<int> &radices, const frontend::TypeRef &element);

private:
  frontend::Step step(frontend::Step::Kind kind, const char *name, std::vector<int> inputs);
  int finish(frontend::Step step, std::vector<int> radices, const frontend::TypeRef &element);
  frontend::Body zero(const frontend::TypeRef &element) const;
};

} // namespace idc::adjoint
