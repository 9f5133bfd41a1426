//===- Manifest.h - how a module's kernels are launched ---------*- C++ -*-===//
//
// The manifest is the JSON file that the compiler writes beside an image. runtime/manifest.md describes its fields.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_RUNTIME_LIB_MANIFEST_H
#define IDC_RUNTIME_LIB_MANIFEST_H

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace idc::runtime {

/// Kernel parameters occupy at most 32,764 bytes (CUDA 12.1 and later), 8 bytes each.
constexpr int maxKernelArguments = 4095;
constexpr int64_t maxArgumentBytes = 8;
/// Devices that work on a problem together: one thread meets each.
constexpr int32_t mostDevices = 64;
/// Blocks in a grid's x dimension.
constexpr int64_t maxGridBlocks = 2147483647;

/// An array that holds an operand, or one number of each of its elements.
struct Plane {
  std::string name;
  int64_t bytes = 0; ///< of an element, or of the number
};

/// Element i of problem b, with the digits i_d of i in the dimensions' sizes, lies at offset + sum of i_d * strides[d]
/// + b * batchStride in every plane, counted in elements.
struct Operand {
  std::string name;
  std::string type;
  int64_t elementBytes = 0;
  int64_t elements = 0;                ///< per problem
  std::vector<int64_t> sizes, strides; ///< of the dimensions, most significant first
  int64_t offset = 0, batchStride = 0;
  int64_t span = 1;             ///< from the first element of a problem to the last, both included
  int64_t mostProblems = 0;     ///< that do not overlap; 0: no limit
  int64_t alignment = 1;        ///< of its pointers
  std::vector<Plane> planes;    ///< at least one
  int32_t firstPointer = 0;     ///< in the list of all inputs' or all outputs' planes
  std::vector<int32_t> inPlace; ///< of an output: the inputs whose memory it may have
  /// Of several devices each has the elements whose digits make up its number, one after another: the digits of an
  /// element's number in the whole, least significant first. None: each has all of them.
  struct DeviceDigit {
    int64_t below; ///< values of all digits below it
    int64_t radix;
  };
  std::vector<DeviceDigit> deviceDigits;

  int64_t bytesPerProblem() const { return elementBytes * elements; }
  /// Elements from the first of the first problem to the last of the last, both included, at a batch of 1 or more; -1
  /// when these, with the offset, exceed 2^63 - 1 bytes.
  int64_t reach(int64_t batch) const {
    int64_t end = 0, bytes = 0;
    const bool overflows = __builtin_mul_overflow(batch - 1, batchStride, &end) ||
                           __builtin_add_overflow(end, span, &end) || __builtin_add_overflow(end, offset, &bytes) ||
                           __builtin_mul_overflow(bytes, elementBytes, &bytes);
    return overflows ? -1 : end;
  }
  /// Where an element of a problem lies in its plane, in elements.
  int64_t place(int64_t problem, int64_t element) const {
    int64_t at = offset + problem * batchStride;
    for (size_t d = sizes.size(); d-- > 0; element /= sizes[d])
      at += element % sizes[d] * strides[d];
    return at;
  }
  bool takesPlaceOf(int32_t input) const { return std::find(inPlace.begin(), inPlace.end(), input) != inPlace.end(); }
};

/// What is required of a scalar: that it `is` (<, <=, >, >=, ==, !=) a number.
struct Requirement {
  std::string is;
  long double number = 0;
  std::string message;

  bool holds(long double value) const;
};

/// A value that is given to a launch, one for the whole batch.
struct Scalar {
  std::string name;
  std::string type; // of one with requirements: an integer, bool, f32 or f64
  int64_t bytes = 0;
  std::vector<Requirement> required;

  /// The number that lies there, at any alignment.
  long double at(const void *value) const;
};

struct Argument {
  enum class Kind { Input, Output, Scalar, Workspace, Batch, Device, Meeting, Report, Launched };
  Kind kind = Kind::Batch;
  int32_t operand = 0; ///< Scalar: which one; Input, Output: which of all planes
  int32_t device = -1; ///< whose memory it is; -1: that of the device which runs the kernel
  /// Workspace: the pointer is workspace + offset + batch * bytesPerProblem. Scalar: `bytes` bytes from `offset`.
  int64_t offset = 0;
  int64_t bytesPerProblem = 0;
  int64_t bytes = 0;
};

struct Kernel {
  std::string name;
  int32_t threads = 1;
  int32_t cluster = 1;     ///< blocks that reach each other's shared memory
  int64_t team = 1;        ///< blocks that wait for each other: a cooperative launch, the grid resident as a whole
  std::string anyGrid;     ///< of a team: a kernel that does the same on any grid, or empty
  bool persistent = false; ///< the grid has as many blocks as the device holds, which draw the numbers of their tiles
  bool dependent = false;  ///< may start before the kernel before it ends
  int64_t problemsPerBlockGroup = 1;
  int64_t blocksPerGroup = 1;
  int64_t passes = 1, delay = 0; ///< blocks of passes after another, each pass `delay` blocks after the one before
  int32_t sharedBytes = 0;       ///< dynamic shared memory of a block
  std::vector<Argument> arguments;

  /// passes * (ceil(batch / problemsPerBlockGroup) * blocksPerGroup + delay), or -1 when that exceeds maxGridBlocks.
  /// batch >= 0. The blocks of the grid, or where the device limits that, the block numbers that its blocks
  /// work through.
  int64_t blocks(int64_t batch) const {
    const int64_t groups =
        problemsPerBlockGroup == 1 ? batch : batch / problemsPerBlockGroup + (batch % problemsPerBlockGroup != 0);
    int64_t blocks = 0;
    if (__builtin_mul_overflow(groups, blocksPerGroup, &blocks) || blocks > maxGridBlocks)
      return -1;
    blocks = passes * (blocks + delay);
    return blocks > maxGridBlocks ? -1 : blocks;
  }
  /// The largest grid of a device that holds so many blocks at once: whole teams, or less than one.
  int64_t largestGrid(int64_t held) const { return held < team ? held : held - held % team; }
  /// True when no more blocks are launched than the device holds at once.
  bool fitsDevice() const { return persistent || team > 1; }
};

struct Pass;

struct Manifest {
  int64_t version = 1;   ///< of the format
  uint64_t checksum = 0; ///< of the text
  std::string entry, symbol, target;
  std::vector<Operand> inputs, outputs;
  std::vector<Scalar> scalars;
  int32_t devices = 1; ///< that work on each problem together
  int64_t workspaceBytesPerProblem = 0;
  int64_t workspaceFixedBytes = 0;
  int64_t workspaceZeroedBytes = 0; ///< at the beginning, set to 0 before the kernels run
  std::vector<Kernel> kernels;
  /// Of a host program, in place of kernels: its passes over operands and a workspace that lie in host memory, and the
  /// bytes of device memory that they were made for.
  std::vector<Pass> passes;
  int64_t memoryBytes = 0;

  bool isCpu() const { return target == "cpu"; }
  /// Where operands and the workspace lie in the memory of the host.
  bool isInHostMemory() const { return isCpu() || memoryBytes > 0; }

  /// Fixed part plus batch times the part per problem, or -1 when that overflows. batch >= 0.
  int64_t workspaceBytes(int64_t batch) const {
    int64_t bytes = 0;
    return __builtin_mul_overflow(batch, workspaceBytesPerProblem, &bytes) ||
                   __builtin_add_overflow(bytes, workspaceFixedBytes, &bytes)
               ? -1
               : bytes;
  }
};

/// An array of a host program, of which a pass takes chunks.
struct HostPlace {
  enum class Kind { Input, Output, Workspace };
  Kind kind = Kind::Input;
  int32_t operand = 0;    ///< Input, Output: which one
  int64_t offset = 0;     ///< Workspace: the array of all problems begins at batch times this
  bool isReached = false; ///< kernels take the array where it lies
};

/// A pass over arrays in host memory. Chunks are parts as those of several devices: `kernels.devices` of them, which
/// one device works on one after another.
struct Pass {
  Manifest kernels;
  std::vector<HostPlace> inputs, outputs; ///< of which operands are parts
  /// The last chunks are the CPU's: so many, by these kernels, which work on whole operands; a chunk is a run of the
  /// blocks of each. Of the workspace there is one chunk's.
  int32_t cpuChunks = 0;
  Manifest cpu;
};

/// What is wrong with a manifest, with the path of the field.
struct ManifestError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads and checks a manifest: all fields present with the right types and ranges, argument indices within the
/// operands. Unknown fields are ignored, so that a later compiler may add information. Throws ManifestError.
Manifest parseManifest(std::string_view json);

} // namespace idc::runtime

#endif // IDC_RUNTIME_LIB_MANIFEST_H
