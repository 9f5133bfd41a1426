// `idc doc`: a reference of the algorithms of programs.
#pragma once

#include "compiler/codegen/Compiler.h"

#include <string>
#include <vector>

namespace idc::tools {

/// Prints a page in Markdown to standard output: for every file what its first comment says, for every algorithm its
/// declaration, its documentation, a link to its source, by the file's path as given, and what it costs at one size on
/// the request's target. Returns the exit status: 0, or 1 when a file cannot be read, after printing why.
int documentPrograms(const codegen::CompileRequest &request, const std::vector<std::string> &files);

} // namespace idc::tools
