#include "compiler/codegen/LowerToLlvm.h"

#include "compiler/codegen/DeviceLibrary.h"
#include "compiler/codegen/HostLibrary.h"
#include "compiler/codegen/NarrowFloats.h"
#include "compiler/conversion/Passes.h"

#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

LogicalResult idc::codegen::lowerToLlvmDialect(ModuleOp module) {
  callDeviceLibrary(module);
  // On the outermost module also for kernels in a gpu.module: the conversion of cf takes no other anchor.
  PassManager manager(module.getContext());
  if (module.getOps<gpu::GPUModuleOp>().empty()) {
    callHostLibrary(module);
    addNarrowFloatPasses(manager);
  } else {
    manager.addPass(conversion::createMachineToNvvm());
  }
  manager.addPass(createSCFToControlFlowPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createConvertControlFlowToLLVMPass());
  manager.addPass(createConvertMathToLLVMPass());
  manager.addPass(createArithToLLVMConversionPass());
  manager.addPass(createReconcileUnrealizedCastsPass());
  return manager.run(module);
}
