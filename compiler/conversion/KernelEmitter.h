// What every machine does alike when a kernel becomes code: steps on the registers of a tile.
//
// Nodes, twiddles and pointwise steps are run register by register through Codelet; loads, stores and exchanges belong
// to the machine.
#pragma once

#include "compiler/conversion/Bodies.h"

namespace idc::conversion {

class KernelEmitter {
public:
  virtual ~KernelEmitter() = default;

  /// Runs the ops of the kernel's body in order, or some of them.
  mlir::LogicalResult emitBody(id::KernelOp kernel);
  mlir::LogicalResult emitOps(mlir::Block::iterator first, mlir::Block::iterator end);

protected:
  KernelEmitter(TileCode &code, RootFactors &roots, Bodies &bodies)
      : code(code), b(code.b), loc(code.loc), codelet(code.codelet), roots(roots), bodies(bodies) {}

  TileCode &code;
  mlir::OpBuilder &b;
  mlir::Location loc;
  Codelet &codelet;
  RootFactors &roots;
  Bodies &bodies;

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
