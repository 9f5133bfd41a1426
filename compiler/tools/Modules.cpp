#include "compiler/tools/Modules.h"

#include "host/Error.h"
#include "host/Memory.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;
using codegen::Compiler;
using codegen::Level;

tools::Module tools::adopt(idc_module *module) { return Module(module, idc_module_unload); }

static std::string take(llvm::Expected<std::string> value) {
  if (!value)
    throw host::Error(llvm::toString(value.takeError()));
  return *value;
}

/// Machine code for this computer.
static const codegen::CpuJit &codeOf(Compiler &compiler, llvm::raw_ostream &errors) {
  llvm::Expected<const codegen::CpuJit *> jit = compiler.jit(errors);
  if (!jit)
    throw host::Error(llvm::toString(jit.takeError()));
  return **jit;
}

/// The CPU's share as the `user` of CpuJit::find(); null where it has none.
static void *shareOf(Compiler &compiler, llvm::raw_ostream &errors) {
  return compiler.sharesWithCpu() ? const_cast<codegen::CpuJit *>(&codeOf(compiler, errors)) : nullptr;
}

tools::Module tools::cpuModule(Compiler &compiler, llvm::raw_ostream &errors) {
  const std::string manifest = take(compiler.emit(Level::Manifest, errors));
  return cpuModule(manifest, codeOf(compiler, errors));
}

tools::Module tools::cpuModule(const std::string &manifest, const codegen::CpuJit &code) {
  idc_module *module = nullptr;
  host::check(idc_cpu_module_create(manifest.data(), manifest.size(), codegen::CpuJit::find,
                                    const_cast<codegen::CpuJit *>(&code), &module));
  return adopt(module);
}

/// An image for the driver.
static std::string imageOf(Compiler &compiler, llvm::raw_ostream &errors) {
  bool toolkit = Compiler::whyNoFatbin().empty();
  std::string image = take(compiler.emit(toolkit ? Level::Fatbin : Level::Ptx, errors));
  if (!toolkit)
    image.push_back('\0');
  return image;
}

std::unique_ptr<host::GroupModule> tools::groupModule(Compiler &compiler, llvm::raw_ostream &errors) {
  const std::string image = imageOf(compiler, errors);
  return host::GroupModule::load(image, take(compiler.emit(Level::Manifest, errors)));
}

tools::Module tools::gpuModule(Compiler &compiler, llvm::raw_ostream &errors) {
  const std::string image = imageOf(compiler, errors), manifest = take(compiler.emit(Level::Manifest, errors));
  idc_module *module = nullptr;
  host::check(idc_host_module_load(image.data(), image.size(), manifest.data(), manifest.size(), codegen::CpuJit::find,
                                   shareOf(compiler, errors), &module));
  return adopt(module);
}

std::unique_ptr<emulator::EmulatedModule>
tools::emulatedModule(Compiler &compiler, const emulator::EmulatorOptions &options, llvm::raw_ostream &errors) {
  std::string kernels = take(compiler.emit(Level::Gpu, errors));
  std::string manifest = take(compiler.launches(errors));
  llvm::Expected<std::unique_ptr<emulator::EmulatedModule>> module =
      emulator::EmulatedModule::create(kernels, manifest, options, codegen::CpuJit::find, shareOf(compiler, errors));
  if (!module)
    throw host::Error(llvm::toString(module.takeError()));
  return std::move(*module);
}
