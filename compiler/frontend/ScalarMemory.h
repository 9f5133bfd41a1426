// Elements in memory as the values of the evaluator, and back.
#pragma once

#include "compiler/frontend/Evaluate.h"

#include "host/ElementType.h"

#include <vector>

namespace idc::frontend {

/// The leaves of `elements` elements, element after element, in layout order.
std::vector<Scalar> loadScalars(const char *from, const host::ElementType &type, int64_t elements);

/// The inverse: every leaf is rounded or wrapped to its type. Padding is left as it is.
void storeScalars(const std::vector<Scalar> &leaves, const host::ElementType &type, char *to);

} // namespace idc::frontend
