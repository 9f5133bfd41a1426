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
#include "compiler/conversion/protocols/TicketLoop.h"

#include "dialect/digits/BufferView.h"

namespace idc::conversion {

class FormExchange : public Exchange {
public:
  FormExchange(TileCode &code, FormPlace &place, TeamRound &round, Bodies &bodies)
      : code(code), b(code.b), loc(code.loc), place(place), round(round), bodies(bodies) {}

  /// Of a kernel that draws its block numbers: words for other blocks are counted stores.
  TicketLoop *tickets = nullptr;
  /// What all threads do, besides, when the last words of other blocks are there.
  std::function<void()> afterWords;

  mlir::FailureOr<Tile> exchange(id::ExchangeOp op, const Tile &tile, const digits::Mapping &after) override;
  void write(id::ExchangeOp op, const Tile &tile) override;
  void beforeWrite(id::ExchangeOp op) override;
  void await(id::ExchangeOp op) override;

private:
  /// Writes the registers whose digits have these values, (position, value).
  void writeTile(id::ExchangeOp op, const Tile &tile, llvm::ArrayRef<std::pair<int, int64_t>> inRegisters);

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

  /// The blocks of a cluster that words go to: those that hold their elements afterwards, by the digits of the rank;
  /// where it holds none all have the same, each block beginning with another one.
  struct Destinations {
    mlir::Value own;         // this thread's part of its own block's memory
    size_t number;           // of the exchange, by tickets
    digits::LinearForm rank; // in the digits of an element
    mlir::Value ofThread;    // what the thread's digits add to it; null where all blocks are meant
    /// A block: this thread's part of its memory and, by tickets, the barrier there that counts words.
    struct Block {
      mlir::Value memory, barrier;
    };
    std::map<int64_t, llvm::SmallVector<Block>> ofRegisters{}; // by what registers add to that
  };
  Destinations destinationsOf(id::ExchangeOp op, const digits::Mapping &before, mlir::Value own);
  /// The blocks that the words of register `r` go to.
  llvm::ArrayRef<Destinations::Block> blocksOf(Destinations &to, const digits::Mapping &mapping, size_t r);
  /// Which of the exchanges between blocks this is, in the order in which they are written.
  size_t orderOf(id::ExchangeOp op);
  llvm::DenseMap<mlir::Operation *, size_t> sent; // by tickets

  llvm::SmallVector<mlir::Value> wordsOfNumbers(llvm::ArrayRef<mlir::Value> numbers, const ExchangeWords &words);
  llvm::SmallVector<mlir::Value> numbersOfWords(llvm::ArrayRef<mlir::Value> values, const ExchangeWords &words,
                                                mlir::Type element);
};

} // namespace idc::conversion
