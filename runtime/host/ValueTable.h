//===- ValueTable.h - the elements of an operand as a table -----*- C++ -*-===//

#ifndef IDC_HOST_VALUETABLE_H
#define IDC_HOST_VALUETABLE_H

#include "npy/Npy.h"

#include <ostream>
#include <vector>

namespace idc::host {

/// Writes the elements of one problem as a table by the digits of their index, whose radices are given least
/// significant first: a row for each choice of the high digits, a column for each of the low ones. Of many rows the
/// first and the last are shown, and how many are left out.
void printTable(std::ostream &out, const npy::Array &values, const std::vector<int> &radices);

} // namespace idc::host

#endif // IDC_HOST_VALUETABLE_H
