#include "compiler/codegen/HostObject.h"

#include "compiler/codegen/BackEnds.h"
#include "compiler/codegen/HostPasses.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

static llvm::Error error(const llvm::Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> objectMachine(bool vectors) {
  idc::codegen::initializeBackEnds();
  llvm::Triple triple(llvm::sys::getDefaultTargetTriple());
  std::string message;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, message);
  if (!target)
    return error("no back end for this computer: " + message);
  llvm::StringRef processor = triple.getArch() != llvm::Triple::x86_64 ? "generic" : vectors ? "x86-64-v3" : "x86-64";
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, processor, "", {}, llvm::Reloc::PIC_, std::nullopt,
                                  vectors ? llvm::CodeGenOptLevel::Aggressive : llvm::CodeGenOptLevel::Default));
}

static llvm::Expected<std::string> emitObject(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::SmallString<0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager emit;
  if (machine.addPassesToEmitFile(emit, stream, nullptr, llvm::CodeGenFileType::ObjectFile))
    return error("the back end for this computer cannot write object files");
  emit.run(module);
  return object.str().str();
}

static void setTarget(llvm::Module &module, llvm::TargetMachine &machine) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
}

llvm::Expected<std::string> idc::codegen::hostObject(llvm::Module &module) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = objectMachine(/*vectors=*/false);
  if (!machine)
    return machine.takeError();
  setTarget(module, **machine);
  return emitObject(module, **machine);
}

llvm::Expected<std::string> idc::codegen::hostKernels(ModuleOp module, const std::string &prefix) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = objectMachine(/*vectors=*/true);
  if (!machine)
    return machine.takeError();
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> kernels = translateModuleToLLVMIR(module, context, prefix);
  if (!kernels)
    return error("the kernels could not be translated to LLVM IR");
  setTarget(*kernels, **machine);
  for (llvm::Function &function : *kernels)
    if (!function.isDeclaration() && !function.hasLocalLinkage()) {
      function.setName(prefix + function.getName());
      function.setVisibility(llvm::GlobalValue::HiddenVisibility);
    }
  optimizeForHost(*kernels, **machine);
  return emitObject(*kernels, **machine);
}
