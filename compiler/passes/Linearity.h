// Proof that a body is linear: its matrix, or nothing.
#pragma once

#include "mlir/IR/Region.h"

#include <complex>
#include <optional>
#include <vector>

namespace idc::passes {

/// Row i, column j: the coefficient of argument j in result i.
using LinearMatrix = std::vector<std::vector<std::complex<double>>>;

/// The matrix of a body that computes each result as a sum of its arguments times constants, over the field of the
/// elements (so conj, re, im, comparisons and index-dependent factors do not qualify); nullopt otherwise. Found by
/// evaluating the body on linear forms: values are either constants or coefficient vectors.
std::optional<LinearMatrix> linearMatrix(mlir::Region &body);

} // namespace idc::passes
