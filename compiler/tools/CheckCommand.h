// `idc check`: what is wrong with a program, without compiling it.
#pragma once

#include "compiler/codegen/Compiler.h"

namespace idc::tools {

/// Checks the request's file: names, places and numbers of arguments, and with an entry everything that its sizes and
/// types decide. Prints what it finds to standard error as every command does, or as a JSON array to standard output
/// (docs/language.md, "Diagnostics"). Returns the exit status: 0, or 1 when there are errors.
int checkProgram(const codegen::CompileRequest &request, bool json);

} // namespace idc::tools
