// A tile in the registers of a thread.
#pragma once

#include "compiler/conversion/Codelet.h"

#include "id/IdDialect.h"

namespace idc::conversion {

/// The leaves of a thread's elements per register number: the reg columns' digits as a mixed-radix number, low column
/// first.
struct Tile {
  digits::Mapping mapping;
  std::vector<int> radices;
  mlir::Type element;
  std::vector<llvm::SmallVector<Leaf>> registers;
};

/// A tile of the given type whose registers hold nothing yet.
Tile emptyTile(mlir::Type type);

/// The 32-bit registers that a thread's part of a tile takes.
int64_t registersOf(id::TileType tile);

/// The digits that a register number stands for, one per reg column, and back.
llvm::SmallVector<int64_t> registerDigits(const digits::Mapping &mapping, size_t number);
size_t registerNumber(const digits::Mapping &mapping, llvm::ArrayRef<int64_t> digits);

} // namespace idc::conversion
