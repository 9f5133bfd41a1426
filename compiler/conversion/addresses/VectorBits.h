// The elements of a CPU's vectors by bits: those that number vectors and those that number their lanes.
//
// Eight vectors of eight lanes have their elements numbered by three bits of vectors and three of lanes. A bit of
// vectors and one of lanes change places by one shuffle of two vectors each, the step of a matrix transposition in
// registers; so do the numbers of complex elements, whose lowest bit in memory is one of vectors in registers. Lanes
// change places among themselves in the last of these shuffles, or in one of their own.
#pragma once

#include "mlir/IR/Builders.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace idc::conversion {

/// What the bits stand for, by any numbers that differ, the lowest bit first.
struct VectorBits {
  std::vector<int> vectors, lanes;
};

/// Moves elements from the arrangement `from` to `to`, which has the same bits: `vectors` are 2^(bits of vectors)
/// values, vectors of 2^(bits of lanes) elements.
void rearrange(mlir::OpBuilder &b, mlir::Location loc, llvm::SmallVectorImpl<mlir::Value> &vectors, VectorBits from,
               const VectorBits &to);

} // namespace idc::conversion
