// The passes from planned kernels to code.
#ifndef ID_CONVERSION_PASSES_TD
#define ID_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def MachineToNvvm : Pass<"id-machine-to-nvvm"> {
  let summary = "ops of the machine dialect become NVVM ops and PTX";
  let description = [{
    What NVIDIA's GPUs have for `machine` ops: NVVM's ops, and PTX where these have none (asynchronous stores, streaming
    accesses, registers read at one place).

        machine.cluster_arrive release
        nvvm.cluster.arrive {aligned}
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect", "::mlir::arith::ArithDialect"];
}

#endif
