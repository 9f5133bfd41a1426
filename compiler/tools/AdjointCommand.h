// `idc adjoint`: the program that computes the gradients of an algorithm's inputs from those of its results.
#pragma once

#include "compiler/codegen/Compiler.h"

namespace idc::tools {

/// Derives the adjoint of the request's entry at its sizes and types, with respect to these inputs (none: all that have
/// gradients), and writes it to `file`, or to standard output when that is empty. Returns the exit status.
int writeAdjoint(codegen::CompileRequest request, const std::vector<std::string> &withRespectTo,
                 const std::string &file);

} // namespace idc::tools
