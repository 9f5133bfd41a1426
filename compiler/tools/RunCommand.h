// `idc run`: compiles in memory and runs at once.
#pragma once

#include "compiler/codegen/Compiler.h"
#include "compiler/emulator/Emulator.h"

#include "host/Run.h"

#include <optional>
#include <string>

namespace idc::tools {

/// How `idc run --target emulate` executes, and what it prints of every kernel.
struct Emulation {
  emulator::EmulatorOptions options;
  bool printReport = false;
  std::string reportFile; // JSON; empty: none
};

/// Which values of one problem of the batch `idc run` shows.
struct Inspection {
  int64_t problem = 0;
  bool operands = false;                          // inputs, scalars and results
  bool steps = false;                             // what every step gave (Trace.h)
  std::string traceFile;                          // where the same is written; empty: nowhere
  std::string againstName;                        // what the steps are compared with; empty: nothing
  std::optional<codegen::CompileRequest> against; // the program of that name; none: it is a file of a trace

  bool any() const { return operands || steps || !traceFile.empty() || !againstName.empty(); }
};

/// Compiles for `device` ("gpu", "cpu", "auto": the GPU when there is one that this build can compile for), or takes
/// the direct evaluation instead of kernels ("reference"), or executes GPU kernels on the CPU ("emulate"); runs, and
/// prints the report to standard output. `verify` compares with the reference interpreter of the same program. Returns
/// the exit status: 0, or 1 after printing what went wrong.
int runProgram(codegen::CompileRequest request, host::RunRequest run, const std::string &device, bool verify,
               const Emulation &emulation, const Inspection &inspection);

} // namespace idc::tools
