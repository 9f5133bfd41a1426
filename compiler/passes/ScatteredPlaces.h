// What a map of elements costs where memory is read or written as it says, and the digits in which a block holds
// elements instead.
#pragma once

#include "compiler/passes/Target.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace idc::passes {

/// True where chunks or devices have the elements of a function by their digits: which ones, is not for places to say.
bool isInParts(mlir::func::FuncOp function);

/// How many times as many sectors a warp touches as it fills, in the mean over some warps, where element k of these
/// digits, of so many bytes, lies at the number that the body yields; nothing where run-time scalars or other digits decide.
std::optional<double> sectorsAgain(mlir::Region &body, llvm::ArrayRef<int32_t> radices, int64_t bytes,
                                   const Target &machine);

/// True where that is more than twice: in order, and exchanged by the block, memory is faster.
bool isScattered(mlir::Region &body, llvm::ArrayRef<int32_t> radices, int64_t bytes, const Target &machine);

/// True for bytes that three blocks of a multiprocessor can hold each, so that some load while others store.
bool canBeHeld(int64_t bytes, const Target &machine);

/// Digits that threads of any number hold, for so many elements or a few more: the least of 5, 6, 7 and 8 eighths of a
/// power of two.
llvm::SmallVector<int32_t> smallDigits(int64_t length);

/// The type with other digits in the place of the `lowest` ones.
id::SeqType withLowest(id::SeqType type, size_t lowest, llvm::ArrayRef<int32_t> radices);

/// The same elements, and zeros behind them, with small digits in the place of the `lowest` ones.
mlir::Value inSmallDigits(mlir::OpBuilder &builder, mlir::Value value, size_t lowest);

} // namespace idc::passes
