//===- Sketch.h - a small summary of a large result -------------*- C++ -*-===//
//
// Two results that are too large to lie side by side, made on different machines, are compared by sketches of some
// thousand bytes: real numbers up to rounding, everything else exactly.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_HOST_SKETCH_H
#define IDC_HOST_SKETCH_H

#include "host/ElementType.h"

#include <array>

namespace idc::host {

/// The count sketch (Charikar, Chen, Farach-Colton: Finding frequent items in data streams, 2002): every real number is
/// added, with a random sign, to one of the sums; which one and the sign depend on its position only. It is linear, and
/// the squared length of a sketch is an unbiased estimate of that of the data, with a relative standard deviation of
/// √(2/512) = 6 %. So the difference of two sketches estimates the distance of the data, and a single wrong number
/// shows as if nothing had been summed.
struct Sketch {
  static constexpr size_t size = 512;
  std::array<double, size> sums{}; ///< of the finite real numbers
  uint64_t hash = 0;               ///< of the values and positions of integers, of the positions of NaN and infinities

  /// Of `elements` elements laid out as `type`; padding does not count. Independent of the machine and of the number
  /// of threads.
  static Sketch of(const char *data, int64_t elements, const ElementType &type);

  /// Reads and writes a .npy file of words. Both throw npy::Error, read also Error for a file that is no sketch.
  static Sketch read(const std::string &path);
  void write(const std::string &path) const;
};

/// Estimates |actual - expected| / |expected| in the L2 norm over the real numbers; |actual - expected| when the
/// reference is zero. Infinite when anything that is no finite real number differs.
double relativeError(const Sketch &actual, const Sketch &expected);

} // namespace idc::host

#endif // IDC_HOST_SKETCH_H
