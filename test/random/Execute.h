// Runs a program in every way there is without a GPU, and compares.
#pragma once

#include "Levels.h"
#include "Source.h"

#include <string>

namespace idc::random {

/// What became of a program.
struct Outcome {
  enum class Kind { Same, Different, Rejected, Crash } kind = Kind::Same;
  std::string where;  // "CPU", "emulator", "front end": what differs from the reference, or rejects the program
  std::string detail; // first difference, faults or diagnostics
  bool failed() const { return kind != Kind::Same; }
};

struct Execution {
  uint64_t seed = 0; // of the data and of the emulator's order of threads
  bool cpu = true, emulator = true;
  std::string arch = "sm_90"; // of the GPU that is emulated
  Changes gpuChanges, cpuChanges;
  std::function<bool()> worthEmulating; // asked when the kernels are there; empty: always
};

Outcome execute(const Program &program, const Execution &execution);

} // namespace idc::random
