// A register of a CPU where digits have any radices: its lanes are elements of threads that follow each other.
//
// The threads of a tile are counted through, whatever digits number them, and a turn does as many of them as a vector
// has lanes; the last turn begins so far before the end that it is full, and does some again. What a thread needs of
// its digits, places of elements and roots of unity, lies in tables by its number, made when the kernel is compiled:
// nothing is divided, and what lies side by side is read so.
#pragma once

#include "compiler/conversion/Buffers.h"
#include "compiler/conversion/ThreadPlace.h"

namespace idc::conversion {

class FlatPlace : public ThreadPlace {
public:
  FlatPlace(TileCode &code, int64_t lanes) : ThreadPlace(code), lanes(lanes) {}

  const int64_t lanes;
  mlir::Value problem; // i64
  mlir::Value first;   // i64: the first thread of a turn

  mlir::Value digit(int digit, const digits::Mapping &mapping) override;
  mlir::Value integer(int64_t value) override;
  std::pair<mlir::Value, mlir::Value> entry(const std::string &table, const TwiddleFactor &factor,
                                            const digits::Mapping &mapping, mlir::Type scalar) override;

  /// Where the elements of a tile lie.
  struct Address {
    llvm::SmallVector<mlir::Value, 1> bases; // of the planes
    mlir::Type real;
    int components, perPlace;                 // numbers of an element, and of a place in a plane
    std::vector<std::vector<int64_t>> places; // of each register's threads
    int64_t beside = 0; // places before the first and behind the last element that accesses may touch, too
  };
  /// The places of a tile's elements, `weight` being what a digit's unit adds to an index, and `at` where an index
  /// lies.
  static std::vector<std::vector<int64_t>> placesOf(const digits::Mapping &mapping,
                                                    const std::function<int64_t(int)> &weight,
                                                    const std::function<int64_t(int64_t)> &at);

  /// The components of all registers, one register after the other. They are read as vectors where the places of a
  /// turn's threads follow each other in all turns, or in a few runs, whose vectors are then blended; else gathered.
  /// They are stored as vectors where the places of a turn's threads follow each other, or those of a thread's
  /// registers with the next thread's behind them, when they are transposed; else scattered.
  llvm::SmallVector<mlir::Value> loadRegisters(const Address &address);
  void storeRegisters(const Address &address, llvm::ArrayRef<mlir::Value> parts);

private:
  using Table = std::vector<int64_t>; // by threads

  Table sumOf(const digits::Mapping &mapping, const std::function<int64_t(int)> &weight) const;
  /// A pointer to this turn's entry of numbers by threads.
  mlir::Value entryOf(mlir::DenseElementsAttr numbers);
  mlir::Value loadTable(const Table &table, bool ofAllLanes);

  /// Lanes of each turn whose places follow each other, as tables by a turn's first thread.
  struct RunTables {
    Table places; // where lane 0 would be
    Table begins; // the run's first lane; `lanes` where a turn has fewer runs
  };
  std::vector<RunTables> runsOf(const Table &places) const;
  /// How many vectors are at most blended rather than gathered; no more than one where that would read beside the
  /// elements.
  size_t mostRuns(const Address &address) const;

  /// The places of a turn's lanes, emitted once for the registers that have them in common.
  struct Lanes {
    struct Run {
      mlir::Value index; // i64: where lane 0 would be
      mlir::Value from;  // the lanes of this run and later ones; null for the first one
    };
    llvm::SmallVector<Run, 1> runs;
    mlir::Value indices; // without runs: of i32
  };
  Lanes lanesOf(const Table &places, size_t mostRuns);
  /// The numbers of a plane at these places, of i32.
  mlir::Value numbersAt(const Address &address, const Lanes &at);
  mlir::Value pointer(mlir::Value base, mlir::Type type, mlir::Value index);
  mlir::Value mask(int64_t count);
  mlir::Value shuffle(mlir::Value x, mlir::Value y, llvm::ArrayRef<int32_t> lanesOfBoth);
  mlir::Value counted(); // the lanes' numbers, of i32
  /// Stores registers whose places follow each other in every thread, those of the next thread behind them: `order` has
  /// them from the lowest place on.
  void storeRows(const Address &address, llvm::ArrayRef<mlir::Value> parts, llvm::ArrayRef<size_t> order);
};

} // namespace idc::conversion
