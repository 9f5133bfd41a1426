// Proof that a body is linear, and that two linear bodies may change places.
#pragma once

#include "mlir/IR/Region.h"

#include <complex>
#include <optional>
#include <vector>

namespace idc::passes {

/// True when the body is seen to compute each result as a sum of its arguments times constants, over the field of the
/// elements (so conj, re, im, comparisons and index-dependent factors do not qualify).
bool isLinear(mlir::Region &body);

/// What a linear body does to the leaves inside of an element: the matrices from the leaves of one element of its
/// arguments to those of one element of its results, but for multiples of the identity, each once.
///
/// Bodies on different digits are products A ⊗ B of such matrices, so they commute exactly when each matrix of one
/// commutes with each of the other. Elements of one leaf have multiples of the identity only.
class LeafMatrices {
public:
  /// Of a body that is linear, its elements having so many leaves.
  LeafMatrices(mlir::Region &body, size_t leaves);

  /// Sums of real and complex numbers are compared up to the rounding of double.
  bool commuteWith(const LeafMatrices &other) const;

private:
  struct Coefficient {
    std::complex<double> number; // of real and complex leaves
    uint64_t residue = 0;        // of those of prime fields
    bool operator==(const Coefficient &o) const { return number == o.number && residue == o.residue; }
  };
  using Matrix = std::vector<Coefficient>; // row by row
  struct Evaluation;

  size_t leaves;
  std::vector<uint64_t> moduli;                // of the leaves; 0: real, complex
  std::optional<std::vector<Matrix>> matrices; // nothing: too many, or too large or small numbers, to be sure of
};

} // namespace idc::passes
