// id.lookup: an element of a table of constants, which lies in the module, equal ones once.
#pragma once

#include "compiler/conversion/TileCode.h"

#include "id/IdDialect.h"

namespace idc::conversion {

/// Element `index` of the op's values. The index is an i64, or on a CPU a vector of them: then so is the element.
Leaf lookUp(TileCode &code, id::LookupOp op, mlir::Value index);

} // namespace idc::conversion
