//===- Scalars.h - run-time scalars from text -------------------*- C++ -*-===//

#ifndef IDC_HOST_SCALARS_H
#define IDC_HOST_SCALARS_H

#include "idc/runtime.h"

#include <string>
#include <vector>

namespace idc::host {

/// The bytes of the module's run-time scalars, in manifest order, from settings NAME=VALUE in any order. A value is a
/// number that the type holds; of a complex scalar RE,IM or RE; of bool true, false, 1 or 0; of mod<P> a residue below
/// P. Throws Error for a setting of another form or type, an unknown name, one set twice, and a scalar without a value.
std::vector<std::vector<char>> scalarValues(const idc_module *module, const std::vector<std::string> &settings);

} // namespace idc::host

#endif // IDC_HOST_SCALARS_H
