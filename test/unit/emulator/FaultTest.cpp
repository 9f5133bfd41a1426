// Planted mistakes: each is found in every order of the threads, and named; the corrected kernel has none.
#include "EmulatorFixture.h"

using namespace idc::emulator;

namespace {

class Fault : public EmulatorFixture {
protected:
  using Kind = idc::emulator::Fault::Kind;

  /// Runs in all orders with three seeds each; every run has exactly one kind of fault, or none at all.
  void expectFault(const std::string &text, const Launch &launch, std::optional<Kind> kind) {
    for (Interleaving interleaving : everyInterleaving)
      for (uint64_t seed = 0; seed < (interleaving == Interleaving::Random ? 3 : 1); ++seed) {
        options.interleaving = interleaving;
        options.seed = seed;
        for (const Argument &argument : launch.arguments)
          if (argument.buffer && argument.buffer->writable)
            std::fill(argument.buffer->written.begin(), argument.buffer->written.end(), 0);
        KernelReport report = run(text, launch);
        if (!kind) {
          EXPECT_TRUE(report.passed()) << toText(report);
          continue;
        }
        EXPECT_GT(report.faultCount(*kind), 0) << toText(report);
        for (const idc::emulator::Fault &fault : report.faults)
          EXPECT_EQ(faultName(fault.kind), std::string(faultName(*kind))) << toText(report);
      }
  }

