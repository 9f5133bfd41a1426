// What every machine does alike when a kernel becomes code: steps on the registers of a tile.
//
// A tile is held as leaves per register number (the reg columns' digits as a mixed-radix number, low column first).
// Nodes, twiddles and pointwise steps are run register by register through Codelet; loads, stores, exchanges and the
// run-time digits belong to the machine.
#pragma once

#include "compiler/conversion/Codelet.h"
#include "compiler/conversion/Scalars.h"
#include "compiler/conversion/TwiddleTables.h"

#include "id/IdDialect.h"

#include <map>

namespace idc::conversion {

struct Tile {
  digits::Mapping mapping;
  std::vector<int> radices;
  mlir::Type element;
  std::vector<llvm::SmallVector<Leaf>> registers;
};

class KernelEmitter {
public:
  virtual ~KernelEmitter() = default;

protected:
  KernelEmitter(mlir::OpBuilder &builder, mlir::Location loc, TwiddleTables &tables,
                std::function<mlir::Type(mlir::Type)> wide)
      : b(builder), loc(loc), codelet(builder, loc, std::move(wide)), tables(tables) {}

  mlir::OpBuilder &b;
  mlir::Location loc;
  Codelet codelet;
  TwiddleTables &tables;
  Parameters parameters; // in the machine's width
  /// 32-bit registers that factors of later passes may take from the load on.
  int64_t factorRegisters = 0;

  /// Runs the ops of the kernel's body in order, or some of them.
  mlir::LogicalResult emitBody(id::KernelOp kernel);
  mlir::LogicalResult emitOps(mlir::Block::iterator first, mlir::Block::iterator end);

  virtual mlir::FailureOr<Tile> emitLoad(id::LoadOp op) = 0;
  virtual mlir::LogicalResult emitStore(id::StoreOp op, const Tile &tile) = 0;
  virtual mlir::FailureOr<Tile> emitExchange(id::ExchangeOp op, const Tile &tile) = 0;
  /// omega(root, exponent) for this thread (and lane), the exponent a polynomial in digits that are no registers: a
  /// pair of the machine's reals of type `real`. Fails with an error at `op`.
  virtual mlir::FailureOr<Complex> emitRoot(mlir::Operation *op, int64_t root, const digits::Polynomial &exponent,
                                            const Tile &place, mlir::Type real) = 0;
  /// omega(root, exponent) of a complex type or a prime field for an exponent known only at run time, or nothing where
  /// the machine has no way.
  virtual std::optional<Leaf> emitDynamicRoot(int64_t, mlir::Value, mlir::Type) { return std::nullopt; }
  /// A run-time exponent from a polynomial in digits, reduced to [0, root), for emitDynamicRoot.
  virtual mlir::Value emitExponent(int64_t, const digits::Polynomial &, const Tile &) { return {}; }
  /// A digit that is no register, as i64 of the machine's width.
  virtual mlir::Value emitDigit(int digit, const Tile &place) = 0;
  /// A constant i64 of the machine's width.
  virtual mlir::Value emitInteger(int64_t value) = 0;

  /// emitRoot for machines of radix-2 digits: the product of the table entries that splitTwiddle finds, each loaded
  /// once per `op`, and of a constant.
  mlir::FailureOr<Complex> emitTableProduct(mlir::Operation *op, int64_t root, const digits::Polynomial &exponent,
                                            const Tile &place, mlir::Type real);
  /// The table's entry at the digits of `factor` for this thread (and lane), a pair of numbers of type `scalar`; for
  /// machines of radix-2 digits.
  virtual std::pair<mlir::Value, mlir::Value> emitTableLoad(const std::string &, const TwiddleFactor &, const Tile &,
                                                            mlir::Type) {
    return {};
  }

  /// Loads the run-time roots of unity of the steps that follow `op` up to the next exchange, so that they are in
  /// flight across its barrier. `place` has the mapping in which they will be used; steps in others are left out.
  void prefetchTwiddles(mlir::Operation *op, const Tile &place);
  /// 32-bit registers of the factors loaded so far.
  int64_t loadedRegisters() const;

  /// The numbers of an element as memory and exchanges have them (bool as a byte), complex ones real part first: of
  /// type `number`, or, without it, each of its own; and back.
  llvm::SmallVector<mlir::Value> numbersOf(llvm::ArrayRef<Leaf> leaves, mlir::Type element, mlir::Type number = {});
  llvm::SmallVector<Leaf> leavesOf(llvm::ArrayRef<mlir::Value> numbers, mlir::Type element);
  /// A tile of the given type whose registers hold nothing yet.
  static Tile emptyTile(mlir::Type type);
  /// The digits that a register number stands for, one per reg column, and back.
  static llvm::SmallVector<int64_t> registerDigits(const digits::Mapping &mapping, size_t number);
  static size_t registerNumber(const digits::Mapping &mapping, llvm::ArrayRef<int64_t> digits);

  /// Brings residues to their canonical integers.
  static void makeCanonical(Codelet &codelet, Tile &tile);
  /// The results of a body for register `r` of a tile.
  mlir::FailureOr<llvm::SmallVector<Leaf>> runBody(mlir::Region &body, llvm::ArrayRef<Leaf> arguments, const Tile &tile,
                                                   size_t r);
  /// The tile of a value made so far, no factor left to be multiplied in.
  const Tile &settled(mlir::Value value);
  void makeSettled(Tile &tile) { resolveAll(codelet, tile); }
  /// The tile of a value that was made elsewhere.
  void hold(mlir::Value value, Tile tile) { tiles[value] = std::move(tile); }

private:
  void prefetchLaterTwiddles(id::LoadOp load);
  llvm::DenseMap<mlir::Value, Tile> tiles;
  using FactorKey = std::pair<mlir::Operation *, std::string>; // a twiddle or id.omega and a run-time exponent
  std::map<FactorKey, Complex> loaded;
  std::map<FactorKey, llvm::SmallVector<Residue>> loadedResidues;

  /// The tile with the registers of its parts.
  void emitJoin(id::JoinOp op);
  mlir::LogicalResult emitTwiddle(id::TwiddleOp op);
  mlir::LogicalResult emitPrimeTwiddle(id::TwiddleOp op, id::ModType type);
  mlir::LogicalResult emitPointwise(id::PointwiseOp op);
  mlir::LogicalResult emitNode(id::NodeOp op);
  static void resolveAll(Codelet &codelet, Tile &tile);
  /// An exponent for register `r`, split: its run-time part and its constant.
  static digits::Polynomial registerExponent(int64_t root, const digits::Polynomial &exponent, const Tile &tile,
                                             size_t r, int64_t &constant);
  /// Factors whose product is omega(root, exponent) in a prime field. What is looked up is looked up once per `op`.
  mlir::FailureOr<llvm::SmallVector<Residue>> residueFactors(mlir::Operation *op, int64_t root,
                                                             const digits::Polynomial &exponent, const Tile &place,
                                                             id::ModType type);
};

} // namespace idc::conversion
