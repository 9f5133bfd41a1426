// A body of scalar ops as a linear map of real numbers.
#pragma once

#include "mlir/IR/Region.h"

#include <optional>
#include <vector>

namespace idc::conversion {

struct LinearBody {
  /// A row of coefficients for each real number of the results, complex ones real part first; a column for each real
  /// number of the arguments.
  std::vector<std::vector<double>> rows;
  int operations = 0; // additions and multiply-adds of the body as it is written
};

/// The map of a body that takes real multiples of its arguments' numbers and sums of them (products of complex numbers
/// with constants, too), all of one floating-point type. Nothing for any other body, and for one in which terms cancel:
/// their rounding errors may be what it is about.
std::optional<LinearBody> linearBodyOf(mlir::Region &body);

} // namespace idc::conversion
