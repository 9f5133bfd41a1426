// The text of a draft.
#pragma once

#include "Draft.h"
#include "Types.h"

#include <string>
#include <vector>

namespace idc::random {

/// A program and how exact its results have to be.
struct Program {
  std::string text; // its entry is "f"
  int64_t batch = 1;
  std::vector<std::vector<Bound>> results; // of each output, of the leaves of its elements; none: exact
  Draft draft;                             // that this is the text of: numbers that mattered, steps that did something
};

Program write(const Draft &draft);

} // namespace idc::random
