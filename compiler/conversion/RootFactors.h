// Roots of unity that steps of a tile multiply by: of tables and constants, or of powers where no table is small
// enough. What is looked up is looked up once for each op, and ahead of the barrier after which it is used.
#pragma once

#include "compiler/conversion/RootLookup.h"
#include "compiler/conversion/ThreadPlace.h"

namespace idc::conversion {

class RootFactors {
public:
  /// How exponents that are known at run time only become roots: by tables of all their values, by powers of the root,
  /// or by tables where these are small enough and by powers elsewhere.
  enum class Means { Tables, Powers, Either };
  RootFactors(TileCode &code, ThreadPlace &thread, Means means)
      : loc(code.loc), codelet(code.codelet), tables(code.tables), thread(thread), means(means),
        powers(code.b, code.loc, code.codelet, code.tables) {}

  /// 32-bit registers that factors of later passes may take from the load on.
  int64_t registersAhead = 0;

  /// An exponent for register `r`, split: its run-time part and its constant.
  static digits::Polynomial registerExponent(int64_t root, const digits::Polynomial &exponent, const Tile &tile,
                                             size_t r, int64_t &constant);

  /// omega(root, exponent) for this thread (and lane), the exponent a polynomial in digits that are no registers: a
  /// pair of the machine's reals of type `real`. Fails with an error at `op`.
  mlir::FailureOr<Complex> complex(mlir::Operation *op, int64_t root, const digits::Polynomial &exponent,
                                   const Tile &place, mlir::Type real);
  /// Factors whose product is omega(root, exponent) in a prime field.
  mlir::FailureOr<llvm::SmallVector<Residue>>
  residues(mlir::Operation *op, int64_t root, const digits::Polynomial &exponent, const Tile &place, id::ModType type);
  /// omega(root, exponent) of a complex type or a prime field for an exponent known only at run time, or nothing where
  /// there are tables only.
  std::optional<Leaf> dynamic(int64_t root, mlir::Value exponent, mlir::Type type);

  /// Loads the run-time roots of unity of the steps that follow `op` up to the next exchange, so that they are in
  /// flight across its barrier. `place` has the mapping in which they will be used; steps in others are left out.
  void prefetch(mlir::Operation *op, const Tile &place);
  /// The same of passes behind further exchanges, as far as registersAhead goes.
  void prefetchLater(id::LoadOp load);

  /// omega(root, exponent), 0 <= exponent < root, as quarter turns clockwise (root permitting, else half turns) and the
  /// exponent of the rest.
  static std::pair<int64_t, int64_t> quarterTurns(int64_t root, int64_t exponent);
  /// A constant, rounded once.
  Complex constant(int64_t root, int64_t exponent);

  /// 32-bit registers of all complex roots that the steps of a kernel look up in tables, their products with constants
  /// included.
  static int64_t registersOf(id::KernelOp kernel);

private:
  mlir::Location loc;
  Codelet &codelet;
  TwiddleTables &tables;
  ThreadPlace &thread;
  Means means;
  RootLookup powers;
  using Key = std::pair<mlir::Operation *, std::string>; // a twiddle or id.omega and a run-time exponent
  std::map<Key, Complex> loaded;
  std::map<Key, llvm::SmallVector<Residue>> loadedResidues;

  bool hasTables(int64_t root, const digits::Polynomial &exponent, const Tile &place) const;
  mlir::Value exponentOf(int64_t root, const digits::Polynomial &exponent, const Tile &place);
  /// 32-bit registers of the factors loaded so far.
  int64_t loadedRegisters() const;
  /// The product of the table entries that splitTwiddle finds, each loaded once per `op`, and of a constant.
  mlir::FailureOr<Complex> tableProduct(mlir::Operation *op, int64_t root, const digits::Polynomial &exponent,
                                        const Tile &place, mlir::Type real);
};

} // namespace idc::conversion
