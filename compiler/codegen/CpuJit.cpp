#include "compiler/codegen/CpuJit.h"

#include "compiler/codegen/BackEnds.h"
#include "compiler/codegen/HostObject.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"

#include <atomic>
#include <dlfcn.h>

using namespace mlir;
using namespace idc::codegen;
namespace orc = llvm::orc;

namespace {
/// What kernels call: functions of libm, libc and the compiler's own library, as this code itself finds them. (LLVM's
/// generator looks where the program does, and a program that has opened a library with this in it may have none.)
class CalledFunctions : public orc::DefinitionGenerator {
public:
  llvm::Error tryToGenerate(orc::LookupState &, orc::LookupKind, orc::JITDylib &dylib, orc::JITDylibLookupFlags,
                            const orc::SymbolLookupSet &symbols) override {
    orc::SymbolMap found;
    for (const auto &[name, flags] : symbols)
      if (void *address = dlsym(RTLD_DEFAULT, (*name).str().c_str()))
        found[name] = {orc::ExecutorAddr::fromPtr(address), llvm::JITSymbolFlags::Exported};
    return found.empty() ? llvm::Error::success() : dylib.define(orc::absoluteSymbols(std::move(found)));
  }
};
} // namespace

/// The linker of all code, made once: that takes longer than to load a kernel.
static llvm::Expected<orc::LLJIT *> linker() {
  struct Made {
    std::unique_ptr<orc::LLJIT> jit;
    std::string error;
  };
  static Made &made = *[] { // never destroyed: threads may run its code when the process ends
    initializeBackEnds();
    auto *result = new Made;
    // Kernels have no initialisers, which are what a platform runs.
    llvm::Expected<std::unique_ptr<orc::LLJIT>> jit =
        orc::LLJITBuilder().setLinkProcessSymbolsByDefault(false).setPlatformSetUp(orc::setUpInactivePlatform).create();
    if (!jit) {
      result->error = llvm::toString(jit.takeError());
      return result;
    }
    result->jit = std::move(*jit);
    result->jit->getExecutionSession().setErrorReporter(
        [](llvm::Error error) { llvm::consumeError(std::move(error)); });
    return result;
  }();
  if (!made.jit)
    return llvm::createStringError(llvm::inconvertibleErrorCode(), made.error);
  return made.jit.get();
}

struct CpuJit::State {
  orc::LLJIT &jit;
  orc::JITDylib &code;
  ~State() { llvm::consumeError(jit.getExecutionSession().removeJITDylib(code)); }
};

CpuJit::CpuJit(std::unique_ptr<State> state) : state(std::move(state)) {}
CpuJit::~CpuJit() = default;
CpuJit::CpuJit(CpuJit &&) noexcept = default;

llvm::Expected<CpuJit> CpuJit::compile(ModuleOp module) {
  llvm::Expected<std::string> object = hostKernels(module, "", Processor::This, Visibility::Everywhere);
  if (!object)
    return object.takeError();
  return load(*object);
}

llvm::Expected<CpuJit> CpuJit::load(llvm::StringRef object) {
  static std::atomic<uint64_t> loaded{0};
  llvm::Expected<orc::LLJIT *> jit = linker();
  if (!jit)
    return jit.takeError();
  std::string name = "kernels" + std::to_string(loaded++);
  llvm::Expected<orc::JITDylib &> code = (*jit)->createJITDylib(name);
  if (!code)
    return code.takeError();
  std::unique_ptr<State> state(new State{**jit, *code});
  code->addGenerator(std::make_unique<CalledFunctions>());
  if (llvm::Error error = (*jit)->addObjectFile(*code, llvm::MemoryBuffer::getMemBufferCopy(object, name)))
    return error;
  return CpuJit(std::move(state));
}

void *CpuJit::lookup(llvm::StringRef name) const {
  llvm::Expected<orc::ExecutorAddr> address = state->jit.lookup(state->code, name);
  if (!address) {
    llvm::consumeError(address.takeError());
    return nullptr;
  }
  return address->toPtr<void *>();
}

idc_cpu_kernel CpuJit::find(const char *name, void *jit) {
  return reinterpret_cast<idc_cpu_kernel>(static_cast<const CpuJit *>(jit)->lookup(name));
}
