// How a tile gets another mapping: one class for each way, chosen by the kind that its exchange op has.
#pragma once

#include "compiler/conversion/Tile.h"

namespace idc::conversion {

class Exchange {
public:
  virtual ~Exchange() = default;

  /// The tile in the mapping `after`. Fails with an error at the op.
  virtual mlir::FailureOr<Tile> exchange(id::ExchangeOp op, const Tile &tile, const digits::Mapping &after) = 0;
  /// Where sections are cut (Sections.h), what the one that makes the tile does for others to read it in exchange().
  virtual void write(id::ExchangeOp, const Tile &) {}
  /// Ahead of that, what takes all threads, those that hold none of the tile, too.
  virtual void beforeWrite(id::ExchangeOp) {}
  /// All threads wait until what an exchange reads is there, where no barrier says so.
  virtual void await(id::ExchangeOp) {}

protected:
  /// The tile behind the exchange, whose registers hold nothing yet.
  static Tile movedTile(const Tile &tile, const digits::Mapping &after) {
    Tile moved = tile;
    moved.mapping = after;
    moved.registers.assign(after.extent(digits::Field::Reg), {});
    return moved;
  }
};

} // namespace idc::conversion
