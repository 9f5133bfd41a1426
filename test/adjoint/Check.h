// The adjoint of a program against finite differences of the program, both evaluated by the reference.
#pragma once

#include "compiler/frontend/Elaborate.h"

#include <cstdint>
#include <string>
#include <vector>

namespace idc::test {

/// A program and an instance of its entry.
struct Instance {
  std::string file;                 // its path, or what messages call `text`
  std::string text;                 // of the program; empty: that of the file
  std::vector<std::string> folders; // of imports
  std::string entry;
  frontend::SizeMap sizes;
  frontend::TypeMap types;
};

struct Verdict {
  enum class Kind {
    Same,      // `error` is the largest relative one
    Different, // `error` is it, `detail` the adjoint
    Refused,   // there is no adjoint: `detail` says why
    Rough,     // at no input that was tried have finite differences a limit
    Broken     // the program or its adjoint is no program, or cannot be evaluated: `detail`
  };
  Kind kind;
  double error = 0;
  std::string detail;
};

/// Writes the program itself as text and compares what that makes of random inputs. Then derives the adjoint as text,
/// reads that, and compares, at random inputs x for random directions v and gradients g, the products <g, (f(x + hv) -
/// f(x - hv)) / 2h> and <adjoint(x, g), v>, relative to the norms of what is multiplied first.
Verdict checkAdjoint(const Instance &instance, uint64_t seed, double tolerance);

} // namespace idc::test
