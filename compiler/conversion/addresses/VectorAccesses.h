// Loads and stores of tiles in a CPU's vectors, whole or lane by lane. Blocks that reach past the batch take a path
// that checks every lane.
#pragma once

#include "compiler/conversion/addresses/Accesses.h"
#include "compiler/conversion/addresses/VectorPlace.h"

namespace idc::conversion {

class VectorAccesses : public Accesses {
public:
  VectorAccesses(TileCode &code, VectorPlace &place, const llvm::DenseMap<mlir::Value, BufferMemory> &buffers)
      : code(code), b(code.b), loc(code.loc), place(place), lanes(place.lanes), buffers(buffers) {}

  mlir::FailureOr<Tile> load(id::LoadOp op, llvm::function_ref<void()> ready) override;
  mlir::LogicalResult store(id::StoreOp op, const Tile &tile) override;
  /// Whether something may have been stored past the cache.
  bool storesPast = false;

private:
  /// Of a block whose problems are all there: past the cache, where there is much of the buffer and it lies on lines.
  void storeAll(const VectorPlace::Address &address, llvm::ArrayRef<mlir::Value> parts, const BufferMemory &memory);
  TileCode &code;
  mlir::OpBuilder &b;
  mlir::Location loc;
  VectorPlace &place;
  const int64_t lanes;
  const llvm::DenseMap<mlir::Value, BufferMemory> &buffers;

  void loadGuarded(const Access &access, const digits::Mapping &mapping, const VectorPlace::Address &address, size_t r,
                   llvm::SmallVectorImpl<mlir::Value> &parts);
};

} // namespace idc::conversion
