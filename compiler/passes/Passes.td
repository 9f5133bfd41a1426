// The passes from the algebra to planned kernels. Pipelines.cpp orders them and says why.
#ifndef ID_PASSES_TD
#define ID_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitDigits : Pass<"id-split-digits", "::mlir::func::FuncOp"> {
  let summary = "split every digit of composite radix into digits of prime radix";
  let dependentDialects = ["::idc::id::IdDialect", "::mlir::arith::ArithDialect"];
}

def ExtractTwiddles : Pass<"id-extract-twiddles", "::mlir::func::FuncOp"> {
  let summary = "turn pointwise products with a root of unity into id.twiddle";
  let dependentDialects = ["::idc::id::IdDialect"];
}

def PushPermutations : Pass<"id-push-permutations", "::mlir::func::FuncOp"> {
  let summary = "push digit permutations to the end of the program (digit flow)";
  let dependentDialects = ["::idc::id::IdDialect"];
}

def OrderSteps : Pass<"id-order-steps", "::mlir::func::FuncOp"> {
  let summary = "order commuting steps from high to low digits and place each twiddle term at its last chance";
  let dependentDialects = ["::idc::id::IdDialect"];
}

def PlanStages : Pass<"id-plan-stages", "::mlir::func::FuncOp"> {
  let summary = "choose a schedule for a target by resource analysis, unless the function has one";
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine to plan for">,
                 Option<"plan", "plan", "std::string", "\"throughput\"", "throughput, or latency of one problem">,
                 Option<"candidate", "candidate", "unsigned", "0", "the schedule to take, the best being 0">];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def BuildKernels : Pass<"id-build-kernels", "::mlir::func::FuncOp"> {
  let summary = "apply the function's schedule: kernels of tiles, exchanges where the mapping changes";
  let options = [Option<"target", "target", "std::string", "\"sm_90\"", "machine whose limits are checked">,
                 Option<"plan", "plan", "std::string", "\"throughput\"", "throughput, or latency of one problem">];
  let dependentDialects = ["::idc::id::IdDialect"];
}

def PlanExchanges : Pass<"id-plan-exchanges", "::mlir::func::FuncOp"> {
  let summary = "choose the means of every exchange and solve its shared-memory layout";
  let options = [Option<"maxShuffleSwaps", "max-shuffle-swaps", "int", "1",
                        "register-lane swaps above which shared memory is used">];
  let dependentDialects = ["::idc::id::IdDialect"];
}

#endif
