// `idc explain`: shows what became of a program.
#pragma once

#include "compiler/codegen/Compiler.h"

#include "compiler/explain/SeveralDevices.h"

#include <string>

namespace idc::tools {

struct ExplainOutput {
  bool text = false;
  std::string svgFolder, htmlFile; // empty: none
};

/// Compiles the program for a GPU and prints or writes what is asked for; nothing is written when anything is wrong
/// with the program. Returns the exit status; what is wrong is printed.
int explainProgram(codegen::CompileRequest request, const ExplainOutput &output);

/// Says so where one device is faster.
void noteSlower(const std::optional<explain::SeveralDevices> &several);

} // namespace idc::tools
