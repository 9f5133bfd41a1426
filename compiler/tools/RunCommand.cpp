#include "compiler/tools/RunCommand.h"

#include "compiler/emulator/EmulatedModule.h"
#include "compiler/tools/Reference.h"

#include "host/Memory.h"
#include "llvm/Support/raw_ostream.h"

#include <fstream>
#include <iostream>
#include <memory>
#include <optional>

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
  host::check(
      idc_cpu_module_create(manifest.data(), manifest.size(), lookup, const_cast<codegen::CpuJit *>(*jit), &module));
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

/// The kernels for the GPU, in the emulator.
std::unique_ptr<emulator::EmulatedModule> emulatedModule(Compiler &compiler, const emulator::EmulatorOptions &options) {
  std::string kernels = take(compiler.emit(Level::Gpu, llvm::errs()));
  std::string manifest = take(compiler.launches(llvm::errs()));
  llvm::Expected<std::unique_ptr<emulator::EmulatedModule>> module =
      emulator::EmulatedModule::create(kernels, manifest, options);
  if (!module)
    throw host::Error(llvm::toString(module.takeError()));
  return std::move(*module);
}

/// Prints or writes what the emulator counted, as asked for, and in any case what went wrong; false if something did.
bool writeReports(const std::vector<emulator::KernelReport> &kernels, const tools::Emulation &emulation) {
  bool passed = true;
  for (const emulator::KernelReport &kernel : kernels) {
    passed &= kernel.passed();
    if (emulation.printReport)
      std::cout << toText(kernel) << std::flush;
    else if (!kernel.passed())
      llvm::errs() << toText(kernel);
  }
  if (!emulation.reportFile.empty() && !(std::ofstream(emulation.reportFile) << toJson(kernels)))
    throw host::Error("cannot write " + emulation.reportFile);
  return passed;
}

/// The elaborated program.
const frontend::Program &programOf(Compiler &compiler) {
  llvm::Expected<const frontend::Program *> program = compiler.program(llvm::errs());
  if (!program)
    throw host::Error(llvm::toString(program.takeError()));
  return **program;
}
} // namespace

int tools::runProgram(codegen::CompileRequest request, host::RunRequest run, const std::string &device, bool verify,
                      const Emulation &emulation) {
  bool emulate = device == "emulate";
  bool gpu = device == "gpu" || (device == "auto" && idc_device_available() == IDC_SUCCESS);
  if (!gpu && !emulate)
    request.target = "cpu";
  Compiler compiler(std::move(request));
  try {
    std::optional<ReferenceModule> evaluator;
    Module kernels = adopt(nullptr);
    emulator::EmulatedModule *emulated = nullptr;
    if (device == "reference") {
      evaluator.emplace(programOf(compiler));
      run.module = evaluator->get();
    } else if (emulate) {
      emulated = emulatedModule(compiler, emulation.options).release();
      kernels = adopt(emulated);
      run.module = emulated;
    } else {
      kernels = gpu ? gpuModule(compiler) : cpuModule(compiler);
      run.module = kernels.get();
    }
    if (verify)
      run.reference = makeReference(programOf(compiler));
    host::RunReport report;
    try {
      report = host::run(run);
    } catch (const host::Error &) {
      if (emulated)
        writeReports(emulated->reports(), emulation);
      throw;
    }
    if (evaluator) {
      if (!evaluator->error().empty())
        throw host::Error("the evaluation failed: " + evaluator->error());
      report.processor = "the direct evaluator";
    }
    if (emulated)
      report.processor = "the emulator of " + compiler.target().name;
    host::print(std::cout, report);
    bool faultless = !emulated || writeReports(emulated->reports(), emulation);
    return report.passed() && faultless ? 0 : 1;
  } catch (const host::Error &error) {
    if (*error.what())
      llvm::errs() << "idc: " << error.what() << "\n";
    return 1;
  }
}
