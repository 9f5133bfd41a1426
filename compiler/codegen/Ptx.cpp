#include "compiler/codegen/Ptx.h"

#include "compiler/codegen/BackEnds.h"
#include "compiler/codegen/BlockParts.h"
#include "compiler/codegen/DeviceLibrary.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace mlir;

namespace {

// The NVPTX back end takes time with the square of the length of a block: it looks for sums and maxima of which others
// are parts, and selects instructions for a whole block at once. A node that finds the largest of 4096 records is one
// block of 30,000 instructions (80 s). So long blocks are cut, which costs nothing, as registers go on.
constexpr size_t longBlock = 8192, partOfBlock = 512;

// What ptxas makes of a block in one piece is three to seven times as fast as parts that are functions (ten stages of
// sums and differences of 1024 elements in one node 150 and 1061 us, prefix sums of 4093 1678 and 4677 us on an H200),
// and takes 10 s to make for so many instructions.
constexpr size_t longestBlock = 24576;

/// Cuts long blocks; false where there is none.
bool cutLongBlocks(llvm::Module &module) {
  std::vector<llvm::BasicBlock *> found;
  for (llvm::Function &function : module)
    for (llvm::BasicBlock &block : function)
      if (block.size() > longBlock)
        found.push_back(&block);
  for (llvm::BasicBlock *block : found)
    while (block->size() > partOfBlock)
      block = llvm::SplitBlock(block, &*std::next(block->begin(), partOfBlock));
  return !found.empty();
}

/// Leaves out passes of the back end.
struct BackEndPasses : llvm::OptPassGate {
  /// Blocks were cut: what looks for parts of sums, products and maxima, and what would put blocks together again.
  bool longBlocks = false;
  /// Functions of the device library are called, whose rare cases are branches: what moves operations past these, to
  /// where their results are used, so that what every element of a thread begins with would be held until the last one
  /// has its own (a phase of 32 numbers of a thread spilled 3 KB and took 900 us where it takes 200 on an H200).
  bool rareCases = false;

  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override {
    if (pass == "machine-sink")
      return !rareCases;
    return !longBlocks || (pass != "nary-reassociate" && pass != "slsr" && pass != "gvn" && pass != "codegenprepare");
  }
  bool isEnabled() const override { return true; }
};

} // namespace

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
  BackEndPasses gate;
  if (failed(linkDeviceLibrary(module, *llvmModule, gate.rareCases)))
    return failure();

  codegen::splitIntoParts(*llvmModule, longestBlock);
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

  gate.longBlocks = cutLongBlocks(*llvmModule);
  llvmContext.setOptPassGate(gate);
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
