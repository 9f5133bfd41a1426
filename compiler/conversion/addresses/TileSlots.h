// The scalars of a tile in memory, and which of them one access serves. Nothing is emitted.
#pragma once

#include "compiler/conversion/Tile.h"
#include "compiler/conversion/addresses/ThreadDigits.h"
#include "compiler/conversion/addresses/ViewLayout.h"

namespace idc::conversion {

/// A scalar of a tile in memory.
struct Slot {
  int64_t problem; // that the batch digits of its register make up
  size_t plane;
  int64_t device;                        // what the register adds to the number of the device that has it
  int64_t offset;                        // bytes from the element whose register digits are zero
  llvm::SmallVector<int64_t, 2> indices; // what the register adds to what the view's bounds compare
  mlir::Type type;
  size_t number; // register by register, leaf by leaf, real part before imaginary part
  mlir::Value value;
};

/// Slots that one access serves: equal scalars next to each other, a power of two of them.
struct Run {
  size_t first, count;
};

class TileSlots {
public:
  /// `numbers`: those that count digits of the tile.
  TileSlots(const ViewLayout &layout, const Tile &tile, const ThreadDigits &numbers)
      : layout(layout), tile(tile), numbers(numbers) {}

  /// The scalars of the tile by problem, device, plane and ascending address. Fails with an error at `op`.
  mlir::LogicalResult find(mlir::Operation *op, std::vector<Slot> &slots) const;
  /// How many problems that follow each other in memory a thread holds, where the end of one problem would cut an
  /// access short; else 1.
  int64_t problemsTogether() const;
  /// The accesses that serve the slots, every `together` problems being taken as one: what one of them moves is inside
  /// of the buffer as a whole or not at all.
  llvm::SmallVector<Run> runs(std::vector<Slot> &slots, int64_t together) const;
  /// The values of slots, register by register.
  static llvm::SmallVector<mlir::Value> valuesOf(llvm::ArrayRef<Slot> slots);

private:
  const ViewLayout &layout;
  const Tile &tile;
  const ThreadDigits &numbers;

  int64_t divisorOf(const digits::LinearForm &form, int64_t most) const;
  llvm::SmallVector<Run> wideRuns(llvm::ArrayRef<Slot> slots, int64_t together) const;
};

} // namespace idc::conversion
