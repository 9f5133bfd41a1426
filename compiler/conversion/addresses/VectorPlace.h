// A register of a CPU: a vector whose elements are the lanes of a mapping of radix 2. A turn of the loop over blocks is
// done by one thread.
#pragma once

#include "compiler/conversion/Buffers.h"
#include "compiler/conversion/ThreadPlace.h"
#include "compiler/conversion/addresses/Access.h"

namespace idc::conversion {

class VectorPlace : public ThreadPlace {
public:
  VectorPlace(TileCode &code, int64_t lanes) : ThreadPlace(code), lanes(lanes) {}

  const int64_t lanes;
  mlir::Value block; // i64: the block digits, the rest of the batch on top

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
    bool contiguous(size_t r) const;
  };
  Address makeAddress(const Access &access, const digits::Mapping &mapping, const BufferMemory &buffer, mlir::Type real,
                      int components);
  /// True when every problem of this block lies in the batch.
  mlir::Value blockIsFull(const Access &access, const digits::Mapping &mapping);
  /// True when the problem of a lane of register `r` lies in the batch.
  mlir::Value inBatch(const Access &access, const digits::Mapping &mapping, size_t r, int64_t lane);

  /// Appends the components of a register: one wide load where its lanes lie next to each other, else lane by lane.
  void loadRegister(const Address &address, size_t r, llvm::SmallVectorImpl<mlir::Value> &parts);
  void storeRegister(const Address &address, size_t r, llvm::ArrayRef<mlir::Value> parts);
  /// Puts the components of one lane into `vectors`.
  void loadLane(const Address &address, size_t r, int64_t lane, std::vector<mlir::Value> &vectors);
  void storeLane(const Address &address, size_t r, int64_t lane, llvm::ArrayRef<mlir::Value> parts);

  /// A scalar in every lane.
  static mlir::Value splat(mlir::OpBuilder &b, mlir::Location loc, mlir::Value scalar, int64_t lanes);

private:
  std::vector<uint64_t> blockBits(const digits::Mapping &mapping, const std::function<uint64_t(int)> &target,
                                  int restBit) const;
  mlir::Value gep(mlir::Value base, mlir::Type real, int components, mlir::Value index);
  mlir::Value placeAt(const Address &address, size_t plane, size_t r, size_t lane);
  /// Number `c` of the element of a register and lane.
  mlir::Value numberAt(const Address &address, size_t r, size_t lane, int c);
  mlir::Value shuffle(mlir::Value x, mlir::Value y, llvm::ArrayRef<int32_t> mask);
};

} // namespace idc::conversion
