// Kernels of two passes with a ring between them: every order of blocks and threads gives the same right result, and
// what blocks say to each other is noticed when it is missing or weaker.
#include "CompiledFixture.h"

using namespace idc;
using namespace idc::emulator;

namespace {

class RingKernels : public CompiledFixture {
protected:
  void SetUp() override { compile(10, "ring.id"); }
  /// Damaged kernels must be noticed in some order; `everywhere`: in each.
  void expectNoticed(const std::string &changed, bool everywhere = true) {
    auto [shown, tried] = tryOrders(changed);
    EXPECT_GT(shown, 0);
    if (everywhere) {
      EXPECT_EQ(shown, tried);
    }
  }
};

TEST_F(RingKernels, AreRightInEveryOrder) {
  EXPECT_NE(manifest.find("\"passes\": 1"), std::string::npos) << manifest;
  expectRightInEveryOrder({1, 2, 3, 11}, {1, 3, 8, 40});
}

TEST_F(RingKernels, BlocksThatTakeTheirOwnNumbers) {
  // Blocks start in any order: one may wait for another that cannot start.
  expectNoticed(
      withEvery(R"((%\w+) = llvm.atomicrmw add (%arg3), (%\w+) syncscope\("device"\) monotonic : !llvm.ptr<1>, i32)",
                "$1 = machine.block : i32", 1),
      /*everywhere=*/false);
}

TEST_F(RingKernels, NobodyWaits) {
  // Neither for a free slot nor for a full one. In some orders there is nothing to wait for.
  expectNoticed(withEvery(R"((%\w+) = arith.cmpi ult, (%\w+), (%\w+) : i32\n\s*scf.condition\()",
                          "$1 = arith.cmpi ult, $2, $2 : i32\n scf.condition(", 2),
                /*everywhere=*/false);
}

TEST_F(RingKernels, FreeSlotThatIsNotWaitedFor) {
  std::string::size_type spin = text.find("scf.condition("), compare = text.rfind("arith.cmpi ult", spin);
  ASSERT_NE(compare, std::string::npos);
  std::string changed = text;
  changed.replace(compare, 14, "arith.cmpi ugt");
  expectNoticed(changed, /*everywhere=*/false);
}

TEST_F(RingKernels, WriterWithoutFence) { expectNoticed(with("llvm.fence syncscope(\"device\") acq_rel", "", 0)); }

TEST_F(RingKernels, ReaderWithoutFence) { expectNoticed(with("llvm.fence syncscope(\"device\") acq_rel", "", 1)); }

TEST_F(RingKernels, SignalBeforeAllHaveWritten) {
  // The barrier before the first signal.
  std::string changed = text;
  size_t fence = changed.find("llvm.fence"), barrier = changed.rfind("machine.barrier", fence);
  changed.erase(barrier, std::string("machine.barrier").size());
  expectNoticed(changed);
}

TEST_F(RingKernels, WaitOfOneThreadOnly) {
  // The barrier after the second wait.
  std::string changed = text;
  size_t wait = changed.rfind("scf.condition("), barrier = changed.find("machine.barrier", wait);
  changed.erase(barrier, std::string("machine.barrier").size());
  expectNoticed(changed);
}

} // namespace
