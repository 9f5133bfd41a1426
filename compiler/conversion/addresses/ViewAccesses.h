// Loads and stores of tiles whose addresses are linear forms in digits of any radices: buffers, and parts of them,
// permuted, of other lengths, joined.
//
// A load from a view with bounds does not branch: what lies outside is read where the first thread reads, which is
// inside, and replaced.
#pragma once

#include "compiler/conversion/Bodies.h"
#include "compiler/conversion/addresses/Accesses.h"
#include "compiler/conversion/addresses/FormPlace.h"
#include "compiler/conversion/addresses/TileSlots.h"

namespace idc::conversion {

class ViewAccesses : public Accesses {
public:
  /// `buffers`: the memory of the kernel's buffers. `bodies` say what lies outside of one.
  ViewAccesses(TileCode &code, FormPlace &place, const llvm::DenseMap<mlir::Value, BufferMemory> &buffers,
               Bodies &bodies)
      : code(code), b(code.b), loc(code.loc), place(place), buffers(buffers), bodies(bodies) {}

  /// The problem at which the memory begins, i64; null: the first one of the batch.
  mlir::Value origin;

  /// Several tiles that are loaded between two exchanges are all on their way before one is waited for.
  bool inOrder = false;

  mlir::FailureOr<Tile> load(id::LoadOp op, llvm::function_ref<void()> ready) override;
  mlir::LogicalResult store(id::StoreOp op, const Tile &tile) override;

private:
  TileCode &code;
  mlir::OpBuilder &b;
  mlir::Location loc;
  FormPlace &place;
  const llvm::DenseMap<mlir::Value, BufferMemory> &buffers;
  Bodies &bodies;
  bool ordered = false; // the tile that is being loaded is one of several

  /// Where the elements of a tile lie that are of one problem and whose register digits are zero.
  struct Start {
    mlir::Value element; // of this thread
    mlir::Value first;   // of the first one
  };
  /// In each plane, for registers that add this to the number of their device; for each device where a store goes to
  /// all of them.
  using Starts = llvm::SmallVector<Start, 1>;
  Starts startsOf(const ViewLayout &layout, const Tile &tile, int64_t inRegisters, int64_t device);
  llvm::SmallVector<Starts, 1> startsToStore(const ViewLayout &layout, const Tile &tile, int64_t inRegisters,
                                             int64_t device);
  Start startOf(const ViewLayout &layout, const Tile &tile, int64_t inRegisters, mlir::Value plane, int64_t bytes);
  /// What the digits of the first thread add to a form: those that are least in what bounds compare and, where none
  /// does, in the address. Where a thread's elements are inside, those of the first thread are, too, unless bounds
  /// count a digit in opposite directions.
  int64_t ofFirstThread(const ViewLayout &layout, const Tile &tile, const digits::LinearForm &form) const;

  /// For each bound of a view whether a slot is inside: a test, null where it always is. `outside` is the last bound
  /// that it is never inside of, or -1.
  struct Tests {
    llvm::SmallVector<mlir::Value> inside;
    int outside = -1;
  };
  Tests testsOf(const ViewLayout &layout, const Tile &tile, const Slot &slot);
  mlir::Value allOf(llvm::ArrayRef<mlir::Value> tests);
  /// True when the first thread's part of a slot is in the buffer.
  bool isFirstInside(const ViewLayout &layout, const Tile &tile, const Slot &slot) const;

  /// True for what is of the own device where it alone stores it; null where all is stored.
  mlir::Value isOwn(const ViewLayout &layout, const Tile &tile, const Slot &slot);

  using Fills = std::vector<llvm::SmallVector<mlir::Value>>;
  /// The numbers of an element beyond each bound.
  mlir::FailureOr<Fills> fillsOf(const ViewLayout &layout, const Tile &tile);

  /// Gives the slots their values, every `together` problems being taken as one.
  void loadAll(std::vector<Slot> &slots, const ViewLayout &layout, const Tile &tile, int64_t together,
               const Fills &fills);
  /// What lies outside is read where the first thread reads, and then replaced. Where that is not inside, what lies
  /// outside is not read.
  void loadRun(const ViewLayout &layout, const Tile &tile, const Start &start, std::vector<Slot> &slots, Run run,
               const Fills &fills);
  /// The same with tests of the whole batch, for problems that are taken together where all are in it.
  void loadTogether(std::vector<Slot> &slots, const ViewLayout &layout, const Tile &tile, int64_t together,
                    const Fills &fills);
  void storeAll(std::vector<Slot> slots, const ViewLayout &layout, const Tile &tile, int64_t together, bool guarded);
  void storeRun(const ViewLayout &layout, const Tile &tile, const Start &start, llvm::ArrayRef<Slot> slots, Run run);
};

} // namespace idc::conversion
