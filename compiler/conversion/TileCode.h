// What the parts of an emitter share: where ops go, scalar code, and how elements become numbers in memory.
#pragma once

#include "compiler/conversion/Codelet.h"
#include "compiler/conversion/Tile.h"
#include "compiler/conversion/TwiddleTables.h"

namespace idc::conversion {

class TileCode {
public:
  /// What the address of an access that moves several numbers is a multiple of: its bytes, or only those of a number.
  enum class Alignment { Access, Number };

  /// `wide` gives the type in which a scalar type is computed: itself on a GPU, a vector of it on a CPU.
  TileCode(mlir::OpBuilder &builder, mlir::Location loc, TwiddleTables &tables,
           std::function<mlir::Type(mlir::Type)> wide, Alignment alignment)
      : b(builder), loc(loc), codelet(builder, loc, std::move(wide)), tables(tables), alignment(alignment) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  Codelet codelet;
  TwiddleTables &tables;

  /// The numbers of an element as memory and exchanges have them (bool as a byte), complex ones real part first: of
  /// type `number`, or, without it, each of its own; and back.
  llvm::SmallVector<mlir::Value> numbersOf(llvm::ArrayRef<Leaf> leaves, mlir::Type element, mlir::Type number = {});
  llvm::SmallVector<Leaf> leavesOf(llvm::ArrayRef<mlir::Value> numbers, mlir::Type element);

  /// The same of a whole tile, register by register; residues keep the bounds that they have.
  llvm::SmallVector<mlir::Value> numbersOf(const Tile &tile);
  void fill(Tile &tile, llvm::ArrayRef<mlir::Value> numbers);
  /// The types of these numbers.
  static llvm::SmallVector<mlir::Type> numberTypesOf(const Tile &tile);

  /// Leaves no factor to be multiplied in.
  void resolve(Tile &tile);
  /// Brings residues to their canonical integers.
  void makeCanonical(Tile &tile);

  /// The memory of an argument of the kernel's function whose bytes lie in the module.
  mlir::Value constantMemory(id::KernelOp kernel, int argument);

  /// Constants of i32 and i64.
  mlir::Value constant32(int64_t value);
  mlir::Value constant64(int64_t value);
  /// A pointer some bytes further.
  mlir::Value byteOffset(mlir::Value pointer, mlir::Value bytes);
  mlir::Value at(mlir::Value pointer, int64_t bytes);
  /// Reads and writes a scalar or a vector; `streams`: with the hint that it is not used again, where 4, 8 or 16 bytes
  /// move.
  mlir::Value read(mlir::Type type, mlir::Value pointer, bool streams);
  /// Reads before what is read afterwards, where 4 or 8 bytes move.
  mlir::Value readInOrder(mlir::Type type, mlir::Value pointer);
  void write(mlir::Value value, mlir::Value pointer, bool streams);
  /// Scalars as a vector; one alone stays what it is.
  mlir::Value pack(llvm::ArrayRef<mlir::Value> scalars);
  /// Appends the scalars of a vector, or the one.
  void unpack(mlir::Value packed, llvm::SmallVectorImpl<mlir::Value> &scalars);

private:
  unsigned alignmentOf(mlir::Type type) const;

  const Alignment alignment;
};

/// A scalar, or a vector of several.
mlir::Type packedType(mlir::Type scalar, int64_t count);
/// The size of either in memory.
int64_t packedBytes(mlir::Type type);

} // namespace idc::conversion
