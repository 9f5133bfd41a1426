// Which digits of the sequences that a kernel loads and stores number its blocks.
//
// A kernel's blocks are independent, so any of the digits that number them may number what does a part of the kernel:
// devices, or chunks that one device does one after another.
#pragma once

#include "id/IdDialect.h"

#include <optional>

namespace idc::conversion {

/// A load or store of a kernel.
struct Reached {
  mlir::Value sequence; // of the function, as a whole
  bool isStore;
  /// For each column of the blocks, lowest first: the digit of the sequence that it is, or 0.
  llvm::SmallVector<int> digits;
  int64_t bytes;
};

/// Calls `visit` with every buffer of a kernel, as its body calls it, inputs first, and the function's value.
void forEachBuffer(id::KernelOp kernel, llvm::function_ref<void(mlir::Value buffer, mlir::Value sequence)> visit);

/// All loads and stores of a kernel, in the order of its body, but for those of its rings.
llvm::SmallVector<Reached> reachedBy(id::KernelOp kernel);

/// The mapping of one of a kernel's tiles, where all have as many columns of the same radices that number blocks, and
/// none that number devices or lie before or behind a ring.
std::optional<digits::Mapping> commonBlocks(id::KernelOp kernel);

/// Sets of columns of the blocks whose radices multiply to `parts`, those of high columns first.
llvm::SmallVector<llvm::SmallVector<int>> columnSets(llvm::ArrayRef<digits::Column> columns, int64_t parts);

/// The digits at the columns of a set.
llvm::SmallVector<int> digitsAt(const Reached &reached, llvm::ArrayRef<int> set);

/// Changes the mapping of every tile of a kernel.
void changeMappings(id::KernelOp kernel, llvm::function_ref<void(digits::Mapping &)> change);

/// Lets a set of columns of a kernel's blocks number devices, the first column the lowest digit of their number.
void moveToDevices(id::KernelOp kernel, llvm::ArrayRef<int> set);

} // namespace idc::conversion
