// What names, calls and stages of a program are when it is elaborated: values, shapes and where digits are, for
// editors.
#pragma once

#include "compiler/frontend/Ast.h"

#include <map>
#include <string>
#include <vector>

namespace idc::frontend {

/// What a place was when it was reached once.
struct Observation {
  std::string value; // "complex<f32>[2^3]", "f32", "the integer 3"
  /// Of a sequence: what its digits are, the most significant first: "3", a digit of the inputs; "~3", its complement;
  /// "a", a digit that a step has made.
  std::vector<std::string> digits;
};

/// A place by the first and the last of its addresses; of those with one beginning a name comes before what it is a
/// part of.
using Place = std::pair<const char *, const char *>;

struct Observations {
  std::string settings;                              // what was chosen: "n = 3, T = f32"
  std::map<Place, std::vector<Observation>> inEntry; // in the algorithm itself, in the order of time
  std::map<Place, std::vector<Observation>> inCalls; // in what it calls
};

/// Elaborates an algorithm with small sizes, and with types that fit where it has no defaults. What was seen before a
/// mistake is there when nothing that is tried is right. Of one place so many observations are kept:
constexpr size_t keptObservations = 32;
Observations observe(const Source &source, const Function &algorithm);

} // namespace idc::frontend
