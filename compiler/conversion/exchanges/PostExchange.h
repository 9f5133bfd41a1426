// Exchanges between the blocks of a team, by posts in memory that all of them read (protocols/CooperativeRounds.h).
#pragma once

#include "compiler/conversion/addresses/FormPlace.h"
#include "compiler/conversion/exchanges/Exchange.h"
#include "compiler/conversion/protocols/CooperativeRounds.h"

namespace idc::conversion {

/// Words of 4 bytes that the blocks of a cooperative kernel post for each other.
int64_t postedCells(id::KernelOp kernel);

class PostExchange : public Exchange {
public:
  PostExchange(TileCode &code, FormPlace &place, TeamRound &round)
      : code(code), b(code.b), loc(code.loc), place(place), round(round) {}

  mlir::FailureOr<Tile> exchange(id::ExchangeOp op, const Tile &tile, const digits::Mapping &after) override;
  void write(id::ExchangeOp op, const Tile &tile) override;

private:
  TileCode &code;
  mlir::OpBuilder &b;
  mlir::Location loc;
  FormPlace &place;
  TeamRound &round;

  /// This thread's part of what an exchange posts.
  mlir::Value pointerOf(id::ExchangeOp op, const digits::Mapping &mapping, size_t cells);
  /// The cells of register `r` of a tile that is posted: those of an element follow each other.
  llvm::SmallVector<mlir::Value> cellsAt(id::ExchangeOp op, const digits::Mapping &mapping, mlir::Value base, size_t r,
                                         size_t cells);
  /// A number as words of 32 bits, and back.
  void appendCells(mlir::Value number, llvm::SmallVectorImpl<mlir::Value> &words);
  mlir::Value fromCells(llvm::ArrayRef<mlir::Value> words, mlir::Type type);
};

} // namespace idc::conversion
