// Floating-point numbers of 16 bits on CPUs.
#pragma once

#include "mlir/Pass/PassManager.h"

namespace idc::codegen {

/// Adds passes after which a module for a CPU computes with f16 and bf16 as LLVM's back ends can without functions of a
/// compiler's run-time library, of which not every system has all: bf16 by operations on f32 and integers, and fused
/// multiply-adds and conversions from f64 rounded once, as far as two roundings can.
void addNarrowFloatPasses(mlir::PassManager &manager);

} // namespace idc::codegen
