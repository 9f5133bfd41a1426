// The adjoint of a program as a program: text in the language.
#pragma once

#include "compiler/frontend/Elaborate.h"

#include <optional>
#include <string>
#include <vector>

namespace idc::adjoint {

/// The text of the adjoint of the algorithm `entry` (Adjoint.h), in the style of `idc format`. Its entry is
/// `entry`_adjoint; inputs and results have the dimensions that those of `entry` declare. On a mistake reports it and
/// returns nothing.
std::optional<std::string> writeAdjoint(const frontend::Source &source, const std::string &entry,
                                        const frontend::SizeMap &sizes, const frontend::TypeMap &types,
                                        const std::vector<std::string> &withRespectTo,
                                        frontend::Diagnostics &diagnostics);

} // namespace idc::adjoint
