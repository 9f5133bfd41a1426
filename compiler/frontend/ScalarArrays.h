// Values of the evaluator as NumPy arrays.
#pragma once

#include "compiler/frontend/Elaborated.h"

#include "host/ElementType.h"
#include "npy/Npy.h"

#include <vector>

namespace idc::frontend {

/// The leaves of elements of `type` in one dimension, without the precision of their types: reals as f8, complex
/// numbers as c16, integers as i8 or u8, records as records of these. Complex numbers that NumPy has no type for are
/// pairs.
npy::Array toArray(const std::vector<Scalar> &leaves, const host::ElementType &type);

} // namespace idc::frontend
