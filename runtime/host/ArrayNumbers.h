//===- ArrayNumbers.h - the numbers of a NumPy array ------------*- C++ -*-===//

#ifndef IDC_HOST_ARRAYNUMBERS_H
#define IDC_HOST_ARRAYNUMBERS_H

#include "npy/Npy.h"

#include <vector>

namespace idc::host {

bool isComplex(npy::DType type);
/// Whether it has a sign and a point.
bool isReal(npy::DType type);

/// The numbers of an element: of a record its fields, else one without a name.
std::vector<npy::Field> numbersOf(const npy::Array &array);

/// A part of number `field` of element `element`: 0, or 1 for the imaginary part. Long double holds every 64-bit
/// integer exactly on x86 and Arm.
long double part(const npy::Array &array, const npy::Field &field, int64_t element, int part);

} // namespace idc::host

#endif // IDC_HOST_ARRAYNUMBERS_H
