// The emulator in the place of a device: a runtime module whose launches it executes.
#pragma once

#include "compiler/emulator/Emulator.h"

#include "runtime/lib/CpuChunks.h"
#include "runtime/lib/Module.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace idc::emulator {

/// For idc_launch() and host::run(): operands lie in host memory, as for a CPU module. Those of a program for several
/// devices are whole ones, of which each emulated device gets its share. Those of a host program pass in chunks through
/// memory that is the device's. Not for several threads at once.
class EmulatedModule final : public idc_module {
public:
  /// `kernels` is the text of the level "gpu", `manifest` that of the level "manifest" for the same request. `lookup`
  /// finds the functions for the CPU of a host program of whose chunks it takes a share; they are not emulated.
  static llvm::Expected<std::unique_ptr<EmulatedModule>> create(llvm::StringRef kernels, llvm::StringRef manifest,
                                                                EmulatorOptions options,
                                                                idc_cpu_lookup lookup = nullptr, void *user = nullptr);

  /// Succeeds also when kernels do what they must not: see reports(). Fails when a kernel cannot be launched or a fault
  /// ended it.
  idc_status launch(int64_t batch, const runtime::Operands &operands, void *stream) const override;

  /// One per kernel launched so far.
  const std::vector<KernelReport> &reports() const { return finished; }

private:
  static llvm::Expected<std::unique_ptr<EmulatedModule>> create(llvm::StringRef kernels, runtime::Manifest manifest,
                                                                EmulatorOptions options);
  EmulatedModule(runtime::Manifest ofDevice, std::unique_ptr<mlir::MLIRContext> context,
                 mlir::OwningOpRef<mlir::ModuleOp> module, Emulator emulator, EmulatorOptions options);

  /// What a device has while kernels run: its operands, and its memory as the emulator sees it.
  struct Device {
    runtime::Operands operands;
    std::deque<Buffer> buffers; // one per operand; an output may be an input as well
  };
  void addBuffers(Device &device, int64_t batch, const std::string &where) const;
  /// Where devices meet: the words of each, and the word in which it reports that others did not come.
  struct Meetings;
  Launch launchOf(const runtime::Kernel &kernel, int64_t batch, std::deque<Device> &devices, size_t own,
                  Meetings &meetings) const;
  idc_status run(int64_t batch, std::deque<Device> &devices) const;
  /// A host program, or one that several devices run.
  idc_status launchPasses(int64_t batch, const runtime::Operands &operands) const;
  idc_status launchDevices(int64_t batch, const runtime::Operands &operands) const;

  const runtime::Manifest ofDevice; // the shares of several
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mutable Emulator emulator;
  EmulatorOptions options;
  mutable std::vector<KernelReport> finished;
  std::vector<std::unique_ptr<EmulatedModule>> passes; // of a host program
  std::unique_ptr<runtime::CpuChunks> onCpu;           // null: it has no share
};

} // namespace idc::emulator
