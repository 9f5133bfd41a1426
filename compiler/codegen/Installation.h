// Where this compiler lies, and what lies beside it.
#pragma once

#include <string>

namespace idc::codegen {

/// The file that this code was loaded from: the tool, or the shared library that it is part of.
std::string ownFile();

/// The standard library: beside what is installed (../share/idc/stdlib), else the source tree's.
std::string standardLibrary();

} // namespace idc::codegen
