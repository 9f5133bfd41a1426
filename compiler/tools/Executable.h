// A program that is ready to run on a device.
#pragma once

#include "compiler/codegen/Compiler.h"
#include "compiler/tools/Modules.h"
#include "compiler/tools/Reference.h"

#include <optional>
#include <string>

namespace idc::tools {

class Executable {
public:
  /// The device that a request is for: "gpu", "cpu", "reference" or "emulate"; "auto" is the GPU when there is one that
  /// this build can compile for, else the CPU. Sets the request's target when it is no GPU's.
  static std::string chooseDevice(const std::string &name, codegen::CompileRequest &request);

  /// `device` of chooseDevice(), whose request the compiler has; the compiler must outlive the executable. Errors as of
  /// Modules.h.
  Executable(codegen::Compiler &compiler, const std::string &device, llvm::raw_ostream &errors,
             const emulator::EmulatorOptions &options = {});

  const idc_module *module() const { return evaluator ? evaluator->get() : kernels.get(); }
  /// What reports call the device; empty: as the module does.
  std::string processor() const;
  /// The module if it is emulated, else null.
  const emulator::EmulatedModule *emulated() const { return emulatedModule; }
  /// The module if several GPUs run it, else null.
  const host::GroupModule *group() const { return several; }
  /// Throws host::Error when the reference interpreter failed.
  void checkEvaluation() const;

private:
  std::optional<ReferenceModule> evaluator;
  Module kernels = adopt(nullptr);
  const emulator::EmulatedModule *emulatedModule = nullptr;
  const host::GroupModule *several = nullptr;
  const codegen::Compiler &compiler;
};

/// Where the steps of the compiler's program stand; the compiler must outlive the result.
StepPlace placesOf(const codegen::Compiler &compiler);

/// The elaborated program. Errors as of Modules.h.
const frontend::Program &programOf(codegen::Compiler &compiler, llvm::raw_ostream &errors);

} // namespace idc::tools
