// Proof that a body is linear.
#pragma once

#include "mlir/IR/Region.h"

namespace idc::passes {

/// True when the body is seen to compute each result as a sum of its arguments times constants, over the field of the
/// elements (so conj, re, im, comparisons and index-dependent factors do not qualify).
bool isLinear(mlir::Region &body);

} // namespace idc::passes
