// The body of a kernel: sections of ops on tiles, in order. What an op needs beside arithmetic on registers is done by
// parts that are given: accesses to memory, exchanges by their kind, and the barriers between them.
//
// All threads run a section that all hold; else it is a branch, and its values leave it through shared memory or in the
// registers of its threads. What a branch loads is on its way from the start, while it is little.
#pragma once

#include "compiler/conversion/KernelEmitter.h"
#include "compiler/conversion/Sections.h"
#include "compiler/conversion/TurnSteps.h"
#include "compiler/conversion/addresses/StagedAccesses.h"
#include "compiler/conversion/exchanges/Exchange.h"
#include "compiler/conversion/protocols/Barriers.h"

namespace idc::conversion {

class TileEmitter : public KernelEmitter {
public:
  struct Parts {
    ThreadPlace &place;
    Accesses *accesses;
    std::map<id::ExchangeKind, Exchange *> exchanges; // a kind that is missing cannot be emitted here
    Barriers &barriers;
    TurnSteps *turns = nullptr;       // null: there are no turns
    StagedAccesses *staged = nullptr; // null: nothing is staged
  };
  TileEmitter(TileCode &code, RootFactors &roots, Bodies &bodies, const Sections &cut, Parts parts)
      : KernelEmitter(code, roots, bodies), cut(cut), parts(std::move(parts)) {}

  /// The whole body, for the place of a thread as it is now.
  mlir::LogicalResult emit();
  /// Some of its sections.
  mlir::LogicalResult emit(llvm::ArrayRef<Section> sections);

  /// Other accesses, made around those that were given.
  void setAccesses(Accesses &accesses) { parts.accesses = &accesses; }
  /// Loads a tile here, for give().
  mlir::FailureOr<Tile> load(id::LoadOp op);
  /// The tile of a load that has been made elsewhere.
  void give(id::LoadOp op, Tile tile) { loaded[op] = std::move(tile); }
  /// Loads what steps behind an exchange up to the next one read beside its tile, which is on its way, as long as
  /// registers hold both; and roots of unity that they need.
  void loadBehind(id::ExchangeOp op);

protected:
  mlir::FailureOr<Tile> emitLoad(id::LoadOp op) override;
  mlir::LogicalResult emitStore(id::StoreOp op, const Tile &tile) override;
  mlir::FailureOr<Tile> emitExchange(id::ExchangeOp op, const Tile &tile) override;

private:
  const Sections &cut;
  Parts parts;
  llvm::DenseMap<mlir::Operation *, Tile> loaded; // ahead of their place

  mlir::LogicalResult emitSection(const Section &section);
  mlir::LogicalResult emitBranch(const Section &section, llvm::ArrayRef<mlir::Value> leaving,
                                 llvm::function_ref<mlir::LogicalResult()> emit);
  /// The ops of a section. What a turn leaves to later ones is stored behind them.
  mlir::LogicalResult emitSteps(const Section &section);
  /// Begins the loads of branches for which `isWanted` holds.
  mlir::LogicalResult loadAhead(llvm::function_ref<bool(mlir::Operation &)> isWanted);
  Exchange *exchangeOf(id::ExchangeOp op);
};

} // namespace idc::conversion
