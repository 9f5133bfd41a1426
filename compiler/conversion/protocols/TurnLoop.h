// The turns of a CPU's block: a thread does in a loop what the warps of a GPU's block do side by side, and where these
// would meet one loop ends and the next begins.
#pragma once

#include "compiler/conversion/addresses/VectorPlace.h"

namespace idc::conversion {

class TurnLoop {
public:
  /// `turns`: the warps of the kernel's mappings.
  TurnLoop(TileCode &code, VectorPlace &place, int64_t turns) : b(code.b), loc(code.loc), place(place), turns(turns) {}

  /// What is emitted from here on is done by all turns, after what came before. Only constants and what was made ahead
  /// of the first loop can be used.
  void begin();

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  VectorPlace &place;
  const int64_t turns;
  mlir::Operation *loop = nullptr;
};

} // namespace idc::conversion
