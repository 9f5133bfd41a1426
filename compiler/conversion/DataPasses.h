// Passes over data in host memory: runs of kernels that a chunk goes through while it is on the device, or that reach
// what has no room there where it lies.
#pragma once

#include "compiler/conversion/HostProgram.h"

#include <limits>
#include <optional>
#include <vector>

namespace idc::conversion {

/// By which digits, lowest first, chunks divide a sequence of the function; none: each chunk has all of it.
using Divisions = llvm::DenseMap<mlir::Value, llvm::SmallVector<int>>;

/// Some kernels in a row with the columns that number their chunks; without columns, all that they take at once.
struct DataPass {
  size_t first = 0, end = 0;
  bool isDivided = false, isDivisible = false;    // the latter: if there is room for what that takes
  bool isInPlace = false;                         // every result takes the memory of an argument's chunk
  bool isReaching = false;                        // kernels may reach arrays of the host where these lie:
  llvm::DenseSet<mlir::Value> reached;            // those, and what they hand to each other there
  llvm::SmallVector<llvm::SmallVector<int>> sets; // of each kernel; empty: not chosen yet
  Divisions divisions;
  double seconds = std::numeric_limits<double>::infinity(); // that the link takes; infinite: it has no room

  /// By which digits a sequence is divided: by none where the pass is not.
  llvm::SmallVector<int> divisionOf(mlir::Value sequence) const {
    return isDivided ? divisions.lookup(sequence) : llvm::SmallVector<int>();
  }
};

/// What a pass loads of what it does not make, and what of it others need, or all where it reaches it, each once.
void findEnds(const HostProgram &program, const DataPass &pass, llvm::SmallVectorImpl<mlir::Value> &loaded,
              llvm::SmallVectorImpl<mlir::Value> &left);

/// The passes of all kernels that take the least time on the link, without any that reach arrays where these lie if
/// that can be; none where kernels do not fit.
std::optional<std::vector<DataPass>> shortestPasses(const HostProgram &program);

} // namespace idc::conversion
