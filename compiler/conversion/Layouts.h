// The layouts of a function's arguments and results, which it carries as attributes:
//   func.func @f(%x: S {id.layout = {batch = 4096, offset = 1, planar, sizes = array<i64: 1024>, strides = array<i64:
//   4>}})
// least significant dimension first. Without the attribute an array is dense.
#pragma once

#include "dialect/digits/ArrayLayout.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace idc::conversion {

void setArgumentLayout(mlir::func::FuncOp function, int argument, const digits::ArrayLayout &layout);
void setResultLayout(mlir::func::FuncOp function, int result, const digits::ArrayLayout &layout);

/// Of what a device has: where several have a part each, the elements of one, dense.
digits::ArrayLayout argumentLayout(mlir::func::FuncOp function, int argument);
digits::ArrayLayout resultLayout(mlir::func::FuncOp function, int result);

/// How many parts digits divide a sequence into, of which each device has one.
int64_t heldByDevices(id::SeqType type, llvm::ArrayRef<int> deviceDigits);

/// The numbers of an element as memory has them, complex ones as real and imaginary part: each is a plane of its own
/// where an array is planar.
llvm::SmallVector<mlir::Type> numberTypes(mlir::Type element);

/// Bytes from place to place in a plane of such elements: those of a number, or without planes of an element.
int64_t planeBytes(mlir::Type element, const digits::ArrayLayout &layout, int plane);

} // namespace idc::conversion
