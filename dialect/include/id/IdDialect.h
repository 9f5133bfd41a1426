// The id dialect's C++ interface: types, attributes and ops. docs/ir.md defines them.
#pragma once

#include "dialect/digits/Exchange.h"
#include "dialect/digits/Launch.h"
#include "dialect/digits/Mapping.h"
#include "dialect/digits/Permutation.h"
#include "dialect/digits/Polynomial.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "id/IdDialect.h.inc"
#include "id/IdEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "id/IdAttrs.h.inc"
#define GET_TYPEDEF_CLASSES
#include "id/IdTypes.h.inc"
#define GET_OP_CLASSES
#include "id/IdOps.h.inc"

namespace idc::id {

/// The scalar leaves of an element type in layout order.
llvm::SmallVector<mlir::Type> leafTypes(mlir::Type element);
/// Bytes of an element at the C boundary: bool is one byte, mod<P> four or eight, records are laid out as C structs.
int64_t elementBytes(mlir::Type element);
/// Bytes of 32-bit registers that an element takes while steps work on it: numbers of 16 bits four, residues half as
/// much again as their own for factors, their quotients and high halves of products.
int64_t registerBytes(mlir::Type element);
/// Bytes of the words as which an element travels through shared memory, one or several: from 4, a bank's, to 16, the
/// widest access.
int64_t exchangeWordBytes(mlir::Type element);
/// The digits in which the elements of one word differ, lowest bits of the word first: elements of less than a bank's
/// width move together where threads hold them together before and after, and words are numbered by bits.
std::vector<int> exchangeWordDigits(ExchangeOp exchange);
/// An element as `count` numbers of one type that lie one after another: its own where they agree (residues: their
/// integers), else integers of their size. False for elements whose numbers differ in size, and for bool.
bool splitNumbers(mlir::Type element, mlir::Type &number, int &count);
/// Gives a node or a pointwise step its body: a block, as yet empty, that takes the leaves of the operands' elements.
/// The builder is at its end afterwards.
mlir::Block *createBody(mlir::OpBuilder &builder, mlir::Operation *step);
/// Byte offset of every leaf of an element.
llvm::SmallVector<int64_t> leafOffsets(mlir::Type element);
/// Shape and element of a sequence or a tile.
llvm::ArrayRef<int32_t> radicesOf(mlir::Type data);
mlir::Type elementOf(mlir::Type data);
/// True for digits of radix 2 alone.
bool areBits(llvm::ArrayRef<int32_t> radices);
/// What a kernel's buffer is a view of: an argument of the kernel, a ring, or something stored.
mlir::Value rootOf(mlir::Value buffer);
/// True for a root of which a kernel may load any view: an argument, a ring.
bool isLoadable(mlir::Value root);
/// The most that the mapping of a tile made by the op, or by ops in it, counts with a field: 1 where there is none.
int64_t extentOf(mlir::Operation *op, digits::Field field);
/// log2 of the problems of a batch that the blocks of a tile have together.
int batchDigits(TileType tile);
/// True where so many tiles of two passes can take turns in tickets that are told apart in 32 bits (docs/protocols.md).
bool canMixTiles(int64_t first, int64_t second);
/// "2**12 * 3", most significant factor first; "1" without digits.
std::string shapeText(llvm::ArrayRef<int32_t> radices);

} // namespace idc::id
