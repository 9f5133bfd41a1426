// Sequences that are known when a program is compiled: arguments of its function that have their bytes with them.
#pragma once

namespace idc::id {

/// On an argument: the memory of one problem's elements, the same for all of the batch, as dense i8. No caller passes
/// it; kernels read it from the module.
constexpr const char dataAttr[] = "id.data";

} // namespace idc::id
