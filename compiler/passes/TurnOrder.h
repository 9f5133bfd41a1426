// Steps on digits whose values come one after the other.
//
// A block that works through the values of some digits in turns, the lowest digit's first, has at each turn the
// elements that belong to it: of a value, the one with the turn's digits. A node on such a digit, of radix 2, gets the
// first of its two elements from the turns before where it is at the second one; which is all that is carried from turn
// to turn. So every value is known at some turns, by what it depends on: always; where a digit is at its second value;
// or when the turns of all digits that the value lacks are over. That is read off the bodies, node by node, and a
// sequence of steps can be done in turns when no node takes something before it is known.
#pragma once

#include "id/IdDialect.h"

#include <optional>

namespace idc::passes {

/// Of a node, the number of the digit of the turns that it acts on, 0 the lowest; nothing of other steps.
using TurnOf = llvm::function_ref<std::optional<int>(mlir::Operation *)>;

/// The steps from the first to the last node that acts on turns; none where none does.
llvm::ArrayRef<mlir::Operation *> stepsOnTurns(llvm::ArrayRef<mlir::Operation *> steps, TurnOf turnOf);

/// True when the steps, which have all nodes on turns among them, can be done in turns, and what others use of a value
/// that has all these digits is always known.
bool canBeDoneInTurns(llvm::ArrayRef<mlir::Operation *> steps, TurnOf turnOf);

} // namespace idc::passes
