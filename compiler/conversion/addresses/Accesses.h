// How tiles come from memory and go there.
#pragma once

#include "compiler/conversion/Tile.h"

namespace idc::conversion {

class Accesses {
public:
  virtual ~Accesses() = default;

  /// The tile that is loaded; `ready` is called where its addresses are known and memory has not been touched. Fails
  /// with an error at the op.
  virtual mlir::FailureOr<Tile> load(id::LoadOp op, llvm::function_ref<void()> ready) = 0;
  virtual mlir::LogicalResult store(id::StoreOp op, const Tile &tile) = 0;
};

} // namespace idc::conversion
