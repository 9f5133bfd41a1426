// Declarations of the passes of Passes.td.
#pragma once

#include "id/IdDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace idc::passes {
/// On the steps that id-batch-alike has made, until id-fuse-splits.
constexpr llvm::StringLiteral batchedAttr = "id.batched";

#define GEN_PASS_DECL
#include "compiler/passes/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/passes/Passes.h.inc"
} // namespace idc::passes
