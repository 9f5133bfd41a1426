#include "compiler/tools/Executable.h"

#include "compiler/explain/Facts.h"

#include "host/Error.h"
#include "llvm/Support/raw_ostream.h"

using namespace idc;
using codegen::Compiler;

std::string tools::Executable::chooseDevice(const std::string &name, codegen::CompileRequest &request) {
  std::string device = name;
  if (name == "auto")
    device = idc_device_available() == IDC_SUCCESS ? "gpu" : "cpu";
  if (device != "gpu" && device != "emulate")
    request.target = "cpu";
  request.processor = codegen::Processor::This;
  return device;
}

tools::Executable::Executable(Compiler &compiler, const std::string &device, llvm::raw_ostream &errors,
                              const emulator::EmulatorOptions &options)
    : compiler(compiler) {
  if (device == "reference") {
    evaluator.emplace(programOf(compiler, errors), placesOf(compiler));
  } else if (device == "emulate") {
    emulator::EmulatedModule *emulated = tools::emulatedModule(compiler, options, errors).release();
    kernels = adopt(emulated);
    emulatedModule = emulated;
  } else if (device == "gpu" && compiler.devices() > 1) {
    host::GroupModule *group = tools::groupModule(compiler, errors).release();
    kernels = adopt(group);
    several = group;
  } else {
    kernels = device == "gpu" ? gpuModule(compiler, errors) : cpuModule(compiler, errors);
  }
}

std::string tools::Executable::processor() const {
  return evaluator ? "the reference interpreter" : emulatedModule ? "the emulator of " + compiler.target().name : "";
}

void tools::Executable::checkEvaluation() const {
  if (evaluator && !evaluator->error().empty())
    throw host::Error("the evaluation failed: " + evaluator->error());
}

tools::StepPlace tools::placesOf(const Compiler &compiler) {
  return [&compiler](const frontend::Step &step) {
    const explain::StepSource source = explain::sourceOf(step, compiler);
    return source.place + (source.text.empty() ? "" : ": " + source.text);
  };
}

const frontend::Program &tools::programOf(Compiler &compiler, llvm::raw_ostream &errors) {
  llvm::Expected<const frontend::Program *> program = compiler.program(errors);
  if (!program)
    throw host::Error(llvm::toString(program.takeError()));
  return **program;
}
