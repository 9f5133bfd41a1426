//===- Arrays.h - operands as NumPy arrays ----------------------*- C++ -*-===//

#ifndef IDC_HOST_ARRAYS_H
#define IDC_HOST_ARRAYS_H

#include "host/ElementType.h"
#include "npy/Npy.h"

namespace idc::host {

/// The bytes of an operand of `elements` elements in all, from an array of any shape. Throws Error when the array has
/// another element type or size, or when a value of mod<P> is not below P. `what` names the operand in messages.
std::vector<char> fromArray(npy::Array array, const ElementType &type, int64_t elements, const std::string &what);

/// An operand as an array of shape (batch, elements per problem), with a third dimension when an element has several
/// components of one type. Records of several types, or with padding, are records of the file, without padding.
npy::Array toArray(std::vector<char> data, const ElementType &type, int64_t batch, int64_t elementsPerProblem);

/// |actual - expected| / |expected| in the L2 norm over all elements; |actual| when the reference is zero. Equal
/// infinities count as equal, and so do two numbers that are none; not a number when only one side is none, or
/// infinities differ. The error of records is that of their worst field. Throws Error when the arrays have different
/// sizes or only one is complex. `what` names the operand in messages.
double relativeError(const npy::Array &actual, const npy::Array &expected, const std::string &what);

} // namespace idc::host

#endif // IDC_HOST_ARRAYS_H
