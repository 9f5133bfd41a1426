// Machines the planner knows: one JSON data file each in targets/, compiled into the library. A file that is `like`
// another one has only what differs: resources, which are facts, and no costs, where nothing was measured.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir {
class Operation;
}

namespace idc::passes {

/// Parameters of a kernel of a launch: 32,764 bytes since CUDA 12.1, 8 each. The runtime refuses more.
constexpr size_t maxKernelParameters = 4095;

/// Measured costs: (size, cost from this size on), sizes ascending.
using CostTable = std::vector<std::pair<int64_t, double>>;

/// The cost at a size: that of the largest size in the table that is not larger; below the table in proportion.
double costAt(const CostTable &table, int64_t size);

/// Cost of a pass over memory by the runs it reads, or writes, relative to a copy. The runs of large problems lie
/// farther apart and cost more: `far` holds from `farBytes` of a problem on, `near` up to `nearBytes`, in between the
/// mean by the logarithm. Without `far` there is no difference.
struct RunCosts {
  CostTable near, far;
  int64_t nearBytes = 1, farBytes = 1;

  double at(int64_t runBytes, int64_t problemBytes) const;
};

/// What the parts of a kernel add to the time of one problem alone, in nanoseconds; bytes per nanosecond.
struct LatencyCosts {
  int64_t multiprocessors = 100;
  double launch = 0;              // a kernel after the one before has ended
  double dependentLaunch = 0;     // one that starts while the one before ends
  double load = 0;                // from the first load to its data
  double pass = 0;                // a range of steps
  double element = 0;             // of it, per element of a thread and warp of a scheduler
  double barrier = 0;             // an exchange between the warps of a block
  double clusterBarrier = 0;      // one between the blocks of a cluster,
  double clusterBlock = 0;        // and per block of it
  double clusterShare = 0;        // by which clusters of twice the size access memory slower
  double multiprocessorBytes = 1; // that one multiprocessor reads or writes
  double deviceBytes = 1;         // that all of them do
};

/// What a kernel of passes over tiles of any radices waits for its own threads, fitted to measured kernels
/// (docs/planning.md): its cost, in a unit of its own, and what of that is seen beside the time of a copy.
struct PassCosts {
  double registersPerWord = 1; // of a thread, those of the data included,
  int64_t ownRegisters = 0;    // and whatever it holds
  double accesses = 2;         // a load and a store, in passes
  double hidden = 0;           // by warps: waiting falls with this power of theirs
  double alone = 0;            // more, by the blocks of a multiprocessor, that they wait at their barriers
  double idle = 0;             // more, by the threads that are idle in a pass over those that work
  double spilled = 0;          // the power of the registers that a kernel asks for over those that there are
  double clusterDoubling = 0;  // more, for each doubling of the blocks of a cluster
  double drawn = 1;            // factor of clusters that draw their problems
  double free = 0;             // what memory hides,
  double perUnit = 0;          // and what a unit above that takes over a copy
  double runs = 1;             // what is seen of the costs of runs
};

/// What kernels of groups wait, as shares of the time of the bytes that they move, by the bounds of what threads and
/// blocks hold (docs/planning.md).
struct GroupCosts {
  double hidden = 1;  // factor on the least bytes up to which more cost nothing
  double kernel = 0;  // of each kernel behind the first one, which begins later
  double words = 0;   // for each doubling of a thread's words above `levelWords`,
  double runs = 0;    // and of its run of bytes above `levelRunBytes`
  double spilled = 0; // where two values take more registers than a thread has
  double threads = 0; // for each doubling above a quarter of a block's threads, of blocks that share a multiprocessor
  double alone = 0;   // of blocks that share none
  double cluster = 0; // of clusters,
  double clusterDoubling = 0; // and for each doubling of their blocks
  double team = 0;            // of teams
  double strided = 0;         // of bounds for nodes that do not act on the lowest addresses
  double columns = 0;         // for each halving below half a warp of columns
  double beyond = 0;          // of groups beyond their bounds
  double parts = 0;           // where several kernels store parts of one result
  double phases = 0;          // of phases, which exchange all that they make
  /// What a byte that goes from phase to phase counts, over one that is read or written, beyond so many times those
  /// that are read and written: these go beside memory in no time.
  double betweenPhases = 0, besideMemory = 1;
  double fewThreads = 0; // what these count at most, and phases that hold too much for many threads in any case
  /// The same of a byte that goes from block to block between phases.
  double betweenBlocks = 0;
};

/// Factors on the time of a kernel whose tiles are held by clusters of blocks, fitted to measured kernels.
struct ClusterCosts {
  double firstFull = 1, full = 1; // more registers than a pass usually takes, in the first kernel and in others
  double wide = 1, wideFull = 1;  // more threads than `BlockPlanner` begins with, without and with so many registers
  double operand = 1, operandWide = 1, operandFull = 1; // a step reads a second tile
  double launched = 1;                                  // blocks that do one tile each, beside persistent ones
};

/// The link between a GPU and the memory of its host.
struct HostLink {
  double bytesPerSecond = 25e9;         // one way alone,
  double bytesPerSecondBothWays = 20e9; // each way, both at the same time
  double copySeconds = 3e-6;            // that a copy takes beside its bytes
  CostTable runCost;                    // of a rectangle's rows, by their bytes
  double reachedShare = 0.9;            // of what copies carry, that kernels reach in the host's memory, one way alone,
  double reachedShareBothWays = 0.8;    // and each way
  CostTable reachedRunCost;             // of that, by the bytes that lie together
  double cpuBytesPerSecond = 5e9;       // that kernels on all cores of the host read and write,
  double memoryBytesPerSecond = 50e9;   // and that these and copies do together
};

/// The links between GPUs that work on a problem together.
struct DeviceLink {
  double copyBytesPerSecond = 2e12;         // of a copy in one's own memory, read and written
  double bytesPerSecond = 20e9;             // that leave one, when all store to all
  double meetingSeconds = 5e-6;             // that a meeting takes
  int64_t devices = 8;                      // of one host
  double bytesPerSecondBetweenHosts = 20e9; // that leave one for other hosts
  CostTable runCost;                        // of stores to others, by the bytes that lie together
};

struct Target {
  std::string name;
  std::string like;     // the target whose costs these are; empty: measured on machines of this one
  std::string kind;     // "nvptx" or "cpu"
  std::string chip;     // for the back end
  std::string features; // for the back end; names the PTX version
  int64_t lanes = 32;   // lanes of a warp, or elements of a CPU vector
  int64_t maxThreadsPerBlock = 1024;
  int64_t maxCluster = 1;                     // blocks
  int64_t cooperativeBlocks = 0;              // that wait for each other, with a half of a multiprocessor each; 0: none
  bool dependentLaunch = false;               // kernels may start before their predecessor ends
  int64_t registersPerMultiprocessor = 65536; // 32-bit registers
  int64_t threadsPerMultiprocessor = 2048;
  int64_t blocksPerMultiprocessor = 32;
  int64_t schedulers = 4; // of a multiprocessor, which share its warps
  int64_t sharedBytesPerMultiprocessor = 0;
  int64_t sharedBytesPerBlock = 0;
  int64_t sectorBytes = 32;            // smallest efficient run of a memory access
  int64_t vectorBytes = 16;            // widest access of one thread
  int64_t dataRegistersPerThread = 64; // 32-bit registers a thread's part of a tile may take
  int64_t flatThreads = 256;           // of a block that is filled with whole problems, about
  int64_t groupWords = 32;             // 32-bit words of one value in a thread of a group
  int64_t levelWords = 32;             // the same where a block holds a group in levels,
  int64_t levelRunBytes = 32;          // and consecutive bytes of a buffer
  int64_t tileBytes = 65536;           // a block's tile at which at least two blocks share a multiprocessor
  int64_t maxMixedBytes = 0; // of a tile with digits of other radices than 2 of which a kernel has many; 0: none
  int64_t sharedBytesBesideCache = 0; // of a multiprocessor; more leave little to the first-level cache
  int64_t ringBytes = 0; // of values between two passes of a kernel that stay in the cache beside what streams through
  double ringCost = 1;   // time of such a kernel over that of two, where all digits are bits,
  double mixedRingCost = 1;           // and of other radices
  int64_t maxTileBytes = 131072;      // largest tile worth a kernel of its own
  int64_t pastCacheBytes = INT64_MAX; // of a CPU: an array of so many is stored past the cache
  int64_t nearTileBytes = 0;          // of a CPU: a tile that the first-level cache keeps
  RunCosts loadRunCost, storeRunCost; // writes of parts of a cache line meet in the L2 cache
  /// Blocks in a cluster -> time of a kernel of theirs, relative to a copy.
  CostTable clusterCost;
  ClusterCosts clusters;
  double aloneCost = 1;    // the same of a kernel whose blocks have a multiprocessor to themselves
  double exchangeCost = 1; // factor of both for every exchange but the first
  double rangeCost = 0;    // more of a block of few registers that shares its multiprocessor, for every range of steps
  PassCosts passes;        // of GPUs
  GroupCosts groups;       // of GPUs
  LatencyCosts latency;    // of GPUs
  HostLink hostLink;       // of GPUs
  std::optional<DeviceLink> link; // none: not known

