// `idc list`: the algorithms of programs.
#pragma once

#include "compiler/codegen/Compiler.h"

#include <string>
#include <vector>

namespace idc::tools {

/// Prints the algorithms of every file to standard output, each with its parameters, their defaults and shapes, and the
/// first sentence of its documentation. Returns the exit status: 0, or 1 when a file cannot be read, after printing
/// why.
int listPrograms(const codegen::CompileRequest &request, const std::vector<std::string> &files);

} // namespace idc::tools
