// Clusters: a kernel of the compiler that exchanges between blocks is right in every order of the threads; taking out
// or weakening any of its cluster barriers is noticed. And hand-written kernels for what the compiler never does.
#include "CompiledFixture.h"

using namespace idc;
using namespace idc::emulator;

namespace {

const std::string arriveRelaxed = "machine.cluster_arrive relaxed", arrive = "machine.cluster_arrive release",
                  wait = "machine.cluster_wait";

/// A kernel over tiles, and groups in levels: a contraction whose last level each block of the cluster has all of, and
/// an expansion besides.
class ClusterKernels : public CompiledFixture, public ::testing::WithParamInterface<std::string> {
protected:
  void SetUp() override {
    if (GetParam() == "fft")
      return compile(10, "cluster.id");
    codegen::CompileRequest request;
    request.file = std::string(IDC_STDLIB) + "/" + (GetParam() == "haar" ? "haar.id" : "scan.id");
    request.entry = GetParam();
    request.types["T"] = "f32";
    request.sizes["n"] = 16;
    compile(request, size_t(1) << 16);
  }
};
INSTANTIATE_TEST_SUITE_P(Programs, ClusterKernels, ::testing::Values("fft", "exclusive_scan", "haar"),
                         [](const auto &test) { return test.param; });

TEST_P(ClusterKernels, AreRightInEveryOrder) {
  EXPECT_EQ(manifest.find("\"cluster\": 1,"), std::string::npos) << manifest;
  EXPECT_EQ(tryOrders(text).first, 0);
}

TEST_P(ClusterKernels, WritesBeforeAllHaveStarted) {
  std::string changed = with(arriveRelaxed, "");
  size_t first = changed.find(wait);
  changed.erase(first, wait.size());
  EXPECT_GT(tryOrders(changed).first, 0);
}

TEST_P(ClusterKernels, ReadsBeforeAllHaveWritten) {
  std::string changed = with(arrive, "");
  size_t last = changed.rfind(wait);
  changed.erase(last, wait.size());
  EXPECT_GT(tryOrders(changed).first, 0);
}

TEST_P(ClusterKernels, RelaxedBarrierOrdersNothing) {
  auto [shown, tried] = tryOrders(with(arrive, arriveRelaxed));
  EXPECT_EQ(shown, tried);
}

TEST_P(ClusterKernels, ArrivalThatNobodyWaitsFor) {
  auto [shown, tried] = tryOrders(with(wait, ""));
  EXPECT_EQ(shown, tried);
}

TEST_P(ClusterKernels, WaitWithoutArrival) {
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
           "    %peer = machine.peer %shared rank %o : !llvm.ptr<3> -> !llvm.ptr<7>\n"
           "    %q = llvm.getelementptr %peer[%t] : (!llvm.ptr<7>, i32) -> !llvm.ptr<7>, f32\n"
           "    %p = llvm.getelementptr %shared[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32\n"
           "    llvm.store %one, %q : f32, !llvm.ptr<7>\n" +
           between + "    %x = llvm.load %p : !llvm.ptr<3> -> f32\n" + after;
  }
  static Launch launch(int64_t blocks = 4) { return {blocks, 32, 128, {}, 2}; }
  const std::string start = "    machine.cluster_arrive relaxed\n    machine.cluster_wait\n",
                    full = "    machine.cluster_arrive release\n    machine.cluster_wait\n";

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
