// How the elements of a kernel's buffer, or of a view of one, lie in memory: parts, permutations, other lengths and
// joins composed into one linear form. Nothing is emitted.
#pragma once

#include "compiler/conversion/Buffers.h"
#include "dialect/digits/BufferView.h"

#include "id/IdDialect.h"

#include "llvm/ADT/DenseMap.h"

namespace idc::conversion {

constexpr int64_t widestAccess = 16; // bytes; buffers are aligned to it

struct ViewLayout {
  mlir::Value buffer; // the kernel's argument, or what it yields
  digits::BufferView view;
  llvm::SmallVector<id::ResizeOp> fills; // what is beyond the bounds of the view
  llvm::SmallVector<int64_t, 1> bytes;   // of a place in each plane: an element's, or a number's
  int64_t alignment;                     // of all planes, in bytes
  bool inRow = true;                     // false: a dimension's end lies where the view has other digits
  bool knowsDevice = true;               // false: on which device an element is, is computed
};

/// Of what a load reads, or of what a store writes.
ViewLayout layoutOf(mlir::Value buffer, const llvm::DenseMap<mlir::Value, BufferMemory> &buffers);

/// The same as the digits of the tile that is loaded or stored have it.
ViewLayout layoutOf(id::LoadOp load, const llvm::DenseMap<mlir::Value, BufferMemory> &buffers);
ViewLayout layoutOf(id::StoreOp store, const llvm::DenseMap<mlir::Value, BufferMemory> &buffers);

/// The largest distance that the digits of a form make up.
int64_t reachOf(const digits::LinearForm &form, llvm::ArrayRef<int> radices);

} // namespace idc::conversion
