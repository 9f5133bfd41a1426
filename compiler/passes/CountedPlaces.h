// Operands that are gathered, as the planner of phases sees them: which elements the threads of a warp take.
#pragma once

#include "compiler/passes/Steps.h"
#include "compiler/passes/Target.h"

#include "id/IndexCode.h"

namespace idc::passes {

/// The number of the element that an operand takes, computed of digits on some axes.
class CountedPlaces {
public:
  /// Nothing where the operand is no gather, perhaps moved, or run-time scalars decide.
  static std::optional<CountedPlaces> of(const FlowGroup &group, mlir::OpOperand &operand);

  /// The axes by what the next value of each adds to the number, least first: lanes with the lowest take neighbours.
  llvm::SmallVector<int> order();

  /// The sectors that the elements of a warp lie in, over those that they fill, at least 1. `lanes`: the axes that
  /// threads hold, the lowest lanes first.
  double scattered(llvm::ArrayRef<int> lanes, const Target &target);

private:
  id::IndexCode code;
  llvm::SmallVector<int32_t> radices;
  llvm::SmallVector<int> axes; // of the digits
  int64_t bytes;               // of an element

  CountedPlaces(id::IndexCode code, llvm::ArrayRef<int32_t> radices, int64_t bytes)
      : code(std::move(code)), radices(radices), bytes(bytes) {}

  /// The number where these axes have so many values more than somewhere in the middle, and all others as many.
  std::optional<int64_t> at(llvm::ArrayRef<std::pair<int, int64_t>> values);
};

} // namespace idc::passes
