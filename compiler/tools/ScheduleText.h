// Schedules as source text: their files cut into schedules, and schedules into launches.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <map>
#include <string>
#include <vector>

namespace idc::tools {

/// The text of a schedule file cut into its schedules, by their first lines.
std::map<std::string, std::string> schedulesOf(llvm::StringRef text);

/// What stands before the kernels of a schedule as the compiler prints it: its first line, and its choices.
std::string headerOf(llvm::StringRef schedule);

/// The kernels of a schedule that run as one launch: one, or the passes of a ring.
struct LaunchText {
  int first = 0, last = 0; // steps; 0: none
  std::string in, out;     // the address orders of what it reads and writes; empty: the program's
  std::string kernels;

  /// Equal for launches that do the same on the same data.
  std::string key() const { return in + "\n" + kernels; }
};

/// The launches of a schedule as the compiler prints it.
std::vector<LaunchText> launchesOf(llvm::StringRef schedule);

/// The text of a launch's kernels with registers for so many `blocks` of each on a multiprocessor.
std::string withResidentBlocks(llvm::StringRef kernels, int64_t blocks);

} // namespace idc::tools
