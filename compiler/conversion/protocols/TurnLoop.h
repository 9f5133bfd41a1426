// The turns of a CPU's block: a thread does in a loop what the warps of a GPU's block do side by side, and where these
// would meet one loop ends and the next begins.
#pragma once

#include "compiler/conversion/TileCode.h"

namespace idc::conversion {

class TurnLoop {
public:
  explicit TurnLoop(TileCode &code) : b(code.b), loc(code.loc) {}

  /// What is emitted from here on is done by so many turns, after what came before; returns the number of a turn, i64.
  /// Only constants and what was made ahead of the first loop can be used.
  mlir::Value begin(int64_t turns);

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Operation *loop = nullptr;
};

} // namespace idc::conversion
