// `idc explain`: shows what became of a program.
#pragma once

#include "compiler/codegen/Compiler.h"

namespace idc::tools {

/// Compiles the program for a GPU and prints what became of it. Returns the exit status; what is wrong is printed.
int explainProgram(codegen::CompileRequest request);

} // namespace idc::tools
