// Nodes on digits that a block works through in turns (passes/TurnOrder.h), for the turn at hand.
//
// A node's first element is one that was kept in shared memory, or the turn's own, by the digit; of its results that
// have the digit the turn has the one that belongs to it.
#pragma once

#include "compiler/conversion/Bodies.h"
#include "compiler/conversion/Sections.h"
#include "compiler/conversion/protocols/CooperativeRounds.h"

namespace idc::conversion {

class TurnSteps {
public:
  TurnSteps(TileCode &code, ThreadPlace &place, Bodies &bodies, const TeamRound &round)
      : code(code), b(code.b), loc(code.loc), place(place), bodies(bodies), round(round) {}

  /// What turns keep is always loaded, used when it is there: before all rounds it is zeros.
  void clearKept(const Sections &cut);
  /// Emits a node. `tileOf` gives the tile of a value made before, `hold` takes those that the node makes.
  mlir::LogicalResult emit(id::NodeOp node, llvm::function_ref<const Tile &(mlir::Value)> tileOf,
                           llvm::function_ref<void(mlir::Value, Tile)> hold);
  /// Stores what the turn leaves to later ones, behind the steps of its section.
  void storeKept();

private:
  /// What a node on turns takes as the first of two elements when the turn is one of the second.
  struct Kept {
    mlir::Value memory;
    llvm::SmallVector<mlir::Value> numbers;
    mlir::Value isComplete; // after this turn
  };

  TileCode &code;
  mlir::OpBuilder &b;
  mlir::Location loc;
  ThreadPlace &place;
  Bodies &bodies;
  const TeamRound &round;
  llvm::SmallVector<Kept> kept; // of the section

  mlir::Value memoryOf(id::NodeOp node);
  /// True for turns with such bits.
  mlir::Value isAt(size_t mask, size_t bits);
  /// The numbers of an element as they are kept.
  llvm::SmallVector<mlir::Value> canonical(llvm::ArrayRef<Leaf> leaves, mlir::Type element);
  llvm::SmallVector<mlir::Value> choose(mlir::Value condition, llvm::ArrayRef<mlir::Value> those,
                                        llvm::ArrayRef<mlir::Value> others);
};

} // namespace idc::conversion
