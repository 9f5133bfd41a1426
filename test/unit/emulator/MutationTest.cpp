// Kernels of the library as the compiler makes them, then damaged: the emulator notices every barrier that is taken
// out, and shared memory that is too small.
#include "compiler/codegen/Compiler.h"
#include "compiler/emulator/EmulatedModule.h"

#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

#include <memory>

using namespace idc;
using namespace idc::emulator;

namespace {

struct Kernels {
  std::string text, manifest;
};

class Mutation : public ::testing::TestWithParam<int> {
protected:
  /// The FFT of 2^n points.
  static Kernels compile(int n) {
    codegen::CompileRequest request;
    request.file = std::string(IDC_STDLIB) + "/fft.id";
    request.libraries = {IDC_STDLIB};
    request.entry = "fft";
    request.sizes["n"] = n;
    codegen::Compiler compiler(request);
    llvm::Expected<std::string> text = compiler.emit(codegen::Level::Gpu, llvm::errs());
    llvm::Expected<std::string> manifest = compiler.launches(llvm::errs());
    if (text && manifest)
      return {*text, *manifest};
    ADD_FAILURE() << llvm::toString(text.takeError()) << llvm::toString(manifest.takeError());
    return {};
  }

  /// Faults of a kind when the kernels run on three problems; -1 with a failure added when they cannot.
  static int64_t faults(const Kernels &kernels, Fault::Kind kind, int n, EmulatorOptions options = {}) {
    constexpr int64_t batch = 3;
    llvm::Expected<std::unique_ptr<EmulatedModule>> module =
        EmulatedModule::create(kernels.text, kernels.manifest, options);
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      return -1;
    }
    struct alignas(16) Point {
      float re[4];
    };
    std::vector<Point> x(static_cast<size_t>(batch << n)), y(x.size()), workspace(x.size());
    const void *inputs[] = {x.data()};
    void *outputs[] = {y.data()};
    idc_launch(module->get(), batch, inputs, nullptr, outputs, workspace.data(), nullptr);
    EXPECT_FALSE((*module)->reports().empty());
    int64_t count = 0;
    for (const KernelReport &report : (*module)->reports())
      count += report.faultCount(kind);
    return count;
  }

  static std::vector<size_t> occurrences(const std::string &text, const std::string &word) {
    std::vector<size_t> found;
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
      found.push_back(at);
    return found;
  }
};

TEST_P(Mutation, EveryBarrierIsNeeded) {
  Kernels whole = compile(GetParam());
  EXPECT_EQ(faults(whole, Fault::Kind::Race, GetParam()), 0);
  for (const char *word : {"machine.barrier", "machine.warp_barrier"})
    for (size_t at : occurrences(whole.text, word))
      for (Interleaving interleaving : {Interleaving::Random, Interleaving::RoundRobin}) {
        Kernels damaged = whole;
        damaged.text.erase(at, damaged.text.find('\n', at) - at);
        EmulatorOptions options;
        options.interleaving = interleaving;
        EXPECT_GT(faults(damaged, Fault::Kind::Race, GetParam(), options), 0) << word << " at " << at;
      }
}

TEST_P(Mutation, AllSharedMemoryIsUsed) {
  Kernels whole = compile(GetParam());
  EXPECT_EQ(faults(whole, Fault::Kind::OutOfBounds, GetParam()), 0);
  for (size_t at : occurrences(whole.manifest, "\"sharedBytes\": ")) {
    Kernels damaged = whole;
    size_t number = at + std::string("\"sharedBytes\": ").size(), end = damaged.manifest.find(',', number);
    int64_t bytes = std::stoll(damaged.manifest.substr(number, end - number));
    if (!bytes)
      continue;
    damaged.manifest.replace(number, end - number, std::to_string(bytes - 4));
    EXPECT_GT(faults(damaged, Fault::Kind::OutOfBounds, GetParam()), 0) << bytes;
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, Mutation, ::testing::Values(6, 10, 13, 16),
                         [](const auto &info) { return "n" + std::to_string(info.param); });

} // namespace