  std::vector<float> input = std::vector<float>(256, 1.0f), output = std::vector<float>(256);
  Buffer in{"in", reinterpret_cast<char *>(input.data()), 1024, true, false};
  Buffer out{"out", reinterpret_cast<char *>(output.data()), 1024, false};
  static constexpr const char *pointers = "%in: !llvm.ptr<1>, %out: !llvm.ptr<1>, %n: i64";
  Launch launch(int64_t blocks, int64_t threads, int64_t sharedBytes = 1024) {
    return {blocks, threads, sharedBytes, {{&in, 0}, {&out, 0}, {nullptr, 1}}};
  }
};

/// Thread t writes word t and reads word 63 - t.
std::string reverseThroughShared(const std::string &between) {
  return "    %c63 = arith.constant 63 : i32\n    %u = arith.subi %c63, %t : i32\n"
         "    %one = arith.constant 1.0 : f32\n"
         "    %p = llvm.getelementptr %shared[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32\n"
         "    %q = llvm.getelementptr %shared[%u] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32\n"
         "    llvm.store %one, %q : f32, !llvm.ptr<3>\n    machine.barrier\n"
         "    llvm.store %one, %p : f32, !llvm.ptr<3>\n" +
         between + "    %x = llvm.load %q : !llvm.ptr<3> -> f32\n";
}

TEST_F(Fault, MissingBarrierIsARace) {
  expectFault(kernel(pointers, reverseThroughShared("")), launch(2, 64), Kind::Race);
  expectFault(kernel(pointers, reverseThroughShared("    machine.barrier\n")), launch(2, 64), std::nullopt);
}

TEST_F(Fault, WarpBarrierOrdersOnlyItsWarp) {
  std::string sync = "    machine.warp_barrier\n";
  expectFault(kernel(pointers, reverseThroughShared(sync)), launch(1, 64), Kind::Race);
  // 63 - t is another warp's word; t ^ 31 is this warp's.
  std::string within = reverseThroughShared(sync);
  within.replace(within.find("arith.subi %c63, %t"), 19, "arith.xori %c31, %t");
  within = "    %c31 = arith.constant 31 : i32\n" + within;
  expectFault(kernel(pointers, within), launch(1, 64), std::nullopt);
}

TEST_F(Fault, WriteAfterReadIsARace) {
  std::string body = "    %one = arith.constant 1.0 : f32\n    %c1 = arith.constant 1 : i32\n"
                     "    %u = arith.xori %t, %c1 : i32\n"
                     "    %p = llvm.getelementptr %shared[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32\n"
                     "    %q = llvm.getelementptr %shared[%u] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32\n"
                     "    llvm.store %one, %p : f32, !llvm.ptr<3>\n    machine.barrier\n"
                     "    %x = llvm.load %q : !llvm.ptr<3> -> f32\n";
  std::string write = "    llvm.store %x, %p : f32, !llvm.ptr<3>\n";
  expectFault(kernel(pointers, body + write), launch(1, 64), Kind::Race);
  expectFault(kernel(pointers, body + "    machine.barrier\n" + write), launch(1, 64), std::nullopt);
}

TEST_F(Fault, TwoBlocksWriteOneWord) {
  // Block b, thread t writes word t; with the block number in the address, word 64 b + t.
  std::string address = "    %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32\n";
  std::string store = "    %one = arith.constant 1.0 : f32\n    llvm.store %one, %p : f32, !llvm.ptr<1>\n";
  expectFault(kernel(pointers, address + store), launch(2, 64), Kind::Race);
  std::string own = "    %c64 = arith.constant 64 : i32\n    %first = arith.muli %b, %c64 : i32\n"
                    "    %at = arith.addi %first, %t : i32\n"
                    "    %p = llvm.getelementptr %out[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32\n";
  expectFault(kernel(pointers, own + store), launch(2, 64), std::nullopt);
}

TEST_F(Fault, BlockReadsWhatAnotherWrites) {
  std::string body = "    %c0 = arith.constant 0 : i32\n    %one = arith.constant 1.0 : f32\n"
                     "    %first = arith.cmpi eq, %b, %c0 : i32\n"
                     "    scf.if %first {\n      llvm.store %one, %out : f32, !llvm.ptr<1>\n    } else {\n"
                     "      %x = llvm.load %out : !llvm.ptr<1> -> f32\n    }\n";
  options.interleaving = Interleaving::Greedy; // block 0 first: the bytes are written
  EXPECT_GT(run(kernel(pointers, body), launch(2, 1)).faultCount(Kind::Race), 0);
}

TEST_F(Fault, OutOfBounds) {
  auto store = [&](const std::string &index) {
    return "    %c = arith.constant " + index +
           " : i32\n    %i = arith.addi %t, %c : i32\n"
           "    %one = arith.constant 1.0 : f32\n"
           "    %p = llvm.getelementptr %out[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32\n"
           "    llvm.store %one, %p : f32, !llvm.ptr<1>\n";
  };
  expectFault(kernel(pointers, store("193")), launch(1, 64), Kind::OutOfBounds);
  expectFault(kernel(pointers, store("-1")), launch(1, 64), Kind::OutOfBounds);
  expectFault(kernel(pointers, store("192")), launch(1, 64), std::nullopt);
  KernelReport report = run(kernel(pointers, store("193")), launch(1, 64));
  ASSERT_EQ(report.faults.size(), 1u);
  EXPECT_EQ(report.faults[0].thread, 63);
  EXPECT_NE(report.faults[0].detail.find("4 bytes at byte 1024 of out"), std::string::npos) << report.faults[0].detail;
  EXPECT_NE(report.faults[0].op.find("llvm.store"), std::string::npos) << report.faults[0].op;
}

TEST_F(Fault, SharedMemoryHasItsSize) {
  std::string body = "    %one = arith.constant 1.0 : f32\n"
                     "    %p = llvm.getelementptr %shared[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32\n"
                     "    llvm.store %one, %p : f32, !llvm.ptr<3>\n";
  expectFault(kernel(pointers, body), launch(1, 64, 252), Kind::OutOfBounds);
  expectFault(kernel(pointers, body), launch(1, 64, 256), std::nullopt);
}

TEST_F(Fault, Misaligned) {
  std::string body = "    %p = llvm.getelementptr %in[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32\n"
                     "    %x = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>\n";
  expectFault(kernel(pointers, body), launch(1, 64), Kind::Misaligned);
  body.replace(body.find("16 : i64"), 8, "4 : i64"); // four accesses of 4 bytes
  expectFault(kernel(pointers, body), launch(1, 64), std::nullopt);
}

TEST_F(Fault, StoreToAnInput) {
  std::string body = "    %one = arith.constant 1.0 : f32\n    llvm.store %one, %in : f32, !llvm.ptr<1>\n";
  expectFault(kernel(pointers, body), launch(1, 1), Kind::ReadOnly);
}

TEST_F(Fault, UninitialisedSharedAndGlobalReads) {
  std::string shared = "    %p = llvm.getelementptr %shared[%t] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, f32\n"
                       "    %x = llvm.load %p : !llvm.ptr<3> -> f32\n";
  expectFault(kernel(pointers, shared), launch(1, 64), Kind::Uninitialised);
  expectFault(kernel(pointers, "    %x = llvm.load %out : !llvm.ptr<1> -> f32\n"), launch(1, 1), Kind::Uninitialised);
}

TEST_F(Fault, DivergentBarrier) {
  std::string condition = "    %c40 = arith.constant 40 : i32\n    %low = arith.cmpi ult, %t, %c40 : i32\n";
  expectFault(kernel(pointers, condition + "    scf.if %low {\n      machine.barrier\n    }\n"), launch(1, 64),
              Kind::DivergentBarrier);
  expectFault(kernel(pointers, condition +
                                   "    scf.if %low {\n      machine.barrier\n    } else {\n      machine.barrier\n"
                                   "    }\n"),
              launch(1, 64), Kind::DivergentBarrier);
  // All threads of the block take the same way.
  expectFault(kernel(pointers, condition + "    scf.if %low {\n      machine.barrier\n    }\n"), launch(1, 40),
              std::nullopt);
}

TEST_F(Fault, DivergentShuffle) {
  std::string shuffle = "      %y = machine.shuffle %t xor %c1 : i32\n";
  std::string constants = "    %c1 = arith.constant 1 : i32\n    %c16 = arith.constant 16 : i32\n";
  expectFault(kernel(pointers, constants + "    %low = arith.cmpi ult, %t, %c16 : i32\n    scf.if %low {\n" + shuffle +
                                   "    }\n"),
              launch(1, 32), Kind::DivergentShuffle);
  expectFault(kernel(pointers, constants + shuffle), launch(1, 48), std::nullopt);
}

TEST_F(Fault, EndlessLoop) {
  options.maxIterations = 1000;
  std::string body = "    %true = arith.constant true\n    scf.while : () -> () {\n      scf.condition(%true)\n"
                     "    } do {\n      scf.yield\n    }\n";
  expectFault(kernel(pointers, body), launch(1, 1), Kind::NoProgress);
}

TEST_F(Fault, UnknownOpsAndBadLaunchesAreErrors) {
  llvm::Expected<Emulator> unknown =
      make(kernel(pointers, "    llvm.call_intrinsic \"llvm.nvvm.fence.sc.cluster\"() : () -> ()\n"));
  ASSERT_FALSE(static_cast<bool>(unknown));
  EXPECT_NE(llvm::toString(unknown.takeError()).find("llvm.call_intrinsic"), std::string::npos);
  llvm::Expected<Emulator> good = make(kernel(pointers, ""));
  ASSERT_TRUE(static_cast<bool>(good));
  for (auto [name, wrong] : {std::pair<const char *, Launch>{"other", launch(1, 1)},
                             {"k", {1, 1, 0, {}}},
                             {"k", launch(0, 1)},
                             {"k", launch(1, 1025)},
                             {"k", launch(1, 1, -1)}}) {
    llvm::Expected<KernelReport> report = good->run(name, wrong);
    EXPECT_FALSE(static_cast<bool>(report));
    llvm::consumeError(report.takeError());
  }
}

} // namespace
