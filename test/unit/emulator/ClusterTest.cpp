// Clusters: a kernel of the compiler that exchanges between blocks is right in every order of the threads; taking out
// or weakening any of its cluster barriers is noticed. And hand-written kernels for what the compiler never does.
#include "EmulatorFixture.h"

#include "compiler/codegen/Compiler.h"
#include "compiler/emulator/EmulatedModule.h"

#include "llvm/Support/raw_ostream.h"

using namespace idc;
using namespace idc::emulator;

namespace {

const std::string arriveRelaxed = "nvvm.cluster.arrive.relaxed {aligned}", arrive = "nvvm.cluster.arrive {aligned}",
                  wait = "nvvm.cluster.wait {aligned}";

class ClusterKernels : public ::testing::Test {
protected:
  void SetUp() override {
    codegen::CompileRequest request;
    request.file = std::string(IDC_STDLIB) + "/fft.id";
    request.libraries = {IDC_STDLIB};
    request.entry = "fft";
    request.sizes["n"] = 10;
    request.scheduleFile = IDC_TEST_INPUTS "/cluster.id";
    codegen::Compiler compiler(request);
    llvm::Expected<std::string> kernels = compiler.emit(codegen::Level::Gpu, llvm::errs());
    llvm::Expected<std::string> launches = compiler.launches(llvm::errs());
    ASSERT_TRUE(kernels && launches);
    text = *kernels;
    manifest = *launches;
  }

  /// Faults when the kernels run on five problems in one order.
  static int64_t faults(const std::string &text, const std::string &manifest, EmulatorOptions options) {
    llvm::Expected<std::unique_ptr<EmulatedModule>> module = EmulatedModule::create(text, manifest, options);
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      return -1;
    }
    struct alignas(16) Pair {
      float number[4];
    };
    std::vector<Pair> x(5 << 9), y(5 << 9);
    const void *inputs[] = {x.data()};
    void *outputs[] = {y.data()};
    idc_launch(module->get(), 5, inputs, nullptr, outputs, nullptr, nullptr);
    int64_t count = 0;
    for (const KernelReport &report : (*module)->reports())
      for (const idc::emulator::Fault &fault : report.faults)
        count += fault.count;
    return count;
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
        shown += faults(changed, manifest, options) > 0;
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

  std::string text, manifest;
};

TEST_F(ClusterKernels, AreRightInEveryOrder) {
  EXPECT_NE(manifest.find("\"cluster\": 4"), std::string::npos) << manifest;
  EXPECT_EQ(tryOrders(text).first, 0);
}

TEST_F(ClusterKernels, WritesBeforeAllHaveStarted) {
  std::string changed = with(arriveRelaxed, "");
  size_t first = changed.find(wait);
  changed.erase(first, wait.size());
  EXPECT_GT(tryOrders(changed).first, 0);
}

TEST_F(ClusterKernels, ReadsBeforeAllHaveWritten) {
  std::string changed = with(arrive, "");
  size_t last = changed.rfind(wait);
  changed.erase(last, wait.size());
  EXPECT_GT(tryOrders(changed).first, 0);
}

TEST_F(ClusterKernels, RelaxedBarrierOrdersNothing) {
  auto [shown, tried] = tryOrders(with(arrive, arriveRelaxed));
  EXPECT_EQ(shown, tried);
}

TEST_F(ClusterKernels, ArrivalThatNobodyWaitsFor) {
  auto [shown, tried] = tryOrders(with(wait, ""));
  EXPECT_EQ(shown, tried);
}

TEST_F(ClusterKernels, WaitWithoutArrival) {
  auto [shown, tried] = tryOrders(with(arriveRelaxed, ""));
  EXPECT_EQ(shown, tried);
}

/// Two blocks; thread t of rank r writes word t of the other block, then reads its own word.
class ClusterFault : public EmulatorFixture {
protected:
  static std::string exchange(const std::string &before, const std::string &between, const std::string &after = "") {
    return "    %c1 = arith.constant 1 : i32\n    %r = arith.andi %b, %c1 : i32\n    %o = arith.xori %r, %c1 : i32\n"
           "    %one = arith.constant 1.0 : f32\n" +
           before +
           "    %peer = nvvm.mapa %shared, %o : !llvm.ptr<3> -> !llvm.ptr<7>\n"
           "    %q = llvm.getelementptr %peer[%t] : (!llvm.ptr<7>, i32) -> !llvm.ptr<7>, f32\n"
           "    %p = llvm.getelementptr %shared[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32\n"
           "    llvm.store %one, %q : f32, !llvm.ptr<7>\n" +
           between + "    %x = llvm.load %p : !llvm.ptr<3> -> f32\n" + after;
  }
  static Launch launch(int64_t blocks = 4) { return {blocks, 32, 128, {}, 2}; }
  const std::string start = "    nvvm.cluster.arrive.relaxed\n    nvvm.cluster.wait\n",
                    full = "    nvvm.cluster.arrive\n    nvvm.cluster.wait\n";

  int64_t faultsOf(const std::string &body, const Launch &launch, Interleaving interleaving) {
    options.interleaving = interleaving;
    KernelReport report = run(kernel("", body), launch);
    int64_t count = 0;
    for (const idc::emulator::Fault &fault : report.faults)
      count += fault.count;
    return count;
  }
};

TEST_F(ClusterFault, CorrectExchange) {
  for (Interleaving interleaving : everyInterleaving)
    EXPECT_EQ(faultsOf(exchange(start, full), launch(), interleaving), 0);
}

TEST_F(ClusterFault, ABlockThatEndsWhileOthersStillWriteToIt) {
  std::string body = exchange(start, "", "");
  int64_t count = 0;
  for (Interleaving interleaving : everyInterleaving)
    count += faultsOf(body, launch(), interleaving);
  EXPECT_GT(count, 0);
}

TEST_F(ClusterFault, RankOutsideTheCluster) {
  std::string body = exchange(start, full);
  body.replace(body.find("arith.xori %r, %c1"), 18, "arith.addi %b, %c1");
  for (Interleaving interleaving : everyInterleaving)
    EXPECT_GT(faultsOf(body, launch(8), interleaving), 0);
}

TEST_F(ClusterFault, GridThatIsNoMultipleOfTheCluster) {
  llvm::Expected<Emulator> emulator = make(kernel("", ""));
  ASSERT_TRUE(static_cast<bool>(emulator));
  llvm::Expected<KernelReport> report = emulator->run("k", launch(3));
  ASSERT_FALSE(static_cast<bool>(report));
  EXPECT_NE(llvm::toString(report.takeError()).find("in clusters of 2"), std::string::npos);
}

} // namespace
