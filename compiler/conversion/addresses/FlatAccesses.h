// Loads and stores of tiles whose threads are counted through (FlatPlace.h), of problems one after another.
#pragma once

#include "compiler/conversion/addresses/Accesses.h"
#include "compiler/conversion/addresses/FlatPlace.h"

namespace idc::conversion {

class FlatAccesses : public Accesses {
public:
  FlatAccesses(TileCode &code, FlatPlace &place, const llvm::DenseMap<mlir::Value, BufferMemory> &buffers)
      : code(code), place(place), buffers(buffers) {}

  mlir::FailureOr<Tile> load(id::LoadOp op, llvm::function_ref<void()> ready) override;
  mlir::LogicalResult store(id::StoreOp op, const Tile &tile) override;

private:
  TileCode &code;
  FlatPlace &place;
  const llvm::DenseMap<mlir::Value, BufferMemory> &buffers;

  /// The address of a tile; `bufferDigit` is the buffer's digit for one of the tile's, beyond its own where the buffer
  /// is repeated. Fails with an error at the op.
  mlir::FailureOr<FlatPlace::Address> addressOf(mlir::Operation *op, mlir::Value buffer, const Tile &tile,
                                                const std::function<std::pair<int, bool>(int)> &bufferDigit);
};

} // namespace idc::conversion
