// Kernels written by hand, run in the emulator.
#pragma once

#include "compiler/emulator/Dialects.h"
#include "compiler/emulator/Emulator.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace idc::emulator {

class EmulatorFixture : public ::testing::Test {
protected:
  void SetUp() override { loadDialects(context); }

  /// A module with a kernel "k" of the given parameters and body, and shared memory.
  static std::string kernel(const std::string &parameters, const std::string &body, const std::string &globals = "") {
    return "module attributes {gpu.container_module} {\n gpu.module @kernels {\n"
           "  llvm.mlir.global external @shared_memory() {addr_space = 3 : i32, alignment = 1024 : i64} : "
           "!llvm.array<0 x i8>\n" +
           globals + "  llvm.func @k(" + parameters + ") attributes {machine.kernel} {\n" +
           "    %t = machine.thread : i32\n    %b = machine.block : i32\n"
           "    %shared = llvm.mlir.addressof @shared_memory : !llvm.ptr<3>\n" +
           body + "    llvm.return\n  }\n }\n}\n";
  }

  llvm::Expected<Emulator> make(const std::string &text) {
    modules.push_back(mlir::parseSourceString<mlir::ModuleOp>(text, &context));
    if (!modules.back())
      return llvm::createStringError(llvm::inconvertibleErrorCode(), "does not parse:\n" + text);
    return Emulator::create(*modules.back(), options);
  }

  /// Runs "k"; a report that did not finish, with a failure added, when it cannot be run.
  KernelReport run(const std::string &text, const Launch &launch) {
    llvm::Expected<Emulator> emulator = make(text);
    KernelReport none;
    none.finished = false;
    if (!emulator) {
      ADD_FAILURE() << llvm::toString(emulator.takeError());
      return none;
    }
    llvm::Expected<KernelReport> report = emulator->run("k", launch);
    if (report)
      return *report;
    ADD_FAILURE() << llvm::toString(report.takeError());
    return none;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> modules;
  EmulatorOptions options;
};

constexpr Interleaving everyInterleaving[] = {Interleaving::RoundRobin, Interleaving::Random, Interleaving::Greedy,
                                              Interleaving::Reverse};

} // namespace idc::emulator
