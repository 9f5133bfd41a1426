// Kernels of the compiler with something changed in them, run in the emulator in many orders.
#pragma once

#include "EmulatorFixture.h"

#include "compiler/codegen/Compiler.h"
#include "compiler/emulator/EmulatedModule.h"

#include "llvm/Support/raw_ostream.h"

namespace idc::emulator {

class CompiledFixture : public ::testing::Test {
protected:
  /// Compiles fft of 2^n complex numbers with the first schedule of a file in Inputs.
  void compile(int n, const std::string &schedule) {
    size = size_t(1) << n;
    codegen::CompileRequest request;
    request.file = std::string(IDC_STDLIB) + "/fft.id";
    request.libraries = {IDC_STDLIB};
    request.entry = "fft";
    request.sizes["n"] = n;
    request.scheduleFile = IDC_TEST_INPUTS "/" + schedule;
    codegen::Compiler compiler(request);
    llvm::Expected<std::string> kernels = compiler.emit(codegen::Level::Gpu, llvm::errs());
    llvm::Expected<std::string> launches = compiler.launches(llvm::errs());
    ASSERT_TRUE(kernels && launches);
    text = *kernels;
    manifest = *launches;
  }

  /// What the kernels of `text` do wrong when they run on five problems in one order.
  std::vector<idc::emulator::Fault> faults(const std::string &text, EmulatorOptions options) {
    llvm::Expected<std::unique_ptr<EmulatedModule>> module = EmulatedModule::create(text, manifest, options);
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      return {};
    }
    struct alignas(16) Pair {
      float number[4];
    };
    constexpr int64_t batch = 5;
    std::vector<Pair> x(batch * size / 2), y(batch * size / 2), workspace(batch * size / 2);
    const void *inputs[] = {x.data()};
    void *outputs[] = {y.data()};
    idc_launch(module->get(), batch, inputs, nullptr, outputs, workspace.data(), nullptr);
    std::vector<idc::emulator::Fault> found;
    for (const KernelReport &report : (*module)->reports())
      found.insert(found.end(), report.faults.begin(), report.faults.end());
    return found;
  }

  /// Orders in which the kernels show a fault, and orders tried.
  std::pair<int, int> tryOrders(const std::string &changed) {
    int shown = 0, tried = 0;
    for (Interleaving interleaving : everyInterleaving)
      for (uint64_t seed = 0; seed < (interleaving == Interleaving::Random ? 5 : 1); ++seed, ++tried) {
        EmulatorOptions options;
        options.interleaving = interleaving;
        options.seed = seed;
        options.residentBlocks = 8;
        shown += !faults(changed, options).empty();
      }
    return {shown, tried};
  }

  /// `text` with the `number`-th occurrence of `from` replaced.
  std::string with(const std::string &from, const std::string &to, int number = 0) {
    std::string changed = text;
    size_t at = changed.find(from);
    for (; number > 0 && at != std::string::npos; --number)
      at = changed.find(from, at + 1);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? changed : changed.replace(at, from.size(), to);
  }

  size_t size = 0;
  std::string text, manifest;
};

} // namespace idc::emulator
