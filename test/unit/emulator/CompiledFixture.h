// Kernels of the compiler with something changed in them, run in the emulator in many orders.
#pragma once

#include "EmulatorFixture.h"

#include "compiler/codegen/Compiler.h"
#include "compiler/codegen/ManifestWriter.h"
#include "compiler/conversion/LowerToGpu.h"
#include "compiler/emulator/EmulatedModule.h"
#include "compiler/passes/Target.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <cstring>
#include <regex>

namespace idc::emulator {

class CompiledFixture : public ::testing::Test {
protected:
  /// Compiles fft of 2^n complex numbers with the first schedule of a file in Inputs.
  void compile(int n, const std::string &schedule) {
    codegen::CompileRequest request;
    request.file = std::string(IDC_STDLIB) + "/fft.id";
    request.entry = "fft";
    request.sizes["n"] = n;
    request.scheduleFile = IDC_TEST_INPUTS "/" + schedule;
    compile(request, size_t(2) << n);
  }

  /// Compiles a program of one input and one output, of `floats` numbers each.
  void compile(codegen::CompileRequest request, size_t floats) {
    this->floats = floats;
    request.libraries = {IDC_STDLIB};
    codegen::Compiler compiler(request);
    llvm::Expected<std::string> kernels = compiler.emit(codegen::Level::Gpu, llvm::errs());
    llvm::Expected<std::string> launches = compiler.launches(llvm::errs());
    ASSERT_TRUE(kernels && launches);
    text = *kernels;
    manifest = *launches;
  }

  /// Lowers the kernels of a file of stages: one input and one output of `floats` numbers.
  void lower(const std::string &file, size_t floats) {
    this->floats = floats;
    mlir::MLIRContext context;
    context.loadDialect<id::IdDialect, mlir::func::FuncDialect, mlir::arith::ArithDialect>();
    auto module = mlir::parseSourceFile<mlir::ModuleOp>(IDC_TEST_INPUTS "/" + file, &context);
    ASSERT_TRUE(module);
    passes::Target target;
    std::string error;
    ASSERT_TRUE(passes::findTarget("sm_90", target, error)) << error;
    std::vector<conversion::LoweredKernel> kernels;
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    mlir::OwningOpRef<mlir::ModuleOp> lowered = conversion::lowerToGpu(function, target, kernels);
    ASSERT_TRUE(lowered);
    llvm::raw_string_ostream stream(text);
    lowered->print(stream);
    codegen::ManifestInfo info;
    info.entry = info.symbol = function.getName().str();
    info.target = "sm_90";
    info.inputs.push_back({"x", "f32", 4, static_cast<int64_t>(floats)});
    info.outputs.push_back({"y", "f32", 4, static_cast<int64_t>(floats)});
    manifest = codegen::writeManifest(info, kernels, {});
  }

  struct alignas(16) Pair {
    float number[4];
  };

  /// What the kernels of `text` do wrong when they run on a batch in one order, and what they compute. `inPlace`: the
  /// output has the memory of the input.
  std::vector<idc::emulator::Fault> faults(const std::string &text, EmulatorOptions options, int64_t batch = 5,
                                           std::vector<Pair> *result = nullptr, bool inPlace = false) {
    llvm::Expected<std::unique_ptr<EmulatedModule>> module = EmulatedModule::create(text, manifest, options);
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      return {};
    }
    std::vector<Pair> x(batch * floats / 4), y(x.size());
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = {{float(i % 7), float(i % 11), float(i % 13), float(i % 17)}};
    int64_t bytes = 0;
    idc_workspace_size(module->get(), batch, &bytes);
    std::vector<Pair> workspace(static_cast<size_t>(bytes) / sizeof(Pair) + 1, Pair{{NAN, NAN, NAN, NAN}});
    const void *inputs[] = {x.data()};
    void *outputs[] = {inPlace ? x.data() : y.data()};
    idc_launch(module->get(), batch, inputs, nullptr, outputs, workspace.data(), nullptr);
    std::vector<idc::emulator::Fault> found;
    for (const KernelReport &report : (*module)->reports())
      found.insert(found.end(), report.faults.begin(), report.faults.end());
    if (result)
      *result = inPlace ? x : y;
    return found;
  }

  /// Calls `run` with options for every order, random ones with several seeds.
  template <typename Run> static void inEveryOrder(int64_t residentBlocks, const Run &run) {
    for (Interleaving interleaving : everyInterleaving)
      for (uint64_t seed = 0; seed < (interleaving == Interleaving::Random ? 5 : 1); ++seed) {
        EmulatorOptions options;
        options.interleaving = interleaving;
        options.seed = seed;
        options.residentBlocks = options.heldBlocks = residentBlocks;
        run(options);
      }
  }

  /// No fault and the same results in every order, for each batch.
  void expectRightInEveryOrder(const std::vector<int64_t> &batches, const std::vector<int64_t> &residentBlocks) {
    for (int64_t batch : batches) {
      std::vector<Pair> first;
      for (int64_t resident : residentBlocks)
        inEveryOrder(resident, [&](const EmulatorOptions &options) {
          std::vector<Pair> result;
          for (const idc::emulator::Fault &fault : faults(text, options, batch, &result))
            ADD_FAILURE() << faultName(fault.kind) << ": " << fault.detail;
          if (first.empty())
            first = result;
          EXPECT_EQ(std::memcmp(first.data(), result.data(), first.size() * sizeof(Pair)), 0);
        });
    }
  }

  /// Orders in which the kernels show a fault, and orders tried.
  std::pair<int, int> tryOrders(const std::string &changed) {
    int shown = 0, tried = 0;
    inEveryOrder(8, [&](const EmulatorOptions &options) {
      shown += !faults(changed, options).empty();
      ++tried;
    });
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

  /// `text` with every match of a regular expression replaced, of which there must be `count`.
  std::string withEvery(const std::string &pattern, const std::string &to, int count) {
    std::regex expression(pattern);
    EXPECT_EQ(std::distance(std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator()), count)
        << pattern;
    return std::regex_replace(text, expression, to);
  }

  size_t floats = 0; // of a problem
  std::string text, manifest;
};

} // namespace idc::emulator
