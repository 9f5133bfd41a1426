// `idc compile` of a C library: a program at many sizes and types for several targets.
#pragma once

#include "compiler/codegen/Compiler.h"

#include <string>
#include <vector>

namespace idc::tools {

struct LibraryRequest {
  codegen::CompileRequest program;        // without sizes, types and target
  std::vector<std::string> settings;      // "n=8..24", "m=1,3", "T=f32,f64"
  std::vector<std::string> architectures; // of GPUs, when `targets` has nvptx (Architectures.h)
  std::string targets;                    // "nvptx", "cpu" or both
  std::vector<int64_t> devices;           // numbers of devices of groups; none: functions without a group
  std::string prefix;                     // DIR/NAME: writes DIR/libNAME.a, DIR/NAME.h, DIR/NAME.json
  std::string depfile;                    // empty: none
  unsigned jobs = 0;                      // compilations at a time; 0: one per core
};

/// Compiles on all cores, showing progress on a terminal, and writes the library. Nothing is written when anything is
/// wrong. Returns the exit status; what is wrong is printed.
int compileLibrary(const LibraryRequest &request);

} // namespace idc::tools
