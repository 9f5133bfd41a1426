// A CPU's kernels on arrays that are the beginnings of the sequences which they were planned for.
#pragma once

#include "id/IdDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace idc::conversion {

/// The arrays that a caller has for the arguments and results of a function.
struct CallersArrays {
  llvm::SmallVector<id::SeqType> arguments, results;
};

/// Puts kernels that copy element by element before kernels of several lanes or turns that load an argument of which
/// the array is only the beginning, and behind those that store such a result: their loads and stores are of whole
/// vectors.
void copyWhereArraysEnd(mlir::func::FuncOp function, const CallersArrays &arrays);

/// Gives the function the types of the arrays; its kernels load and store these as far as they go, and zeros are loaded
/// behind. Fails, with the function in pieces, where an array has other elements than the sequence that it is the
/// beginning of, or kernels look for places in such a sequence.
mlir::LogicalResult endAtArrays(mlir::func::FuncOp function, const CallersArrays &arrays);

} // namespace idc::conversion
