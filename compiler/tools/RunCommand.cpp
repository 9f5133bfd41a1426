#include "compiler/tools/RunCommand.h"

#include "compiler/tools/Reference.h"

#include "host/Memory.h"
#include "llvm/Support/raw_ostream.h"

#include <iostream>
#include <memory>

using namespace idc;
using codegen::Compiler;
using codegen::Level;

namespace {
using Module = std::unique_ptr<idc_module, idc_status (*)(idc_module *)>;

Module adopt(idc_module *module) { return Module(module, idc_module_unload); }

std::string take(llvm::Expected<std::string> value) {
  if (!value)
    throw host::Error(llvm::toString(value.takeError()));
  return *value;
}

/// The kernels for a CPU, from memory.
Module cpuModule(Compiler &compiler) {
  std::string manifest = take(compiler.emit(Level::Manifest, llvm::errs()));
  llvm::Expected<const codegen::CpuJit *> jit = compiler.jit(llvm::errs());
  if (!jit)
    throw host::Error(llvm::toString(jit.takeError()));
  auto lookup = [](const char *name, void *user) {
    return reinterpret_cast<idc_cpu_kernel>(static_cast<const codegen::CpuJit *>(user)->lookup(name));
  };
  idc_module *module = nullptr;
  host::check(idc_cpu_module_create(manifest.data(), manifest.size(), lookup,
                                    const_cast<codegen::CpuJit *>(*jit), &module));
  return adopt(module);
}

/// The kernels for the GPU: a fat binary where the toolkit is, else PTX for the driver to assemble.
Module gpuModule(Compiler &compiler) {
  bool toolkit = Compiler::whyNoFatbin().empty();
  std::string image = take(compiler.emit(toolkit ? Level::Fatbin : Level::Ptx, llvm::errs()));
  std::string manifest = take(compiler.emit(Level::Manifest, llvm::errs()));
  if (!toolkit)
    image.push_back('\0');
  idc_module *module = nullptr;
  host::check(idc_module_load(image.data(), image.size(), manifest.data(), manifest.size(), &module));
  return adopt(module);
}
} // namespace

int tools::runProgram(codegen::CompileRequest request, host::RunRequest run, const std::string &device, bool verify) {
  bool gpu = device == "gpu" || (device == "auto" && idc_device_available() == IDC_SUCCESS);
  if (!gpu)
    request.target = "cpu";
  Compiler compiler(std::move(request));
  try {
    Module module = gpu ? gpuModule(compiler) : cpuModule(compiler);
    run.module = module.get();
    if (verify) {
      llvm::Expected<const frontend::Program *> program = compiler.program(llvm::errs());
      if (!program)
        throw host::Error(llvm::toString(program.takeError()));
      run.reference = makeReference(**program);
    }
    host::RunReport report = host::run(run);
    host::print(std::cout, report);
    return report.passed() ? 0 : 1;
  } catch (const host::Error &error) {
    if (*error.what())
      llvm::errs() << "idc: " << error.what() << "\n";
    return 1;
  }
}
