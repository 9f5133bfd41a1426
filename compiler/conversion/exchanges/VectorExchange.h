// Exchanges of a CPU: between the lanes and registers of a turn, and between the turns of a block.
#pragma once

#include "compiler/conversion/addresses/VectorPlace.h"
#include "compiler/conversion/exchanges/Exchange.h"

namespace idc::conversion {

/// Within a turn: vectors are shuffled.
class LaneExchange : public Exchange {
public:
  explicit LaneExchange(TileCode &code) : code(code) {}
  mlir::FailureOr<Tile> exchange(id::ExchangeOp op, const Tile &tile, const digits::Mapping &after) override;

private:
  TileCode &code;
};

/// Between turns: through memory that the thread has for a block, numbers of an element apart from each other. All
/// turns write, then all read. An exchange whose layout is that of the one before has its place: a turn writes what it
/// has read. Another one has the other of two places, which a turn does not read before it writes.
class ScratchExchange : public Exchange {
public:
  /// `beginTurns` ends the loop over turns and begins the next.
  ScratchExchange(TileCode &code, VectorPlace &place, std::function<void()> beginTurns)
      : code(code), place(place), beginTurns(std::move(beginTurns)) {}

  /// Bytes that a kernel's exchanges take.
  static int64_t bytesOf(id::KernelOp kernel);
  mlir::Value memory; // of as many bytes, aligned to a line of the cache

  mlir::FailureOr<Tile> exchange(id::ExchangeOp op, const Tile &tile, const digits::Mapping &after) override;

private:
  TileCode &code;
  VectorPlace &place;
  std::function<void()> beginTurns;
  id::LayoutAttr current; // of the exchange before
  int64_t used = 0;       // its place
};

} // namespace idc::conversion
