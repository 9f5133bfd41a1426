// Exchanges between the turns of a CPU's block whose threads are counted through: through memory, numbers of an element
// apart from each other. They use two places in turn, since a turn may do again what another one has done.
#pragma once

#include "compiler/conversion/addresses/FlatPlace.h"
#include "compiler/conversion/exchanges/Exchange.h"

namespace idc::conversion {

class FlatExchange : public Exchange {
public:
  /// `beginTurns` ends the loop over the turns of what is emitted so far and begins that over those of a mapping.
  FlatExchange(TileCode &code, FlatPlace &place, std::function<void(const digits::Mapping &)> beginTurns)
      : code(code), place(place), beginTurns(std::move(beginTurns)) {}

  /// Bytes that a kernel's exchanges take.
  static int64_t bytesOf(id::KernelOp kernel);
  mlir::Value memory; // of as many bytes

  mlir::FailureOr<Tile> exchange(id::ExchangeOp op, const Tile &tile, const digits::Mapping &after) override;

private:
  TileCode &code;
  FlatPlace &place;
  std::function<void(const digits::Mapping &)> beginTurns;
  bool second = false; // the place of the next exchange
};

} // namespace idc::conversion
