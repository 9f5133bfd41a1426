// What the emulator found and counted.
#pragma once

#include "compiler/emulator/Traffic.h"

#include <cstdint>
#include <string>
#include <vector>

namespace idc::emulator {

/// Something a kernel must not do.
struct Fault {
  enum class Kind {
    OutOfBounds,      // access outside a buffer, a table or the shared memory
    Misaligned,       // address no multiple of the access's width
    ReadOnly,         // store to a constant table or an input
    Uninitialised,    // load of bytes that nobody wrote
    Race,             // unordered accesses of two threads, at least one a store
    DivergentBarrier, // a barrier that not all threads reach together
    DivergentShuffle, // a shuffle that not all lanes of its mask reach together, or from a lane outside it
    NoProgress        // a thread that executes more instructions than allowed
  };
  Kind kind = Kind::OutOfBounds;
  int64_t block = 0, thread = 0; // of the first occurrence
  std::string op;                // as printed in the level "gpu"
  std::string detail;
  int64_t count = 1; // occurrences with the same op
};
const char *faultName(Fault::Kind kind);

struct KernelReport {
  std::string name;
  int64_t blocks = 0, threads = 0; // threads per block
  std::vector<Fault> faults;
  bool finished = true; // false: a fault ended the kernel

  // Executed by all threads together.
  int64_t instructions = 0, integer = 0, fma = 0, add = 0, mul = 0, otherFloat = 0;
  int64_t barriers = 0, warpBarriers = 0, clusterBarriers = 0, shuffles = 0;

  SharedTraffic sharedLoads, sharedStores;
  GlobalTraffic loads, stores, tables; // of buffers, and loads of constant tables

  int64_t faultCount(Fault::Kind kind) const;
  bool passed() const { return faults.empty(); }
};

/// For people: counts per thread, then one line per fault.
std::string toText(const KernelReport &report);
/// A JSON array with one object per report.
std::string toJson(const std::vector<KernelReport> &reports);

} // namespace idc::emulator
