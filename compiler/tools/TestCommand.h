// `idc test`: runs the examples that programs have in lines beginning with //! (Example.h).
#pragma once

#include "compiler/codegen/Compiler.h"

#include <string>
#include <vector>

namespace idc::tools {

struct TestRequest {
  codegen::CompileRequest program; // what all examples have in common: all but file, entry and settings
  std::vector<std::string> files;
  std::string device = "reference"; // of Executable::chooseDevice()
  double tolerance = 1e-5;          // largest relative L2 error of reals; other values have to be the same
};

/// Prints a line for every example to standard output, with what is wrong below it, and at the end the counts. Returns
/// the exit status: 0, or 1 when an example failed or there is none.
int testPrograms(const TestRequest &request);

} // namespace idc::tools
