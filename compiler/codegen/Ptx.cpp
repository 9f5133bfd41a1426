#include "compiler/codegen/Ptx.h"

#include "compiler/codegen/BackEnds.h"
#include "compiler/codegen/DeviceLibrary.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

LogicalResult idc::codegen::generatePtx(ModuleOp module, const passes::Target &target, std::string &llvmIr,
                                        std::string &ptx) {
  initializeBackEnds();
  MLIRContext *context = module.getContext();
  registerBuiltinDialectTranslation(*context);
  registerGPUDialectTranslation(*context);
  registerLLVMDialectTranslation(*context);
  registerNVVMDialectTranslation(*context);

  gpu::GPUModuleOp kernels = *module.getBody()->getOps<gpu::GPUModuleOp>().begin();
  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(kernels, llvmContext, "kernels");
  if (!llvmModule)
    return module.emitError() << "the kernels could not be translated to LLVM IR";
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *machine = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!machine)
    return module.emitError() << "no NVPTX back end: " << error;
  std::unique_ptr<llvm::TargetMachine> targetMachine(machine->createTargetMachine(
      triple, target.chip, target.features, {}, std::nullopt, std::nullopt, llvm::CodeGenOptLevel::Aggressive));
  llvmModule->setTargetTriple(triple);
  llvmModule->setDataLayout(targetMachine->createDataLayout());
  if (failed(linkDeviceLibrary(module, *llvmModule)))
    return failure();

  llvm::PassBuilder passes(targetMachine.get());
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(callGraph);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, callGraph, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(*llvmModule, modules);

  llvm::raw_string_ostream irStream(llvmIr);
  llvmModule->print(irStream, nullptr);
  llvm::SmallString<0> assembly;
  llvm::raw_svector_ostream stream(assembly);
  llvm::legacy::PassManager emit;
  if (targetMachine->addPassesToEmitFile(emit, stream, nullptr, llvm::CodeGenFileType::AssemblyFile))
    return module.emitError() << "the NVPTX back end cannot write assembly";
  emit.run(*llvmModule);
  ptx = assembly.str().str();
  return success();
}
