// Exchanges within a thread, which rename registers, and within a warp, by shuffles.
//
// The shuffle plan of an exchange renames registers, then for every swap (r, l) selects between registers that differ
// in bit r by a lane bit, reads each register from lane permute(lane) ^ mask, and selects again on bit l.
#pragma once

#include "compiler/conversion/ThreadPlace.h"
#include "compiler/conversion/exchanges/Exchange.h"
#include "dialect/digits/Exchange.h"

#include "machine/MachineDialect.h"

namespace idc::conversion {

class RegisterExchange : public Exchange {
public:
  mlir::FailureOr<Tile> exchange(id::ExchangeOp op, const Tile &tile, const digits::Mapping &after) override;
};

class ShuffleExchange : public Exchange {
public:
  ShuffleExchange(TileCode &code, ThreadPlace &place) : code(code), b(code.b), loc(code.loc), place(place) {}
  mlir::FailureOr<Tile> exchange(id::ExchangeOp op, const Tile &tile, const digits::Mapping &after) override;

private:
  TileCode &code;
  mlir::OpBuilder &b;
  mlir::Location loc;
  ThreadPlace &place;

  void shuffle(const digits::ShufflePlan &plan, const Tile &tile, Tile &moved);
  /// One value of at most 64 bits from another lane.
  mlir::Value shuffleWord(mlir::Value value, mlir::Value lane, machine::ShuffleKind kind);
};

} // namespace idc::conversion
