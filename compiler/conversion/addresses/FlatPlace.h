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
  };
  /// The places of a tile's elements, `weight` being what a digit's unit adds to an index, and `at` where an index
  /// lies.
  static std::vector<std::vector<int64_t>> placesOf(const digits::Mapping &mapping,
                                                    const std::function<int64_t(int)> &weight,
                                                    const std::function<int64_t(int64_t)> &at);

  /// The components of all registers, one register after the other: read as vectors where the places of a turn's
  /// threads follow each other in all turns, else gathered; and back.
  llvm::SmallVector<mlir::Value> loadRegisters(const Address &address);
  void storeRegisters(const Address &address, llvm::ArrayRef<mlir::Value> parts);

private:
  using Table = std::vector<int64_t>; // by threads

  Table sumOf(const digits::Mapping &mapping, const std::function<int64_t(int)> &weight) const;
  /// A pointer to this turn's entry of numbers by threads.
  mlir::Value entryOf(mlir::DenseElementsAttr numbers);
  mlir::Value loadTable(const Table &table, bool ofAllLanes);
  bool followEachOther(const Table &places) const;

  /// What the registers of an address have in common, emitted once.
  struct Lanes {
    bool together;     // their places follow each other
    mlir::Value index; // i64: the first one's place; else of i32: all of them
  };
  Lanes lanesOf(const Table &places);
  /// The numbers of a plane at these places, of i32.
  mlir::Value numbersAt(const Address &address, const Lanes &at);
  mlir::Value pointer(mlir::Value base, mlir::Type type, mlir::Value index);
  mlir::Value mask(int64_t count);
  mlir::Value shuffle(mlir::Value x, mlir::Value y, llvm::ArrayRef<int32_t> lanesOfBoth);
};

} // namespace idc::conversion
