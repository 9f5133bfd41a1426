//===- ElementText.h - elements of an operand for people --------*- C++ -*-===//

#ifndef IDC_HOST_ELEMENTTEXT_H
#define IDC_HOST_ELEMENTTEXT_H

#include "host/NumberText.h"
#include "npy/Npy.h"

#include <vector>

namespace idc::host {

/// The digits of an index, least significant first, for radices in the same order.
std::vector<int> digitsOf(int64_t index, const std::vector<int> &radices);

/// The digits as people read them, most significant first: "1 0 2".
std::string digitsText(const std::vector<int> &digits);

/// Names of the digits from number `high` down to `low`: "i_1", "i_2 i_1", "i_12…i_1".
std::string digitNames(int high, int low);

/// Element number `element` of an array of which each has `components` entries: "0.5", "1-2i", "{a: 1, b: 2i}",
/// "[1, 2]".
std::string elementText(const npy::Array &array, int64_t element, int64_t components, int digits = shownDigits);

} // namespace idc::host

#endif // IDC_HOST_ELEMENTTEXT_H
