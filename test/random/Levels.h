// A program's text through the levels of the compiler, with a place between each two where a test can change them.
#pragma once

#include "compiler/conversion/Buffers.h"
#include "compiler/frontend/Diagnostics.h"
#include "compiler/frontend/Elaborated.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace idc::random {

/// Called on the way; each may change what it is given. Any may be empty.
struct Changes {
  std::function<void(mlir::ModuleOp)> flow, stages, kernels;
  std::function<void(std::vector<conversion::LoweredKernel> &)> launches;
  int64_t devices = 1; // that work on the program together; half of them have the lowest digits of arrays, if they can
  int64_t chunks = 1;  // in which data pass from host memory through the device; of half of the programs the CPU takes
                       // half of the chunks, where it can
};

/// One program, parsed and elaborated once, compiled for as many targets as wanted.
class Levels {
public:
  /// The error holds the diagnostics.
  static llvm::Expected<std::unique_ptr<Levels>> parse(const std::string &text);

  const frontend::Program &program() const { return elaborated; }

  struct Kernels {
    std::unique_ptr<mlir::MLIRContext> context;
    mlir::OwningOpRef<mlir::ModuleOp> module; // level "gpu", of the CPU for the target cpu
    std::string manifest;
    mlir::OwningOpRef<mlir::ModuleOp> onCpu; // of the chunks that the CPU takes; null: none
  };
  /// Down to kernels for "cpu" or a GPU. The error holds the diagnostics.
  llvm::Expected<Kernels> compile(const std::string &target, const Changes &changes = {}) const;

private:
  frontend::Diagnostics diagnostics;
  frontend::Program elaborated;
  bool isDissolved = true;
  int64_t registerBytes = 0; // of the CPU's vectors, one of those that there are
};

} // namespace idc::random
