// Kernels for the CPU, compiled in memory.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace idc::codegen {

/// Machine code of a module in the LLVM dialect, alive as long as the object.
class CpuJit {
public:
  ~CpuJit();
  CpuJit(CpuJit &&) noexcept;
  /// Compiles for this machine's processor. The error says what failed.
  static llvm::Expected<CpuJit> compile(mlir::ModuleOp module);
  /// The address of a function, or null.
  void *lookup(llvm::StringRef name) const;

private:
  struct State;
  std::unique_ptr<State> state;
  explicit CpuJit(std::unique_ptr<State> state);
};

/// Optimised LLVM IR of the module for this machine, as text.
llvm::Expected<std::string> hostLlvmIr(mlir::ModuleOp module);

} // namespace idc::codegen
