// The order of the passes, by level.
#pragma once

#include "mlir/Pass/PassManager.h"

#include <string>

namespace idc::passes {

/// Algebra -> digit flow.
void buildFlowPipeline(mlir::OpPassManager &manager);
/// Digit flow -> kernels with planned exchanges for the named target.
void buildStagePipeline(mlir::OpPassManager &manager, const std::string &target);
/// `id-to-flow` and `id-to-stages{target=…}` for idc-opt.
void registerPipelines();

} // namespace idc::passes
