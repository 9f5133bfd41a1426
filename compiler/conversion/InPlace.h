// Which results of a function may lie on which arguments: working in place.
//
// A result y may have the memory of an argument x, of as many and as large elements, when nothing of x is read after
// something of y has been written there. Between two kernels launch order says so. In a kernel that reads x and writes
// y the threads are seen in the largest units that meet after x has been read and before y is written: problems (with a
// ring), clusters, blocks, warps, or single threads; every unit must write exactly the elements that it reads.
//
// Where units meet by an exchange through which all of x has gone, no load of x can come later than a store of y. Other
// kernels have to be compiled for it: loads and stores keep the order of the code where the two pointers may be equal,
// and the blocks of a cluster that draws numbers meet once more.
#pragma once

#include "compiler/conversion/Buffers.h"

#include "id/ArrayType.h"

namespace idc::conversion {

struct InPlacePair {
  int input, output;
  bool byOrder; // the kernels must be compiled for pointers that may be equal
};

using id::inPlaceAttr;

/// The pairs, by output and input, of a function whose kernels have the given buffers. Those by order are left out on
/// a GPU unless the function is to work in place; code for a CPU always keeps the order. Of a host program (id/Chunks.h),
/// whose passes have been placed, pairs of arrays in host memory.
std::vector<InPlacePair> findInPlace(mlir::func::FuncOp function, const std::vector<LoweredKernel> &kernels,
                                     const passes::Target &target);

/// Whether a pass of a host program takes the chunks of an argument from the places to which it brings those of a
/// result: the same rectangles, which chunk by chunk have been loaded before they are stored.
bool takesSameChunks(mlir::func::FuncOp pass, unsigned argument, unsigned result);

/// Whether one of these pairs is of the argument and the result.
bool hasPair(llvm::ArrayRef<InPlacePair> pairs, unsigned argument, unsigned result);

/// The pairs that id-place-buffers has written.
std::vector<InPlacePair> inPlacePairs(mlir::func::FuncOp function);
void setInPlacePairs(mlir::func::FuncOp function, const std::vector<InPlacePair> &pairs);

} // namespace idc::conversion
