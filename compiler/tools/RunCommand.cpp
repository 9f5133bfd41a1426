#include "compiler/tools/RunCommand.h"

#include "compiler/tools/Messages.h"
#include "compiler/tools/Modules.h"
#include "compiler/tools/Reference.h"
#include "runtime/lib/WholeFile.h"

#include "llvm/Support/raw_ostream.h"

#include <iostream>
#include <optional>

using namespace idc;
using codegen::Compiler;

namespace {
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
  if (!emulation.reportFile.empty())
    runtime::writeFile(emulation.reportFile, toJson(kernels));
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
    tools::Module kernels = tools::adopt(nullptr);
    emulator::EmulatedModule *emulated = nullptr;
    if (device == "reference") {
      evaluator.emplace(programOf(compiler));
      run.module = evaluator->get();
    } else if (emulate) {
      emulated = tools::emulatedModule(compiler, emulation.options).release();
      kernels = tools::adopt(emulated);
      run.module = emulated;
    } else {
      kernels = gpu ? tools::gpuModule(compiler) : tools::cpuModule(compiler);
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
  } catch (const std::runtime_error &error) { // host::Error, runtime::FileError
    return fail(error.what());
  }
}
