#include "compiler/codegen/CpuJit.h"

#include "compiler/codegen/BackEnds.h"
#include "compiler/codegen/HostPasses.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;
using namespace idc::codegen;

struct CpuJit::State {
  std::unique_ptr<ExecutionEngine> engine;
};

CpuJit::CpuJit(std::unique_ptr<State> state) : state(std::move(state)) {}
CpuJit::~CpuJit() = default;
CpuJit::CpuJit(CpuJit &&) noexcept = default;

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> hostMachine(ModuleOp module) {
  initializeBackEnds();
  registerBuiltinDialectTranslation(*module.getContext());
  registerLLVMDialectTranslation(*module.getContext());
  llvm::Expected<llvm::orc::JITTargetMachineBuilder> builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  return builder->createTargetMachine();
}

llvm::Expected<CpuJit> CpuJit::compile(ModuleOp module) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = hostMachine(module);
  if (!machine)
    return machine.takeError();
  ExecutionEngineOptions options;
  auto transformer = [target = machine->get()](llvm::Module *kernels) {
    optimizeForHost(*kernels, *target);
    return llvm::Error::success();
  };
  options.transformer = transformer;
  // These write a file for each run into the user's folder, and end the program when the disk is full.
  options.enablePerfNotificationListener = options.enableGDBNotificationListener = false;
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::Aggressive;
  llvm::Expected<std::unique_ptr<ExecutionEngine>> engine =
      ExecutionEngine::create(module, options, std::move(*machine));
  if (!engine)
    return engine.takeError();
  auto state = std::make_unique<State>();
  state->engine = std::move(*engine);
  return CpuJit(std::move(state));
}

void *CpuJit::lookup(llvm::StringRef name) const {
  llvm::Expected<void *> address = state->engine->lookup(name);
  if (!address) {
    llvm::consumeError(address.takeError());
    return nullptr;
  }
  return *address;
}

llvm::Expected<std::string> idc::codegen::hostLlvmIr(ModuleOp module) {
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine = hostMachine(module);
  if (!machine)
    return machine.takeError();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(module, context, "kernels");
  if (!llvmModule)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), "the kernels could not be translated to LLVM IR");
  llvmModule->setTargetTriple((*machine)->getTargetTriple());
  llvmModule->setDataLayout((*machine)->createDataLayout());
  optimizeForHost(*llvmModule, **machine);
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvmModule->print(stream, nullptr);
  return text;
}
