// Steps on the registers of a tile: nodes, twiddles and pointwise steps, register by register through Codelet. Loads,
// stores and exchanges are left to TileEmitter.
#pragma once

#include "compiler/conversion/Bodies.h"

namespace idc::conversion {

class KernelEmitter {
public:
  virtual ~KernelEmitter() = default;

protected:
  KernelEmitter(TileCode &code, RootFactors &roots, Bodies &bodies)
      : code(code), b(code.b), loc(code.loc), codelet(code.codelet), roots(roots), bodies(bodies) {}

  TileCode &code;
  mlir::OpBuilder &b;
  mlir::Location loc;
  Codelet &codelet;
  RootFactors &roots;
  Bodies &bodies;

  /// Runs some ops of a kernel's body in order.
  mlir::LogicalResult emitOps(mlir::Block::iterator first, mlir::Block::iterator end);

  virtual mlir::FailureOr<Tile> emitLoad(id::LoadOp op) = 0;
  virtual mlir::LogicalResult emitStore(id::StoreOp op, const Tile &tile) = 0;
  virtual mlir::FailureOr<Tile> emitExchange(id::ExchangeOp op, const Tile &tile) = 0;

  /// The tile of a value made so far, no factor left to be multiplied in.
  const Tile &settled(mlir::Value value);
  /// The tile of a value that was made elsewhere.
  void hold(mlir::Value value, Tile tile) { tiles[value] = std::move(tile); }

private:
  llvm::DenseMap<mlir::Value, Tile> tiles;

  /// The tile with the registers of its parts.
  void emitJoin(id::JoinOp op);
  mlir::LogicalResult emitTwiddle(id::TwiddleOp op);
  mlir::LogicalResult emitPrimeTwiddle(id::TwiddleOp op, id::ModType type);
  mlir::LogicalResult emitPointwise(id::PointwiseOp op);
  mlir::LogicalResult emitNode(id::NodeOp op);
};

} // namespace idc::conversion
