// The adjoint of an elaborated program: an elaborated program that computes its vector-Jacobian product.
#pragma once

#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/Elaborated.h"

#include <optional>
#include <string>
#include <vector>

namespace idc::adjoint {

/// The adjoint of a program at one choice of sizes and types.
struct AdjointProgram {
  frontend::Program program;      // entry NAME_adjoint
  std::vector<int> inputs;        // of the adjoint: the input of the forward program, or -1 - the result whose gradient
  std::vector<int> withRespectTo; // of the adjoint's results: the input of the forward program
  std::vector<int> scalars;       // of the adjoint: the parameter without brackets of the forward program
  int keptValues = 0;             // of the forward run that the backward run takes, inputs not counted,
  int64_t keptBytes = 0;          // and their bytes for one problem
};

/// Derives the adjoint of `forward` (elaborated, not folded), with respect to the inputs of these names, or to all that
/// have derivatives when there are none. Its inputs are those of `forward` whose values it needs, then the gradients of
/// the results that depend on the chosen inputs, named "d_y0", "d_y1", …; its results are the gradients of the chosen
/// inputs, of their types; numbers of records that have no derivative get 0. It is the steps of `forward` whose values
/// are needed, and then its steps backwards: a step that is linear needs none. Reports and returns nothing when an
/// input or all results have no derivatives, and where a step has an adjoint that the language cannot express.
std::optional<AdjointProgram> differentiate(const frontend::Program &forward,
                                            const std::vector<std::string> &withRespectTo,
                                            frontend::Diagnostics &diagnostics);

} // namespace idc::adjoint
