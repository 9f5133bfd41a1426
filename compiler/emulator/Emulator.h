// Executes GPU kernels on the CPU, instruction by instruction, and looks for what a GPU would do silently.
//
// Input: the module of the level "gpu" (conversion::lowerToGpu), the one that becomes PTX. Every thread is an
// interpreter that can stop at each access to memory; the scheduler decides which goes on. Found are accesses out of
// bounds, misaligned, or of bytes never written; races, whether or not they changed a result; barriers and shuffles
// that not all threads reach. Counted are arithmetic, bank conflicts and sectors. Memory is sequentially consistent.
#pragma once

#include "compiler/emulator/Memory.h"
#include "compiler/emulator/Program.h"
#include "compiler/emulator/Report.h"

#include <deque>
#include <optional>

namespace idc::emulator {

/// In which order the threads of the resident blocks go on.
enum class Interleaving {
  RoundRobin, // every thread to its next access, in order: warps nearly in lockstep
  Random,     // a random thread to its next access
  Greedy,     // the first thread as far as it goes, then the next
  Reverse     // the last block and thread as far as they go, then the ones before
};
/// "round-robin", "random", "greedy", "reverse"; nullopt for another word.
std::optional<Interleaving> findInterleaving(llvm::StringRef name);

struct EmulatorOptions {
  uint64_t seed = 0; // of Interleaving::Random
  Interleaving interleaving = Interleaving::Random;
  int64_t residentBlocks = 4;               // that run at the same time
  int64_t heldBlocks = 0;                   // of teams, that the device holds; 0: two whole teams
  int64_t maxIterations = int64_t(1) << 24; // of loops, by one thread
  /// The clock stands still while anybody can go on, then goes on by an hour; not 0: also at one of so many turns, by
  /// chance.
  uint64_t turnsPerHour = 0;
  /// Of a program for several devices, one after another: what the next one may do before others are done shows.
  int64_t launches = 1;
};

/// A parameter: a pointer to byte `value` of `buffer`, or without a buffer the number whose bits are `value`.
struct Argument {
  Buffer *buffer = nullptr;
  int64_t value = 0;
};

struct Launch {
  int64_t blocks = 1, threads = 1;
  int64_t sharedBytes = 0; // dynamic shared memory of a block
  std::vector<Argument> arguments;
  int64_t cluster = 1;      // blocks of a cluster, which divides `blocks`; they run at the same time
  bool allResident = false; // all blocks run at the same time
};

class Emulator {
public:
  /// Decodes the kernels of `module`, which must outlive the emulator. The error names an op it cannot execute.
  static llvm::Expected<Emulator> create(mlir::ModuleOp module, EmulatorOptions options = {});

  /// Runs a kernel. What it does wrong is in the report; the error is about the launch: an unknown kernel, a wrong
  /// number of arguments, an empty grid, more than 1024 threads.
  llvm::Expected<KernelReport> run(llvm::StringRef kernel, const Launch &launch);

  /// Runs kernels of which each, after the first, is a dependent launch: its blocks go on beside those of the kernels
  /// before it once every block of its predecessor has launched its dependents or ended. A fault that ends one ends
  /// all.
  llvm::Expected<std::vector<KernelReport>> runDependent(const std::vector<std::pair<std::string, Launch>> &launches);

  /// A launch on the stream of a device: behind the one before it there, which a dependent one need not wait for.
  struct OnStream {
    std::string kernel;
    Launch launch;
    bool dependent = false;
  };
  /// Runs the launches of several devices, each on its own stream, at the same time: nothing but what kernels say to
  /// each other orders those of different devices. The reports are device by device.
  llvm::Expected<std::vector<KernelReport>> runDevices(const std::vector<std::vector<OnStream>> &streams);

private:
  Emulator(Program program, EmulatorOptions options);
  llvm::Error check(const std::string &kernel, const Launch &launch) const;

  Program program;
  EmulatorOptions options;
  std::deque<Buffer> globals;               // of program.globals in global memory
  std::deque<std::vector<char>> globalData; // of those without an initial value
};

} // namespace idc::emulator
