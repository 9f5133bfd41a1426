// Sections: the parts of a kernel's body that run between two barriers.
//
// A body with exchanges is cut where an exchange reads what the section before has made, and where the number of
// threads that hold the tiles changes:
//
//   load, nodes                 lane(9..4)   64 threads   section 0, writes e
//   e = exchange, nodes         lane(9..7)    8 threads   section 1, writes f
//   f = exchange, nodes         lane()        1 thread    section 2
//
// All threads run a section that all hold; else it is a branch, and values leave it through shared memory, or in the
// registers of its threads for a later branch of the same threads. id-place-barriers decides who meets between
// sections.
//
// A kernel is straight when each step makes one value and all tiles have the same digits, which are bits: then all
// threads hold all of it, an exchange is read where it is written, and addresses are put together from bits. It is one
// section, or one for each pass of a ring.
//
// A block of a kernel with a ring does one of its two passes: they share no section, and none waits for the other's.
//
// The sections of a cooperative kernel are in two halves: from the first one that waits for other blocks' posts on they
// belong to the second, which a block does one item later than the first (protocols/CooperativeRounds.h). What goes
// from one half to the other is parked: it has two places, which items use in turn.
#pragma once

#include "id/IdDialect.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <optional>

namespace idc::conversion {

struct Section {
  mlir::Block::iterator first, end;
  int64_t threads = 1;
  llvm::SmallVector<id::ExchangeOp> writes;       // exchanges of values that it makes
  llvm::SmallVector<id::LoadOp, 1> stagedLoads;   // what the block has copied before
  llvm::SmallVector<id::StoreOp, 1> stagedStores; // what it copies behind
  llvm::SmallVector<mlir::Value> kept;            // tiles that a branch makes and later ones use

  /// Who meets before it: the most that any exchange or staged load that it reads asks for.
  id::Meeting meeting() const;
  /// The exchanges that it reads whose words are waited for instead.
  llvm::SmallVector<id::ExchangeOp> awaited() const;
  /// Who meets, besides, before its exchanges and staged stores are written.
  id::Meeting beforeWrites() const;
};

struct Sections {
  bool straight = false; // exchanges are written, met and read where they stand, by bits
  llvm::SmallVector<Section> sections;
  llvm::DenseMap<mlir::Operation *, size_t> sectionOf;
  int64_t threads = 1;   // of the widest tile
  size_t secondPass = 0; // of a kernel with a ring: the first section that comes behind it
  // Of a cooperative kernel:
  size_t firstHalf = 0;                     // sections before it waits
  llvm::DenseSet<mlir::Operation *> parked; // exchanges from one half to the other

  bool isFirstHalf(const Section &section) const { return &section < sections.begin() + firstHalf; }
  size_t makerOf(mlir::Value value) const { return sectionOf.lookup(value.getDefiningOp()); }
};

/// Cuts the body of a kernel, whose warps have so many lanes; the exchanges must be planned. What sections say of
/// meetings is what id-place-barriers has written.
Sections cutSections(id::KernelOp kernel, int64_t lanes);

/// The whole body as one section, where each step makes one value and all tiles have the same digits, of any radices,
/// none of which numbers blocks: exchanges are written and read where they stand. Nothing for other kernels.
std::optional<Sections> flatSection(id::KernelOp kernel);

/// Fails, with an error at the op, where a value would be used by other blocks than those that hold it.
mlir::LogicalResult checkHalves(id::KernelOp kernel, const Sections &cut);

/// True for exchanges through memory: shared memory of the block or of the cluster, or posts.
bool isThroughMemory(mlir::Operation *op);

/// True for exchanges that write into the shared memory of other blocks, and for those that read it.
bool sendsToBlocks(mlir::Operation *op);
bool readsBlocks(mlir::Operation *op);

/// True for loads and stores of a block in one stretch.
bool isStaged(mlir::Operation *op);
/// True where a kernel has such.
bool stages(id::KernelOp kernel);

/// True for exchanges between the blocks of a grid.
bool isPosted(mlir::Operation *op);

/// True for nodes on digits that a block works through in turns.
bool actsOnTurns(mlir::Operation *op);
/// Numbers that turns keep for later ones lie so many bytes apart.
constexpr int64_t keptNumberBytes = 8;
/// The operands of a node that are arrays of its digits: of one on turns, pairs.
llvm::SmallVector<mlir::Value> pairsOf(id::NodeOp node);

/// How the elements of an exchange are cut into words of shared memory.
struct ExchangeWords {
  mlir::Type unit;                     // of one number; null: numbers of several sizes
  int perWord = 1;                     // numbers of a word; of several sizes: one, or the half of one of 8 bytes
  llvm::SmallVector<mlir::Type> types; // of an element's words
  int64_t bytes = 4;                   // of a word
  int64_t setBytes = 0;                // of one word of every element; then come all second words
  int64_t totalBytes() const { return setBytes * static_cast<int64_t>(types.size()); }
};
ExchangeWords wordsOf(id::ExchangeOp exchange);

} // namespace idc::conversion
