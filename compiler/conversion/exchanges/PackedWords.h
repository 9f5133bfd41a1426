// Small elements as they travel between threads: several together as a word of 32 bits, or one as a word's low half.
#pragma once

#include "compiler/conversion/TileCode.h"
#include "compiler/conversion/exchanges/Exchange.h"

namespace idc::conversion {

/// Elements that differ in the digits of id::exchangeWordDigits move together, by another exchange.
class PackedExchange : public Exchange {
public:
  PackedExchange(TileCode &code, Exchange &ofWords) : code(code), b(code.b), loc(code.loc), ofWords(ofWords) {}
  mlir::FailureOr<Tile> exchange(id::ExchangeOp op, const Tile &tile, const digits::Mapping &after) override;

private:
  TileCode &code;
  mlir::OpBuilder &b;
  mlir::Location loc;
  Exchange &ofWords;

  Tile packed(const Tile &tile, const std::vector<int> &together);
  Tile unpacked(const Tile &words, const digits::Mapping &mapping, const std::vector<int> &together,
                mlir::Type element);
};

/// True for scalars of less than 32 bits.
bool isNarrow(mlir::Type type);
/// A value as it travels: a narrow number as the low half of 32 bits; and back.
mlir::Value wordOf(TileCode &code, mlir::Value value);
mlir::Value fromWord(TileCode &code, mlir::Value word, mlir::Type type);

} // namespace idc::conversion
