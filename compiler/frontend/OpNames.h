// Operations as the language writes them.
#pragma once

#include "compiler/frontend/Elaborated.h"

namespace idc::frontend {

/// The operator, or the built-in function: "+", "xor", "select". Bits of `bool` are written otherwise.
const char *spelling(Op op);

} // namespace idc::frontend