  /// The blocks of the largest cluster that every machine runs without asking the driver.
  int64_t clusterBlocks() const { return std::min<int64_t>(maxCluster, 8); }
  /// Registers of a thread that holds so many of data: with room for factors and addresses, and no more.
  int64_t registersBeside(int64_t dataRegisters) const;
  /// About the blocks of a kernel that a multiprocessor holds at once, at least 1: as if registers were given to
  /// threads one by one. What was fitted to measured kernels counts with it.
  int64_t residentBlocks(int64_t threads, int64_t registersPerThread, int64_t sharedBytes) const;
  /// The same as they are given: to whole warps, in eights for each thread, from the share of one scheduler.
  int64_t residentBlocksOfWarps(int64_t threads, int64_t registersPerThread, int64_t sharedBytes) const;
};

/// The target called `name` ("sm_90", "cpu"); false with `error` set when there is none, or its file is malformed.
bool findTarget(llvm::StringRef name, Target &target, std::string &error);
/// The same for a pass; what is wrong is reported at `where`, and there is no target then. What `where` says of the
/// link to the host, and of shared memory, goes before what the target's file says.
std::optional<Target> findTarget(llvm::StringRef name, mlir::Operation *where);
/// On a function, as text: a JSON object whose `hostLink` says what a machine's file would.
constexpr const char hostLinkAttr[] = "id.host_link";
/// On a function: bytes of shared memory that its kernels are planned with, of those that a block has.
constexpr const char sharedRoomAttr[] = "id.shared_room";
/// Reads such a text; the error says what is wrong with it.
llvm::Error readHostLink(llvm::StringRef text, HostLink &link);
/// Names of all targets, the oldest GPU first.
std::vector<std::string> targetNames();
/// The newest target whose code a GPU of this compute capability runs: its own one when there is one. Empty: none.
std::string newestTargetFor(int major, int minor);

} // namespace idc::passes
