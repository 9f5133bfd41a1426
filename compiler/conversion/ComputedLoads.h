// How often a kernel takes a sequence of which it loads elements in computed places.
#pragma once

#include "compiler/passes/Target.h"

#include "id/IdDialect.h"

namespace idc::conversion {

/// The number of a kernel's loads of a sequence, at least 1, but for those whose elements lie as near to another's as
/// what a block has of it is long: these find in a cache what that one has loaded, as neighbours in a row do. Those of
/// other rows do not. Where no load begins where sectors do, a warp's takes a sector more. How far elements lie from
/// where they would be if no place were computed is tried at one that is near no border; where that is known at run
/// time only, or cannot be said, a load is one of its own.
double timesLoaded(id::KernelOp kernel, mlir::Value sequence, const passes::Target &machine);

} // namespace idc::conversion
