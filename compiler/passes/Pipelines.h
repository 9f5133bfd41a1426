// The order of the passes, by level.
#pragma once

#include "mlir/Pass/PassManager.h"

#include <string>

namespace idc::passes {

/// Algebra -> digit flow for the named target.
void buildFlowPipeline(mlir::OpPassManager &manager, const std::string &target);
/// Digit flow -> kernels with planned exchanges for the named target and plan; `candidate` counts the plan's schedules,
/// best first, so many of which from there on are `listed` on the function. `dissolve`: chains may become groups to
/// save kernels.
void buildStagePipeline(mlir::OpPassManager &manager, const std::string &target, const std::string &plan = "throughput",
                        unsigned candidate = 0, unsigned listed = 0, bool dissolve = true);
/// `id-to-flow{target=…}` and `id-to-stages{target=… plan=…}` for idc-opt.
void registerPipelines();

} // namespace idc::passes
