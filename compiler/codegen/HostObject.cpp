#include "compiler/codegen/HostObject.h"

#include "compiler/codegen/BackEnds.h"
#include "compiler/codegen/HostPasses.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

#include <set>

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
  if (machine.isPositionIndependent())
    module.setPICLevel(llvm::PICLevel::BigPIC);
}

llvm::Expected<std::string> idc::codegen::hostObject(llvm::Module &module) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = objectMachine(/*vectors=*/false);
  if (!machine)
    return machine.takeError();
  setTarget(module, **machine);
  return emitObject(module, **machine);
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> thisMachine() {
  idc::codegen::initializeBackEnds();
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  // Loaded anywhere in memory, at addresses that are known then: kernels of transforms are 3 to 5 % faster than with
  // position-independent code.
  builder->setRelocationModel(llvm::Reloc::Static);
  builder->setCodeModel(llvm::CodeModel::Large);
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  return builder->createTargetMachine();
}

std::string idc::codegen::thisProcessor() {
  std::string text = llvm::sys::getHostCPUName().str();
  std::set<std::string> features;
  for (const auto &feature : llvm::sys::getHostCPUFeatures())
    if (feature.second)
      features.insert(feature.first().str());
  for (const std::string &feature : features)
    text += " " + feature;
  return text;
}

int64_t idc::codegen::registerBytes(Processor processor) {
  constexpr int64_t any = 16, avx2 = 32, avx512 = 64;
  if (llvm::Triple(llvm::sys::getDefaultTargetTriple()).getArch() != llvm::Triple::x86_64)
    return any;
  if (processor == Processor::Common)
    return avx2;
  const llvm::StringMap<bool> has = llvm::sys::getHostCPUFeatures();
  return has.lookup("avx512f") ? avx512 : has.lookup("avx2") ? avx2 : any;
}

/// The kernels as an optimised LLVM module for the machine.
static llvm::Expected<std::unique_ptr<llvm::Module>> optimisedKernels(ModuleOp module, const std::string &prefix,
                                                                      idc::codegen::Visibility visibility,
                                                                      llvm::TargetMachine &machine,
                                                                      llvm::LLVMContext &context) {
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  std::unique_ptr<llvm::Module> kernels = translateModuleToLLVMIR(module, context, prefix);
  if (!kernels)
    return error("the kernels could not be translated to LLVM IR");
  setTarget(*kernels, machine);
  for (llvm::Function &function : *kernels)
    if (!function.isDeclaration() && !function.hasLocalLinkage()) {
      function.setName(prefix + function.getName());
      if (visibility == idc::codegen::Visibility::Inside)
        function.setVisibility(llvm::GlobalValue::HiddenVisibility);
    }
  idc::codegen::optimizeForHost(*kernels, machine);
  return kernels;
}

llvm::Expected<std::string> idc::codegen::hostKernels(ModuleOp module, const std::string &prefix, Processor processor,
                                                      Visibility visibility) {
  const bool common = processor == Processor::Common;
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine =
      common ? objectMachine(/*vectors=*/true) : thisMachine();
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> kernels =
      optimisedKernels(module, prefix, visibility, **machine, context);
  if (!kernels)
    return kernels.takeError();
  return emitObject(**kernels, **machine);
}

llvm::Expected<std::string> idc::codegen::hostLlvmIr(ModuleOp module) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = thisMachine();
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  llvm::Expected<std::unique_ptr<llvm::Module>> kernels =
      optimisedKernels(module, "", Visibility::Everywhere, **machine, context);
  if (!kernels)
    return kernels.takeError();
  std::string text;
  llvm::raw_string_ostream stream(text);
  (*kernels)->print(stream, nullptr);
  return text;
}
