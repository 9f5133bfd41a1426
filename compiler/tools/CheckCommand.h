// `idc check`: what is wrong with programs, without compiling them.
#pragma once

#include "compiler/codegen/Compiler.h"

#include <string>
#include <vector>

namespace idc::tools {

/// Checks files: names, places and numbers of arguments, and what is wrong with each choice of sizes and types. With an
/// entry, or settings for the only algorithm of a file, everything that these decide; they are for one file. Prints
/// what it finds to standard error as every command does, or as a JSON array to standard output (docs/language.md,
/// "Diagnostics"). Returns the exit status: 0, or 1 when there are errors.
int checkPrograms(const codegen::CompileRequest &request, const std::vector<std::string> &files, bool json);

} // namespace idc::tools
