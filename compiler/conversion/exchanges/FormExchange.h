// Exchanges through the memory of a block or its cluster, of digits of any radices: the section that makes a tile
// writes it, behind a meeting a later one reads it.
//
// Word w of all elements lies together, then the next word; then comes the next tile of the block. What blocks of a
// cluster hold in common is written to all of them. An exchange from computed places reads where its body says.
#pragma once

#include "compiler/conversion/Bodies.h"
#include "compiler/conversion/Sections.h"
#include "compiler/conversion/addresses/FormPlace.h"
#include "compiler/conversion/exchanges/Exchange.h"
#include "compiler/conversion/protocols/CooperativeRounds.h"

#include "dialect/digits/BufferView.h"

namespace idc::conversion {

class FormExchange : public Exchange {
public:
  FormExchange(TileCode &code, FormPlace &place, TeamRound &round, Bodies &bodies)
      : code(code), b(code.b), loc(code.loc), place(place), round(round), bodies(bodies) {}

  mlir::FailureOr<Tile> exchange(id::ExchangeOp op, const Tile &tile, const digits::Mapping &after) override;
  void write(id::ExchangeOp op, const Tile &tile) override;

private:
  TileCode &code;
  mlir::OpBuilder &b;
  mlir::Location loc;
  FormPlace &place;
  TeamRound &round;
  Bodies &bodies;

  /// What a digit moves an element by, in words.
  using Column = llvm::function_ref<int64_t(int)>;
  /// This thread's part of an exchange's memory.
  mlir::Value pointerOf(id::ExchangeOp op, const digits::Mapping &mapping, const ExchangeWords &words, Column column);
  /// The words at a place, as the numbers of an element.
  llvm::SmallVector<mlir::Value> read(mlir::Value base, int64_t offset, const ExchangeWords &words, mlir::Type element);
  /// What lies at the places that the body of the exchange computes.
  mlir::FailureOr<Tile> fetch(id::ExchangeOp op, const Tile &tile, const digits::Mapping &after);
  /// What a number that stands for digits of the input, from `first` on, adds to the place, in bytes, i64.
  mlir::Value offsetOf(mlir::Value number, int first, int64_t run, llvm::ArrayRef<int32_t> radices,
                       const digits::SharedLayout &layout, int64_t wordBytes);

  /// The blocks of a cluster that words go to: those that hold their elements afterwards, by the digits of the rank;
  /// where it holds none all have the same, each block beginning with another one.
  struct Destinations {
    mlir::Value own;         // this thread's part of its own block's memory
    digits::LinearForm rank; // in the digits of an element
    mlir::Value ofThread;    // what the thread's digits add to it; null where all blocks are meant
    std::map<int64_t, llvm::SmallVector<mlir::Value>>
        ofRegisters{}; // what is added to that -> this thread's part of their memory
  };
  Destinations destinationsOf(const digits::Mapping &before, const digits::Mapping &after, mlir::Value own);
  /// The memory of the blocks that the words of register `r` go to.
  llvm::SmallVector<mlir::Value> blocksOf(Destinations &to, const digits::Mapping &mapping, size_t r);

  llvm::SmallVector<mlir::Value> wordsOfNumbers(llvm::ArrayRef<mlir::Value> numbers, const ExchangeWords &words);
  llvm::SmallVector<mlir::Value> numbersOfWords(llvm::ArrayRef<mlir::Value> values, const ExchangeWords &words,
                                                mlir::Type element);
};

} // namespace idc::conversion
