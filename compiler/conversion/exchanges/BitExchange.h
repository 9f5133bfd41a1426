// Exchanges through the memory of a block or its cluster where all digits are bits: written, met and read in one place.
//
// Threads add their part of an address by XOR, registers as constants. Elements of several words go word by word, one
// after another through the same memory. What is loaded for later steps is on its way while threads meet.
#pragma once

#include "compiler/conversion/addresses/BitPlace.h"
#include "compiler/conversion/exchanges/Exchange.h"
#include "compiler/conversion/protocols/Barriers.h"
#include "compiler/conversion/protocols/TicketLoop.h"

#include "dialect/digits/SharedLayout.h"

#include <map>

namespace idc::conversion {

class BitExchange : public Exchange {
public:
  BitExchange(TileCode &code, BitPlace &place, Barriers &barriers)
      : code(code), b(code.b), loc(code.loc), place(place), barriers(barriers) {}

  /// Emits what is to be on its way while threads meet.
  std::function<void(id::ExchangeOp)> onTheWay;
  /// Of a kernel that draws its block numbers: words for other blocks are counted stores.
  TicketLoop *tickets = nullptr;
  /// What the kernel writes may lie on what it reads.
  bool inPlace = false;

  mlir::FailureOr<Tile> exchange(id::ExchangeOp op, const Tile &tile, const digits::Mapping &after) override;

private:
  TileCode &code;
  mlir::OpBuilder &b;
  mlir::Location loc;
  BitPlace &place;
  Barriers &barriers;
  size_t numSent = 0; // exchanges between blocks so far, by tickets

  /// Where a thread's part of a tile lies in shared memory.
  struct Side {
    mlir::Value base;           // byte offset of the thread
    uint64_t threadBits = 0;    // that the thread and its rank decide
    std::vector<uint64_t> regs; // byte offset per register
    std::map<uint64_t, mlir::Value> turned;
  };
  Side sideOf(const digits::Mapping &mapping, const digits::SharedLayout &layout, int64_t wordBytes);
  /// Address of register `r`'s word: the part that meets thread bits by XOR, the rest as a constant offset.
  mlir::Value pointerAt(Side &side, mlir::Value memory, size_t r);

  /// The same blocks' memory for all words of registers whose digits name the same rank.
  struct Destination {
    mlir::Value memory, barrier;
    Side side;
  };
  /// What registers add, by XOR, to the rank that a thread's words go to.
  mlir::Value peerOf(const Tile &tile, const digits::Mapping &after, std::vector<uint64_t> &ofRegisters);
  Destination destinationOf(mlir::Value peer, uint64_t ofRegister, const Side &side);

  mlir::Value wordAt(const Tile &tile, size_t r, mlir::Type number);
  /// Moves one word of every element; `first`: others come where threads still read the word before.
  void throughShared(id::ExchangeOp op, const Tile &tile, Tile &moved, mlir::Type number, int count, bool first);
  /// The same: every word goes to the shared memory of the block whose rank it has afterwards. One cluster barrier says
  /// that all blocks are there and no longer read what lies in their memory, a second one that all words have arrived.
  /// A kernel that draws its numbers has asynchronous stores in the place of the second one.
  void throughCluster(id::ExchangeOp op, const Tile &tile, Tile &moved, mlir::Type number, int count, bool first);
  /// Reads the tile `moved` that lies in this block's shared memory.
  void read(const digits::SharedLayout &layout, Tile &moved, mlir::Type number, int count, int64_t wordBytes);
};

} // namespace idc::conversion
