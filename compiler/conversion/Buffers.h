// Which memory each kernel of a function reads and writes, and how it is launched.
#pragma once

#include "compiler/conversion/Scalars.h"
#include "compiler/passes/Target.h"
#include "dialect/digits/ArrayLayout.h"

#include "id/Devices.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace idc::conversion {

struct Buffer {
  enum class Kind { Input, Output, Workspace, Constant } kind = Kind::Input;
  int index = 0; // of the input or output; Constant: of the function's argument
  int64_t bytesPerProblem = 0;
  int64_t offsetPerProblem = 0; // Workspace: it begins batch times this into the workspace
  digits::ArrayLayout layout = {};
  int planes = 1;                     // pointers that it takes, one for each number of an element where it is planar
  std::vector<int> deviceDigits = {}; // of the sequence, least significant first
  int64_t peers = 0;                  // devices whose memory the kernel reaches, each by its pointers; 0: its own
  bool isOwnPart = false;             // as in BufferMemory

  int64_t pointers() const { return planes * std::max<int64_t>(1, peers); }
};

/// A buffer in a kernel's code.
struct BufferMemory {
  llvm::SmallVector<mlir::Value, 1> planes; // of the own device's memory
  digits::ArrayLayout layout;
  std::vector<int> deviceDigits = {}; // of the buffer, least significant first; none: each device has all of it
  /// The planes of each device's memory, where the kernel reaches others'.
  std::vector<llvm::SmallVector<mlir::Value, 1>> peers = {};

  bool isOwnPart = false; // of what is stored a device keeps what is its own: each of them has all of it
  bool streams = false;   // what is read and written is hinted to stream through the cache
  /// On a CPU, i1: there is so much of it that whole cache lines are stored past the cache; null: there never is.
  mlir::Value isLarge = {};

  /// Every device gets what is stored.
  bool isForAll() const { return !peers.empty() && deviceDigits.empty(); }
};

/// A kernel as its launcher sees it. Arguments are the planes of its `buffers` in order (device by device where it
/// reaches peers), then `scalars`, then the number of the device as i32 if it is one of several, then the addresses of
/// its ring and of its counters if it has them, then the batch as i64.
struct LoweredKernel {
  std::string name;
  std::string anyGrid; // of a team: the same for a grid that may be smaller than one; empty: there is none
  digits::Launch launch;
  int64_t threads = 1;
  int64_t residentBlocks = 0;        // that a multiprocessor has registers for; 0: there are none
  int64_t problemsPerBlockGroup = 1; // the grid is ceil(batch / this) * blocksPerGroup blocks
  int64_t blocksPerGroup = 1;
  int64_t sharedBytes = 0;
  std::vector<Buffer> buffers; // inputs, then outputs
  std::vector<ScalarArgument> scalars;
  int64_t counterOffset = -1; // bytes into the workspace; -1: no counters
  int64_t counterBytes = 0;
  int64_t ringOffset = -1; // bytes into the workspace; -1: no ring
  int64_t ringBytes = 0;
  int64_t delay = 0;      // blocks of the grid behind those
  int64_t devices = 1;    // that each do a part of its blocks, or store a part of what all of them do
  bool isMeeting = false; // of `devices` devices: arguments are their words for it, the device, the batch

  size_t pointerCount() const; // of its buffers; constants lie in the module
  bool hasCounter() const { return counterOffset >= 0; }
  bool hasRing() const { return ringOffset >= 0; }
  bool reachesPeers() const;
};

/// On a kernel: what it reads and writes of the chunks that sequences are divided into is not used again while the
/// cache has it, and leaves room there for what else is.
constexpr const char streamsAttr[] = "id.streams";

/// On a kernel, and on a pass of a host program (id/Chunks.h): where its operands and results lie (id-place-buffers).
constexpr const char placesAttr[] = "id.places";
/// What it says: the buffers of the operands, then of the results. Those of a pass lie in host memory.
std::vector<Buffer> buffersOf(mlir::Operation *kernel);

/// Places the buffers of a function of id.kernel ops, or of a host program's passes. In a chain of kernels the values
/// between them alternate between the workspace and the output (which the last kernel overwrites), so that the
/// workspace holds at most one of them; in other programs every value has a place in the workspace while it is needed,
/// and so it has where the output is not dense, or where a function is to work in place (InPlace.h) and would not
/// otherwise. Emits an error for ops that are no kernels, and for functions that cannot work in place but are to.
mlir::LogicalResult placeBuffers(mlir::func::FuncOp function, const passes::Target &target);

/// Takes constants out of what a launch passes, once the kernel has been emitted.
void dropConstants(LoweredKernel &kernel);

/// Bytes of the workspace that a kernel takes for itself, whatever the batch is.
struct KernelMemory {
  int64_t counterBytes = 0, ringBytes = 0;
};
KernelMemory ownMemoryOf(id::KernelOp kernel);
/// Those of a ring.
int64_t ringBytes(id::RingOp ring);

/// The kernels of a function whose buffers have been placed, in launch order, without what only a machine knows
/// (threads, shared memory).
std::vector<LoweredKernel> describeLaunches(mlir::func::FuncOp function);

/// Bytes at the beginning of the workspace that hold the kernels' counters and must be 0 before a launch.
int64_t counterBytes(const std::vector<LoweredKernel> &kernels);
/// Bytes at the beginning of the workspace that do not depend on the batch: counters, then rings.
int64_t fixedBytes(const std::vector<LoweredKernel> &kernels);
/// Bytes of workspace per problem that the kernels use, after the fixed ones.
int64_t workspaceBytes(const std::vector<LoweredKernel> &kernels);

} // namespace idc::conversion
