// The order of the passes and the reason for each place.
#include "compiler/passes/Pipelines.h"

#include "compiler/passes/Passes.h"

#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace idc;

void passes::buildFlowPipeline(OpPassManager &manager, const std::string &target) {
  OpPassManager &function = manager.nest<func::FuncOp>();
  // First: steps on elements are what most of what follows moves and joins.
  function.addPass(createNodesByElement());
  // Steps would go to both halves' elements otherwise.
  function.addPass(createJoinHalves());
  // The ends, and what digits become longer for, are what is left then.
  function.addPass(createMovePointwise());
  // What the ends are the beginnings of is written next to them now.
  function.addPass(createLengthenArrays());
  // While a digit is what the program calls one: its new radix is split like any other.
  PadDigitsOptions pad;
  pad.target = target;
  function.addPass(createPadDigits(pad));
  // Before anything looks at a digit: a step over a part of what was one digit is a step like any other.
  function.addPass(createSplitDigits());
  // Bodies first: a folded body may show a product with a root of unity that was hidden by index arithmetic.
  function.addPass(createCanonicalizerPass());
  function.addPass(createCSEPass());
  // Equal ops have met; what is longer below is found once.
  function.addPass(createBatchAlike());
  // The ends of what is done alike begin and end nodes, which are those of digits now.
  function.addPass(createFuseSplits());
  // Conditions are folded; what meets gathers then is composed with them.
  function.addPass(createChooseNumbers());
  function.addPass(createGatherMoves());
  function.addPass(createCanonicalizerPass());
  // After equal ones have met and opposite ones are gone.
  function.addPass(createReshape());
  // Nodes at the ends see arguments and results now.
  function.addPass(createPairArrays());
  // Before the permutations move, since a twiddle is renamed by substitution but a body op by op.
  function.addPass(createExtractTwiddles());
  function.addPass(createPushPermutations());
  // Where a digit is in the value that a step takes is known now, and steps still get their order.
  ExpandRepeatsOptions expand;
  expand.target = target;
  function.addPass(createExpandRepeats(expand));
  // Needs digits that name the same thing all along the program, so after the permutations are gone. The chains are
  // those of no machine: results and their order are the same on every one.
  FormChainsOptions anywhere;
  anywhere.target = "";
  function.addPass(createFormChains(anywhere));
  function.addPass(createOrderSteps());
  // Gathers are composed, and what is known of their maps is known.
  function.addPass(createTabulateGathers());
  // Merges the twiddle terms that ended up next to each other, and drops bodies nothing uses.
  function.addPass(createCanonicalizerPass());
}

void passes::buildStagePipeline(OpPassManager &manager, const std::string &target, const std::string &plan,
                                unsigned candidate, unsigned listed, bool dissolve) {
  OpPassManager &function = manager.nest<func::FuncOp>();
  // Steps that are done alike on parts have met, at several digits, too.
  function.addPass(createSplitPlanes());
  // Permutations have met, and nothing folds them any more.
  function.addPass(createOrderStored());
  // Before chains end where something is scattered.
  InvertScattersOptions invert;
  invert.target = target;
  function.addPass(createInvertScatters(invert));
  // Scatters that blocks can do are gathers; what no block holds whole is still as the program says.
  OverlapTilesOptions overlap;
  overlap.target = target;
  function.addPass(createOverlapTiles(overlap));
  // The steps that chains and groups are made of are all there then.
  HoldGathersOptions hold;
  hold.target = target;
  function.addPass(createHoldGathers(hold));
  NarrowGathersOptions narrow;
  narrow.target = target;
  function.addPass(createNarrowGathers(narrow));
  LinearMovesOptions linear;
  linear.target = target;
  function.addPass(createLinearMoves(linear));
  TileGathersOptions tile;
  tile.target = target;
  function.addPass(createTileGathers(tile));
  JoinMovesOptions join;
  join.target = target;
  function.addPass(createJoinMoves(join));
  // Of the machine, once: planning and building number steps alike.
  FormChainsOptions chains;
  chains.target = target;
  chains.dissolve = dissolve;
  function.addPass(createFormChains(chains));
  // What is stored and what takes it is known.
  StoreOrdersOptions orders;
  orders.target = target;
  function.addPass(createStoreOrders(orders));
  PlanStagesOptions stages;
  stages.target = target;
  stages.plan = plan;
  stages.candidate = candidate;
  stages.listed = listed;
  function.addPass(createPlanStages(stages));
  BuildKernelsOptions build;
  build.target = target;
  function.addPass(createBuildKernels(build));
  // Last: only the built kernels know which mappings follow each other.
  PlanExchangesOptions exchanges;
  exchanges.target = target;
  function.addPass(createPlanExchanges(exchanges));
  // Which threads load which elements is settled.
  OrderConstantsOptions constants;
  constants.target = target;
  function.addPass(createOrderConstants(constants));
}

namespace {
struct FlowOptions : PassPipelineOptions<FlowOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("machine whose lanes are meant"), llvm::cl::init("sm_90")};
};
struct StageOptions : PassPipelineOptions<StageOptions> {
  Option<std::string> target{*this, "target", llvm::cl::desc("machine to plan for"), llvm::cl::init("sm_90")};
  Option<std::string> plan{*this, "plan", llvm::cl::desc("throughput or latency"), llvm::cl::init("throughput")};
};
} // namespace

void passes::registerPipelines() {
  PassPipelineRegistration<FlowOptions>(
      "id-to-flow", "algebra to digit flow",
      [](OpPassManager &manager, const FlowOptions &options) { buildFlowPipeline(manager, options.target); });
  PassPipelineRegistration<StageOptions>("id-to-stages", "digit flow to planned kernels",
                                         [](OpPassManager &manager, const StageOptions &options) {
                                           buildStagePipeline(manager, options.target, options.plan);
                                         });
}
