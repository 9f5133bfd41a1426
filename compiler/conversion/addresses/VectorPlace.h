// A register of a CPU: a vector whose elements are the lanes of a mapping of radix 2. Its thread goes through the
// blocks in a loop, and through the warps of a block's mapping in an inner one: they are its turns.
#pragma once

#include "compiler/conversion/Buffers.h"
#include "compiler/conversion/ThreadPlace.h"
#include "compiler/conversion/addresses/Access.h"
#include "compiler/conversion/addresses/VectorBits.h"

namespace idc::conversion {

class VectorPlace : public ThreadPlace {
public:
  VectorPlace(TileCode &code, int64_t lanes) : ThreadPlace(code), lanes(lanes) {}

  const int64_t lanes;
  mlir::Value block; // i64: the block digits, the rest of the batch on top
  mlir::Value turn;  // i64: the warp digits; null where a block is one turn

  mlir::Value digit(int digit, const digits::Mapping &mapping) override;
  mlir::Value integer(int64_t value) override;
  std::pair<mlir::Value, mlir::Value> entry(const std::string &table, const TwiddleFactor &factor,
                                            const digits::Mapping &mapping, mlir::Type scalar) override;

  /// Where the registers of a tile lie.
  struct Address {
    llvm::SmallVector<mlir::Value, 1> bases; // of the planes
    mlir::Type real;
    int components, perPlace;                  // numbers of an element, and of a place in a plane
    std::vector<std::vector<int64_t>> offsets; // in places, of each register's lanes
  };
  Address makeAddress(const Access &access, const digits::Mapping &mapping, const BufferMemory &buffer, mlir::Type real,
                      int components);
  /// True when every problem of this block lies in the batch.
  mlir::Value blockIsFull(const Access &access, const digits::Mapping &mapping);
  /// True when the problem of a lane of register `r` lies in the batch.
  mlir::Value inBatch(const Access &access, const digits::Mapping &mapping, size_t r, int64_t lane);

  /// The same where elements lie in the block's own memory, each at a place of its digits: planes of numbers, so many
  /// bytes apart.
  Address makeAddress(const digits::Mapping &mapping, const std::function<uint64_t(int)> &target, mlir::Value memory,
                      int64_t planeBytes, mlir::Type real, int components);

  /// The components of all registers, one register after the other. What lies side by side in memory is read side by
  /// side, whether lanes or registers hold it, and rearranged; where nothing does, lane by lane.
  llvm::SmallVector<mlir::Value> loadRegisters(const Address &address);
  /// `past` the cache: where storesLines() and, i1, isOnLine() hold.
  void storeRegisters(const Address &address, llvm::ArrayRef<mlir::Value> parts, bool past = false);
  /// True when every store is of whole cache lines if the planes begin on one.
  bool storesLines(const Address &address) const;
  mlir::Value isOnLine(const Address &address);
  /// Puts the components of one lane into `vectors`.
  void loadLane(const Address &address, size_t r, int64_t lane, std::vector<mlir::Value> &vectors);
  void storeLane(const Address &address, size_t r, int64_t lane, llvm::ArrayRef<mlir::Value> parts);

  /// A scalar in every lane.
  static mlir::Value splat(mlir::OpBuilder &b, mlir::Location loc, mlir::Value scalar, int64_t lanes);

private:
  /// The bits of an address that the block and its turn decide; null: none.
  mlir::Value scatter(const std::vector<uint64_t> &blockBits, const digits::Mapping &mapping,
                      const std::function<uint64_t(int)> &target);
  std::vector<uint64_t> blockBits(const digits::Mapping &mapping, const std::function<uint64_t(int)> &target,
                                  int restBit) const;
  mlir::Value gep(mlir::Value base, mlir::Type real, int components, mlir::Value index);
  /// The place of a number of a plane.
  mlir::Value at(const Address &address, size_t plane, int64_t offset);
  /// Number `c` of the element of a register and lane.
  mlir::Value numberAt(const Address &address, size_t r, size_t lane, int c);
  mlir::Value shuffle(mlir::Value x, mlir::Value y, llvm::ArrayRef<int32_t> mask);
  mlir::Value concatenate(llvm::ArrayRef<mlir::Value> vectors);

  /// How the numbers of registers lie in the vectors that memory is read by, and in registers. Its bits are those of
  /// registers, of lanes, and of an element's numbers where these lie side by side.
  struct Order {
    VectorBits memory, registers;
    size_t run = 1;                            // lanes in memory that lie side by side; 1: none
    std::vector<std::vector<int64_t>> offsets; // in numbers, of each vector's lanes
  };
  static Order orderOf(const Address &address);
  mlir::Value loadRuns(const Address &address, size_t plane, llvm::ArrayRef<int64_t> offsets, size_t run);
  void storeRuns(const Address &address, size_t plane, llvm::ArrayRef<int64_t> offsets, size_t run, mlir::Value all,
                 bool past);
};

} // namespace idc::conversion
