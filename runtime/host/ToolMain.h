//===- ToolMain.h - the main program of a tool without LLVM -----*- C++ -*-===//

#ifndef IDC_HOST_TOOLMAIN_H
#define IDC_HOST_TOOLMAIN_H

#include <CLI/CLI.hpp>

#include <functional>

namespace idc::host {

/// Parses the arguments by the options of `tool`, to which --version is added, then does its work. Returns the exit
/// status: that of the work, 2 for wrong usage, `failed` when the work throws; what is wrong is printed as an error.
int toolMain(CLI::App &tool, int argc, char **argv, const std::function<int()> &work, int failed = EXIT_FAILURE);

/// For CLI::Option::check: an integer of at least `least`.
CLI::Validator atLeast(int64_t least);

} // namespace idc::host

#endif // IDC_HOST_TOOLMAIN_H
