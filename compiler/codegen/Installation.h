// Where this compiler lies, and what lies beside it.
#pragma once

#include <string>

namespace idc::codegen {

/// The file that this code was loaded from: the tool, or the shared library that it is part of.
std::string ownFile();

/// The standard library: beside what is installed (../share/idc/stdlib), else the source tree's.
std::string standardLibrary();

/// The folder of the user's tables of measured schedules, which need not be there: $IDC_TUNED, or idc/tuned of the
/// user's data folder. Empty: none, as the variable is empty or there is no home folder.
std::string userTables();

/// The table for a program in a folder of such tables, beside others of its target: "tuned/sm_90/FILE.id".
std::string tableIn(const std::string &tuned, const std::string &target, const std::string &program);

} // namespace idc::codegen
