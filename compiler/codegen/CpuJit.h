// Kernels for the CPU, loaded into this process.
#pragma once

#include "idc/runtime.h"
#include "mlir/IR/BuiltinOps.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace idc::codegen {

/// Machine code in memory, alive as long as the object. Threads may make, use and destroy such objects at once.
class CpuJit {
public:
  ~CpuJit();
  CpuJit(CpuJit &&) noexcept;
  /// Compiles a module in the LLVM dialect for this computer's processor. The error says what failed.
  static llvm::Expected<CpuJit> compile(mlir::ModuleOp module);
  /// Loads what hostKernels() has made for this computer's processor, which is not looked at afterwards.
  static llvm::Expected<CpuJit> load(llvm::StringRef object);
  /// The address of a function, or null.
  void *lookup(llvm::StringRef name) const;
  /// An idc_cpu_lookup; `jit` is a CpuJit.
  static idc_cpu_kernel find(const char *name, void *jit);

private:
  struct State;
  std::unique_ptr<State> state;
  explicit CpuJit(std::unique_ptr<State> state);
};

} // namespace idc::codegen
