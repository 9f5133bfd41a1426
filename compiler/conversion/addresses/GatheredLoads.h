// Loads of views with gathers: where an element lies is computed, from its digits through one view after the other.
#pragma once

#include "compiler/conversion/Bodies.h"
#include "compiler/conversion/addresses/FormPlace.h"
#include "compiler/conversion/addresses/ViewLayout.h"

namespace idc::conversion {

/// True for a view of a buffer whose elements come from computed places.
bool isGathered(mlir::Value buffer);

class GatheredLoads {
public:
  /// `streams`: what is read is hinted to stream through the cache.
  GatheredLoads(TileCode &code, FormPlace &place, const llvm::DenseMap<mlir::Value, BufferMemory> &buffers,
                Bodies &bodies, bool streams)
      : code(code), b(code.b), loc(code.loc), place(place), buffers(buffers), bodies(bodies), streams(streams) {}

  mlir::FailureOr<Tile> load(id::LoadOp op);

private:
  TileCode &code;
  mlir::OpBuilder &b;
  mlir::Location loc;
  FormPlace &place;
  const llvm::DenseMap<mlir::Value, BufferMemory> &buffers;
  Bodies &bodies;
  bool streams;

  /// Digits of an element that follow each other, as one number.
  struct Digits {
    mlir::Value number;
    size_t count;
  };
  /// An element of a view: its digits, least significant first.
  using Position = llvm::SmallVector<Digits>;
  /// What an element is where a view has none.
  struct Fill {
    mlir::Value inside;
    id::ResizeOp resize;
  };

  /// Takes a position in a view to the one in what it is a view of.
  mlir::LogicalResult enter(mlir::Operation *view, Position &position, llvm::SmallVectorImpl<Fill> &fills);
  /// Digits one by one.
  void split(Position &position, llvm::ArrayRef<int32_t> radices);
  /// The number that the lowest `count` digits make up.
  mlir::Value numberOf(const Position &position, llvm::ArrayRef<int32_t> radices, size_t count);
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> loadElement(id::LoadOp op, const Tile &tile, size_t r);
};

} // namespace idc::conversion
