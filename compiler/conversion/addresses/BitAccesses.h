// Loads and stores of tiles whose addresses are put together from bits: the fast path for whole buffers of radix 2.
//
// An access moves as many neighbouring registers as alignment allows, up to 16 bytes, at a constant distance from the
// thread's first address. Blocks that lie wholly in the batch take a path without tests.
#pragma once

#include "compiler/conversion/Buffers.h"
#include "compiler/conversion/addresses/Accesses.h"
#include "compiler/conversion/addresses/BitPlace.h"

namespace idc::conversion {

class BitAccesses : public Accesses {
public:
  /// `vectorBytes`: of the widest access. `buffers`: the memory of the kernel's buffers.
  BitAccesses(TileCode &code, BitPlace &place, const llvm::DenseMap<mlir::Value, BufferMemory> &buffers,
              int64_t vectorBytes)
      : code(code), b(code.b), loc(code.loc), place(place), buffers(buffers), vectorBytes(vectorBytes) {}

  mlir::FailureOr<Tile> load(id::LoadOp op, llvm::function_ref<void()> ready) override;
  mlir::LogicalResult store(id::StoreOp op, const Tile &tile) override;

private:
  TileCode &code;
  mlir::OpBuilder &b;
  mlir::Location loc;
  BitPlace &place;
  const llvm::DenseMap<mlir::Value, BufferMemory> &buffers;
  const int64_t vectorBytes;

  struct Address {
    /// Pointers to the thread's element 0, in each plane; one list for each of several devices whose memory its
    /// registers are in.
    llvm::SmallVector<llvm::SmallVector<mlir::Value, 1>, 1> bases;
    std::vector<int64_t> regs;  // element offset per register number
    std::vector<size_t> device; // which of the lists it is, per register number
    bool isForAll = false;      // a store goes to all of them
    /// Where a device stores its own part only, per register number: it is of that; null: all is stored.
    std::vector<mlir::Value> isOwn;

    size_t planes() const { return bases.front().size(); }
  };

  /// What lies at each place of a plane: an element, or one of its numbers.
  struct Unit {
    mlir::Type number;
    int components; // numbers
    int64_t bytes;
    mlir::Type type() const;
  };

  /// The accesses that move 2^k neighbouring elements: each as wide as the size of all of them allows.
  struct Pieces {
    mlir::Type type; // a number or a vector of them
    int64_t bytes, count;
  };

  /// Fails, with an error at the op, where numbers of an element differ in size.
  static mlir::FailureOr<Unit> unitOf(mlir::Operation *op, const BufferMemory &buffer, mlir::Type element);
  /// The place of number `c` of the k-th of `length` neighbouring elements: plane by plane, in each element by element.
  static size_t numberInGroup(const Unit &unit, size_t length, size_t k, int c);
  /// The most elements that one access takes.
  int64_t maxVector(const BufferMemory &buffer, const Unit &unit) const;
  Pieces piecesOf(const Unit &unit, size_t vectorBits) const;

  Address makeAddress(const Access &access, const digits::Mapping &mapping, const BufferMemory &buffer,
                      const Unit &unit);
  /// The same for any layout: the bits of the address fall into fields, one for each dimension and one for the problem,
  /// each with a distance of its own.
  Address laidOutAddress(const Access &access, const digits::Mapping &mapping, const BufferMemory &buffer,
                         const Unit &unit);
  /// The planes of the devices whose memory a thread reaches, from its element 0 on.
  void addBases(Address &address, const Access &access, const digits::Mapping &mapping, const BufferMemory &buffer,
                llvm::function_ref<mlir::Value(mlir::Value)> elementZero);
  mlir::Value pointerAt(const Address &address, size_t device, size_t plane, size_t r, const Unit &unit);

  mlir::Value offset(mlir::Value base, mlir::Type elementType, mlir::Value index);
  mlir::Value pieceAt(mlir::Value pointer, const Pieces &pieces, int64_t i);
};

} // namespace idc::conversion
