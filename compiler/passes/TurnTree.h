// Trees whose highest digits come one value after the other.
//
// A block that works through the values of some digits in turns has, at each of them, the totals of what came before
// and of nothing else. A tree can be evaluated so when what its expansion gives the first half of a digit's values
// needs nothing of the tree below, and what it gives the second half needs of it what comes from the first half only;
// and when the expansion starts from nothing that the tree adds up. That is read off the bodies' data dependences.
#pragma once

#include "id/IdDialect.h"

#include <optional>

namespace idc::passes {

/// Nodes of one digit of radix 2 each, lowest digit first: `up[j]` contracts a digit, `down[j]` inserts it again and
/// takes what up[j] kept.
struct TurnTree {
  llvm::SmallVector<id::NodeOp> up, down;
  llvm::SmallVector<unsigned> total;        // the result of up[j] that the next one takes
  llvm::SmallVector<unsigned> parent;       // the operand of down[j] that is made above
  llvm::SmallVector<mlir::Operation *> top; // pointwise steps between
};

/// The tree that these steps are, in the order of the program: contractions, pointwise steps, expansions. Nothing where
/// they are something else, or need a value before it is there. `begun`: expansions may be missing.
std::optional<TurnTree> findTurnTree(llvm::ArrayRef<mlir::Operation *> steps, bool begun = false);

} // namespace idc::passes
