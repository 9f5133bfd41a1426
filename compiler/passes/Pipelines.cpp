// The order of the passes and the reason for each place.
#include "compiler/passes/Pipelines.h"

#include "compiler/passes/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace idc;

void passes::buildFlowPipeline(OpPassManager &manager) {
  OpPassManager &function = manager.nest<func::FuncOp>();
  // Before anything looks at a digit: a step over a part of what was one digit is a step like any other.
  function.addPass(createSplitDigits());
  // Bodies first: a folded body may show a product with a root of unity that was hidden by index arithmetic.
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
  // Before the permutations move, since a twiddle is renamed by substitution but a body op by op.
  function.addPass(createExtractTwiddles());
  function.addPass(createPushPermutations());
  // Needs digits that name the same thing all along the program, so after the permutations are gone.
  function.addPass(createOrderSteps());
  // Merges the twiddle terms that ended up next to each other, and drops bodies nothing uses.
  function.addPass(createCanonicalizerPass());
}

void passes::buildStagePipeline(OpPassManager &manager, const std::string &target, const std::string &plan,
                                unsigned candidate) {
  OpPassManager &function = manager.nest<func::FuncOp>();
  PlanStagesOptions stages;
  stages.target = target;
  stages.plan = plan;
  stages.candidate = candidate;
  function.addPass(createPlanStages(stages));
  BuildKernelsOptions build;
  build.target = target;
  build.plan = plan;
  function.addPass(createBuildKernels(build));
  // Last: only the built kernels know which mappings follow each other.
  function.addPass(createPlanExchanges());
}

namespace {
struct StageOptions : PassPipelineOptions<StageOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("machine to plan for"), llvm::cl::init("sm_90")};
  Option<std::string> plan{*this, "plan", llvm::cl::desc("throughput or latency"), llvm::cl::init("throughput")};
};
} // namespace

void passes::registerPipelines() {
  PassPipelineRegistration<>("id-to-flow", "algebra to digit flow", buildFlowPipeline);
  PassPipelineRegistration<StageOptions>("id-to-stages", "digit flow to planned kernels",
                                         [](OpPassManager &manager, const StageOptions &options) {
                                           buildStagePipeline(manager, options.target, options.plan);
                                         });
}
