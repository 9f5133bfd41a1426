// Declarations of the passes of Passes.td.
#pragma once

#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/Pass.h"

namespace idc::conversion {
#define GEN_PASS_DECL
#include "compiler/conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/conversion/Passes.h.inc"
} // namespace idc::conversion
