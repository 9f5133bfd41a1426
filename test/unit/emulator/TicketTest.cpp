// Persistent kernels: every order of threads and of the asynchronous stores between blocks gives the same right result;
// what their protocol needs is noticed when it is missing or weaker. And hand-written kernels for what a relaxed
// barrier orders.
#include "CompiledFixture.h"

using namespace idc;
using namespace idc::emulator;

namespace {

const std::string arriveRelaxed = "machine.cluster_arrive relaxed", arrive = "machine.cluster_arrive release",
                  wait = "machine.cluster_wait";

class TicketKernels : public CompiledFixture, public ::testing::WithParamInterface<const char *> {
protected:
  void SetUp() override { compile(10, GetParam()); }
};

TEST_P(TicketKernels, AreRightInEveryOrder) {
  EXPECT_NE(manifest.find("\"persistent\": true"), std::string::npos) << manifest;
  expectRightInEveryOrder({1, 3, 20}, {1, 8, 16});
}

TEST_P(TicketKernels, TwoThatDrawAtOnce) {
  std::string changed =
      withEvery(R"((%\w+) = llvm.atomicrmw add (%\w+), (%\w+) syncscope\("device"\) monotonic : !llvm.ptr<1>, i32)",
                "$1 = llvm.load $2 : !llvm.ptr<1> -> i32\n %sum = arith.addi $1, $3 : i32\n"
                "llvm.store %sum, $2 : i32, !llvm.ptr<1>",
                1);
  auto [shown, tried] = tryOrders(changed);
  EXPECT_EQ(shown, tried);
}

INSTANTIATE_TEST_SUITE_P(Schedules, TicketKernels,
                         ::testing::Values("tickets.id", "tickets_late.id", "tickets_blocks.id"), [](const auto &info) {
                           std::string name = info.param;
                           return name.substr(0, name.find('.'));
                         });

class TicketClusters : public CompiledFixture {
protected:
  void SetUp() override { compile(10, "tickets.id"); }
};

TEST_F(TicketClusters, WritesBeforeMemoryIsFree) {
  std::string changed = with(arriveRelaxed, "", 1);
  changed.erase(changed.find(arriveRelaxed), arriveRelaxed.size());
  changed.erase(changed.find(wait), wait.size());
  auto [shown, tried] = tryOrders(changed);
  EXPECT_EQ(shown, tried);
}

TEST_F(TicketClusters, BarriersThatAreNotPublished) {
  auto [shown, tried] = tryOrders(with("machine.phase_publish", ""));
  EXPECT_EQ(shown, tried);
}

TEST_F(TicketClusters, ReadsBeforeAllWordsHaveArrived) {
  // The wait asks once and goes on whatever the answer is.
  auto [shown, tried] =
      tryOrders(withEvery(R"(scf.condition\((%\w+)\)\n)", "%no = arith.constant false\nscf.condition(%no)\n", 1));
  EXPECT_EQ(shown, tried);
}

TEST_F(TicketClusters, WaitThatOrdersTheBlockOnly) {
  auto [shown, tried] = tryOrders(withEvery(R"((machine.phase_over [^\n]*) cluster)", "$1 block", 1));
  EXPECT_EQ(shown, tried);
}

TEST_F(TicketClusters, ExpectsTooFewBytes) {
  auto [shown, tried] = tryOrders(withEvery("arith.constant 4100 : i32", "arith.constant 4096 : i32", 2));
  EXPECT_EQ(shown, tried);
}

TEST_F(TicketClusters, ExpectsTooManyBytes) {
  auto [shown, tried] = tryOrders(withEvery("arith.constant 4100 : i32", "arith.constant 4104 : i32", 2));
  EXPECT_EQ(shown, tried);
}

TEST_F(TicketClusters, BarrierThatIsNotArmedAgain) {
  std::string changed = text;
  size_t again = changed.rfind("machine.phase_expect"), end = changed.find('\n', again);
  changed.erase(again, end - again);
  auto [shown, tried] = tryOrders(changed);
  EXPECT_EQ(shown, tried);
}

TEST_F(TicketClusters, NumberThatIsNotSent) {
  auto [shown, tried] = tryOrders(withEvery(R"(machine.send [^\n]* : i32 to [^\n]*\n)", "\n", 1));
  EXPECT_EQ(shown, tried);
}

class LateTicketClusters : public CompiledFixture {
protected:
  void SetUp() override { compile(10, "tickets_late.id"); }
};

TEST_F(LateTicketClusters, RelaxedBarrierAfterAnExchangeInTheBlock) {
  auto [shown, tried] = tryOrders(with(arrive, arriveRelaxed));
  EXPECT_EQ(shown, tried);
}

/// Two blocks of one warp: thread t reads word t of its block, which thread t of the other block writes after a relaxed
/// cluster barrier.
class RelaxedBarrier : public EmulatorFixture {
protected:
  /// Faults in all orders, with `before` and `after` the arrival.
  int64_t faults(const std::string &before, const std::string &after) {
    std::string body =
        "    %c1 = arith.constant 1 : i32\n    %r = arith.andi %b, %c1 : i32\n    %o = arith.xori %r, %c1 : i32\n"
        "    %one = arith.constant 1.0 : f32\n    %c32 = arith.constant 32 : i32\n"
        "    %p = llvm.getelementptr %shared[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32\n"
        "    %i = arith.addi %t, %c32 : i32\n"
        "    %s = llvm.getelementptr %shared[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32\n"
        "    llvm.store %one, %p : f32, !llvm.ptr<3>\n    %x = llvm.load %p : !llvm.ptr<3> -> f32\n"
        "    %y = arith.addf %x, %x : f32\n" +
        before + "    machine.cluster_arrive relaxed\n    machine.cluster_wait\n" +
        "    %peer = machine.peer %shared rank %o : !llvm.ptr<3> -> !llvm.ptr<7>\n"
        "    %q = llvm.getelementptr %peer[%t] : (!llvm.ptr<7>, i32) -> !llvm.ptr<7>, f32\n"
        "    llvm.store %one, %q : f32, !llvm.ptr<7>\n" +
        after + "    machine.cluster_arrive release\n    machine.cluster_wait\n";
    int64_t count = 0;
    for (Interleaving interleaving : everyInterleaving) {
      options.interleaving = interleaving;
      for (const idc::emulator::Fault &fault : run(kernel("", body), {4, 32, 256, {}, 2}).faults)
        count += fault.count;
    }
    return count;
  }
  const std::string use = "    llvm.store %y, %s : f32, !llvm.ptr<3>\n";
};

TEST_F(RelaxedBarrier, OrdersReadsWhoseValuesWereStored) { EXPECT_EQ(faults(use, ""), 0); }
TEST_F(RelaxedBarrier, DoesNotOrderReadsThatMayBeUnderWay) { EXPECT_GT(faults("", use), 0); }

} // namespace
