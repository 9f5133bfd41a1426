// Dependent launches: kernels that start while those before them run are right in every order of the threads; taking
// out any of their waits is noticed. And hand-written kernels for what the compiler never does.
#include "CompiledFixture.h"

using namespace idc;
using namespace idc::emulator;

namespace {

const std::string launchDependents = "machine.start_next", await = "machine.await_previous";

class DependentKernels : public CompiledFixture {
protected:
  void SetUp() override { compile(9, "dependent.id"); }

  bool shows(const std::string &text, Interleaving interleaving, idc::emulator::Fault::Kind kind) {
    EmulatorOptions options;
    options.interleaving = interleaving;
    options.residentBlocks = 16; // all
    return llvm::any_of(faults(text, options), [&](const idc::emulator::Fault &fault) { return fault.kind == kind; });
  }
};

TEST_F(DependentKernels, AreRightInEveryOrder) {
  EXPECT_NE(manifest.find("\"dependent\": true"), std::string::npos) << manifest;
  EXPECT_EQ(tryOrders(text).first, 0);
}

TEST_F(DependentKernels, ClustersAreRightInEveryOrder) {
  compile(11, "dependent.id");
  EXPECT_EQ(tryOrders(text).first, 0);
}

TEST_F(DependentKernels, ALoadBeforeTheEndOfTheKernelThatStores) {
  auto [shown, tried] = tryOrders(with(await, "", 1));
  EXPECT_EQ(shown, tried);
}

/// The last kernel waits for the second, which no longer waits for the first: both write the output.
TEST_F(DependentKernels, AKernelThatDoesNotPassOnItsPredecessorsEnd) {
  auto [shown, tried] = tryOrders(with(await, "", 0));
  EXPECT_EQ(shown, tried);
}

/// A race is found in every order; that blocks really go on before those of the kernel before show the bytes that
/// nobody has written yet.
TEST_F(DependentKernels, StartBesideTheKernelBefore) {
  using Kind = idc::emulator::Fault::Kind;
  std::string noWait = with(await, "", 0);
  EXPECT_TRUE(shows(noWait, Interleaving::RoundRobin, Kind::Uninitialised));
  EXPECT_FALSE(shows(noWait, Interleaving::Greedy, Kind::Uninitialised));
  std::string alone = noWait;
  alone.erase(alone.find(launchDependents), launchDependents.size());
  EXPECT_FALSE(shows(alone, Interleaving::RoundRobin, Kind::Uninitialised));
}

/// Groups in levels: three kernels, the last of which reads the input again before it waits. (Of bytes, as blocks that
/// wait for each other do it at once for wider elements.)
class DependentGroups : public CompiledFixture {
protected:
  void SetUp() override {
    codegen::CompileRequest request;
    request.file = std::string(IDC_STDLIB) + "/scan.id";
    request.entry = "inclusive_scan";
    request.types["T"] = "u8";
    request.sizes["n"] = 19;
    compile(request, size_t(1) << 17); // of four bytes each
  }
  bool fails(const std::string &changed, Interleaving interleaving) {
    EmulatorOptions options;
    options.interleaving = interleaving;
    options.residentBlocks = 8;
    return !faults(changed, options, /*batch=*/1).empty();
  }
};

TEST_F(DependentGroups, WaitForWhatKernelsBeforeHaveMade) {
  for (Interleaving interleaving : {Interleaving::RoundRobin, Interleaving::Random, Interleaving::Reverse}) {
    EXPECT_FALSE(fails(text, interleaving));
    for (int number : {0, 1})
      EXPECT_TRUE(fails(with(await, "", number), interleaving)) << number;
  }
}

/// Kernels "k" and "next" of one block of 32 threads each; each adds one to its element.
class DependentFault : public EmulatorFixture {
protected:
  static std::string addOne(const std::string &before) {
    return before + "    %p = llvm.getelementptr %x[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32\n"
                    "    %one = arith.constant 1.0 : f32\n"
                    "    %v = llvm.load %p : !llvm.ptr<1> -> f32\n"
                    "    %w = arith.addf %v, %one : f32\n"
                    "    llvm.store %w, %p : f32, !llvm.ptr<1>\n";
  }
  /// Runs "k" twice, the second time as a dependent launch, and returns what the first element has become.
  float twice(const std::string &before, Interleaving interleaving, std::vector<KernelReport> &reports) {
    options.interleaving = interleaving;
    alignas(16) float x[32] = {};
    Buffer buffer("x", reinterpret_cast<char *>(x), sizeof x, true);
    llvm::Expected<Emulator> emulator = make(kernel("%x: !llvm.ptr<1>", addOne(before)));
    if (!emulator) {
      ADD_FAILURE() << llvm::toString(emulator.takeError());
      return 0;
    }
    Launch launch{1, 32, 0, {{&buffer, 0}}};
    llvm::Expected<std::vector<KernelReport>> result = emulator->runDependent({{"k", launch}, {"k", launch}});
    if (!result) {
      ADD_FAILURE() << llvm::toString(result.takeError());
      return 0;
    }
    reports = std::move(*result);
    return x[0];
  }
};

TEST_F(DependentFault, WaitingOrdersReadsAndWrites) {
  for (Interleaving interleaving : everyInterleaving) {
    std::vector<KernelReport> reports;
    EXPECT_EQ(twice("    " + launchDependents + "\n    " + await + "\n", interleaving, reports), 2);
    ASSERT_EQ(reports.size(), 2u);
    EXPECT_TRUE(reports[0].faults.empty() && reports[1].faults.empty());
    EXPECT_TRUE(reports[0].finished && reports[1].finished);
  }
}

TEST_F(DependentFault, WithoutWaitingTheyRace) {
  for (Interleaving interleaving : everyInterleaving) {
    std::vector<KernelReport> reports;
    twice("    " + launchDependents + "\n", interleaving, reports);
    ASSERT_EQ(reports.size(), 2u);
    std::vector<idc::emulator::Fault> faults = reports[0].faults;
    faults.insert(faults.end(), reports[1].faults.begin(), reports[1].faults.end());
    ASSERT_FALSE(faults.empty());
    EXPECT_NE(faults[0].detail.find("kernel 'k'"), std::string::npos) << faults[0].detail;
  }
}

} // namespace
