// `idc run`: compiles in memory and runs at once.
#pragma once

#include "compiler/codegen/Compiler.h"

#include "host/Run.h"

#include <string>

namespace idc::tools {

/// Compiles for `device` ("gpu", "cpu", or "auto": the GPU when there is one that this build can compile for), runs, and
/// prints the report to standard output. `verify` compares with the direct evaluation of the program. Returns the exit
/// status: 0, or 1 after printing what went wrong.
int runProgram(codegen::CompileRequest request, host::RunRequest run, const std::string &device, bool verify);

} // namespace idc::tools
