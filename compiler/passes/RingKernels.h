// Two kernels that follow each other as two passes of one launch, with rings between them (id.ring).
#pragma once

#include "id/IdDialect.h"

#include <string>

namespace idc::passes {

/// What keeps two kernels of a function, one right behind the other, from being passes of one; empty: nothing does.
std::string whyNoRing(id::KernelOp first, id::KernelOp second);

/// Makes the second kernel both passes, with memory for `slots` problems of what the first one stores; its tile k comes
/// `delay` tiles later. The first one is erased.
void joinAsPasses(id::KernelOp first, id::KernelOp second, int64_t slots, int64_t delay);

} // namespace idc::passes
