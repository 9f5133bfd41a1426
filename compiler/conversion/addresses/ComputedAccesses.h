// Loads and stores of views with gathers and scatters: where an element lies is computed, from its digits through one
// view after the other.
#pragma once

#include "compiler/conversion/Bodies.h"
#include "compiler/conversion/addresses/FormPlace.h"
#include "compiler/conversion/addresses/TileSlots.h"

namespace idc::conversion {

/// True for a view of a buffer whose elements come from computed places.
bool isGathered(mlir::Value buffer);
/// True for what is stored and sent to computed places.
bool isScattered(mlir::Value buffer);

class ComputedAccesses {
public:
  /// `inOrder`: what is read keeps its order.
  ComputedAccesses(TileCode &code, FormPlace &place, const llvm::DenseMap<mlir::Value, BufferMemory> &buffers,
                   Bodies &bodies, bool inOrder = false)
      : code(code), b(code.b), loc(code.loc), place(place), buffers(buffers), bodies(bodies), inOrder(inOrder) {}

  mlir::FailureOr<Tile> load(id::LoadOp op);
  mlir::LogicalResult store(id::StoreOp op, const Tile &tile);

private:
  TileCode &code;
  mlir::OpBuilder &b;
  mlir::Location loc;
  FormPlace &place;
  const llvm::DenseMap<mlir::Value, BufferMemory> &buffers;
  Bodies &bodies;
  bool inOrder;

  /// An element of a view: its digits, least significant first.
  using Position = llvm::SmallVector<IndexSum>;
  /// A number that is an index only where a test holds, and, of a load, what says what the element is elsewhere.
  struct Test {
    IndexSums::Condition inside;
    id::ResizeOp resize;
  };

  /// The position of an element of register `r` in its tile; behind a map, which gives digits of these `radices`, and
  /// before one.
  Position inTile(const Tile &tile, size_t r, IndexSums &sums);
  Position moved(Position position, const digits::Permutation &map, llvm::ArrayRef<int32_t> radices);
  Position unmoved(Position position, const digits::Permutation &map, llvm::ArrayRef<int32_t> radices, size_t count);
  /// The lowest digits as a number; the digits of another number in the place of `lowest` ones.
  IndexSum numberOf(const Position &position, llvm::ArrayRef<int32_t> radices, size_t lowest);
  static void replaceLowest(Position &position, size_t lowest, const IndexSum &number, llvm::ArrayRef<int32_t> radices,
                            IndexSums &sums);
  mlir::LogicalResult replaceByBody(Position &position, mlir::Region &body, size_t lowest,
                                    llvm::ArrayRef<int32_t> radices, IndexSums &sums);

  /// Takes a position in a view to the one in what it is a view of, or one in what is stored to the one in a view of
  /// it.
  mlir::LogicalResult enter(mlir::Operation *view, Position &position, llvm::SmallVectorImpl<Test> &tests,
                            IndexSums &sums);
  mlir::LogicalResult leave(mlir::OpOperand &stored, Position &position, llvm::SmallVectorImpl<Test> &tests,
                            IndexSums &sums);

  /// The scalars of an element in memory, its accesses, and where it begins in each plane; for each device where it is
  /// stored to all of them.
  struct Element {
    std::vector<Slot> slots;
    llvm::SmallVector<Run> runs;
    llvm::SmallVector<llvm::SmallVector<mlir::Value, 1>, 1> pointers;
    mlir::Value isOwn; // where a device stores its own part only: it is of that; null: all is stored
    bool streams;      // as in BufferMemory
  };
  mlir::FailureOr<Element> elementAt(mlir::Operation *op, mlir::Value buffer, const Position &position,
                                     const Tile &tile, size_t r, IndexSums &sums);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> loadElement(id::LoadOp op, const Tile &tile, size_t r,
                                                              IndexSums &sums);
  mlir::LogicalResult storeElement(id::StoreOp op, const Tile &tile, size_t r, llvm::ArrayRef<mlir::Value> numbers,
                                   IndexSums &sums);
};

} // namespace idc::conversion
