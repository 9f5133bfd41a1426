//===- Mismatch.h - where an output misses its reference --------*- C++ -*-===//

#ifndef IDC_HOST_MISMATCH_H
#define IDC_HOST_MISMATCH_H

#include "npy/Npy.h"

#include <string>
#include <vector>

namespace idc::host {

/// What the elements of an operand are.
struct Elements {
  int64_t problems = 1, elementsPerProblem = 1;
  int64_t firstProblem = 0;      ///< number of the first one in the batch
  std::vector<int> radices = {}; ///< of a problem's index, least significant first; empty: not known
};

/// Which elements are wrong, in lines for people: how many and what their digits have in common, and the first of them
/// with what it is and should be. An element is wrong when one of its numbers differs by more than `tolerance` times
/// the root mean square of these numbers in the reference, so that there is one whenever relativeError() (Arrays.h) is
/// above `tolerance`; empty when there is none. The arrays are such that relativeError() takes them.
std::string describeMismatch(const npy::Array &actual, const npy::Array &expected, const Elements &elements,
                             double tolerance);

} // namespace idc::host

#endif // IDC_HOST_MISMATCH_H
