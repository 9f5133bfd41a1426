// Wavefronts and sectors of access patterns whose cost is known.
#include "EmulatorFixture.h"

using namespace idc::emulator;

namespace {

class Traffic : public EmulatorFixture {
protected:
  std::vector<float> memory = std::vector<float>(8192, 1.0f);
  Buffer buffer{"x", reinterpret_cast<char *>(memory.data()), 32768, true};

  /// Thread t stores `type` at byte t * stride of shared memory.
  KernelReport store(const std::string &type, int stride, int64_t threads = 32) {
    std::string body = "    %s = arith.constant " + std::to_string(stride) +
                       " : i32\n    %i = arith.muli %t, %s : i32\n"
                       "    %v = llvm.mlir.zero : " +
                       type +
                       "\n"
                       "    %p = llvm.getelementptr %shared[%i] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8\n"
                       "    llvm.store %v, %p : " +
                       type + ", !llvm.ptr<3>\n";
    // Lanes at stride 0 race with each other; the cost is the same.
    return run(kernel("%x: !llvm.ptr<1>", body), {1, threads, 8192, {{&buffer, 0}}});
  }
  /// Thread t loads `type` from byte first + t * stride of a buffer of `bytes` bytes.
  KernelReport load(const std::string &type, int stride, int first = 0, int64_t bytes = 32768, int64_t threads = 32) {
    std::string body = "    %s = arith.constant " + std::to_string(stride) +
                       " : i32\n    %i = arith.muli %t, %s : i32\n"
                       "    %p = llvm.getelementptr %x[%i] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i8\n"
                       "    %v = llvm.load %p : !llvm.ptr<1> -> " +
                       type + "\n";
    Buffer part{"x", buffer.data, bytes, true};
    return run(kernel("%x: !llvm.ptr<1>", body), {1, threads, 0, {{&part, first}}});
  }
};

TEST_F(Traffic, BankConflicts) {
  struct Case {
    const char *type;
    int stride;
    int64_t phases, wavefronts, worst;
  };
  const Case cases[] = {
      {"f32", 4, 1, 1, 1},
      {"f32", 8, 1, 2, 2},
      {"f32", 128, 1, 32, 32},
      {"f32", 132, 1, 1, 1},
      {"f32", 0, 1, 1, 1},
      {"f64", 8, 2, 2, 1},
      {"f64", 16, 2, 4, 2},
      {"f64", 128, 2, 32, 16},
      {"vector<4xf32>", 16, 4, 4, 1},
      {"vector<4xf32>", 32, 4, 8, 2},
      {"f16", 2, 1, 1, 1},
  };
  for (const Case &c : cases) {
    SharedTraffic traffic = store(c.type, c.stride).sharedStores;
    EXPECT_EQ(traffic.requests, 1) << c.type << " " << c.stride;
    EXPECT_EQ(traffic.phases, c.phases) << c.type << " " << c.stride;
    EXPECT_EQ(traffic.wavefronts, c.wavefronts) << c.type << " " << c.stride;
    EXPECT_EQ(traffic.worstConflict, c.worst) << c.type << " " << c.stride;
  }
}

TEST_F(Traffic, Sectors) {
  struct Case {
    const char *type;
    int stride, first;
    int64_t sectors, bytes, unused;
  };
  const Case cases[] = {
      {"f32", 4, 0, 4, 128, 0},     {"f32", 4, 4, 5, 128, 32}, {"f32", 8, 0, 8, 128, 128},
      {"f32", 32, 0, 32, 128, 896}, {"f32", 0, 0, 1, 4, 28},   {"vector<4xf32>", 16, 0, 16, 512, 0},
      {"f64", 64, 0, 32, 256, 768},
  };
  for (const Case &c : cases) {
    GlobalTraffic traffic = load(c.type, c.stride, c.first).loads;
    EXPECT_EQ(traffic.requests, 1) << c.type << " " << c.stride;
    EXPECT_EQ(traffic.sectors, c.sectors) << c.type << " " << c.stride << " " << c.first;
    EXPECT_EQ(traffic.bytes, c.bytes) << c.type << " " << c.stride;
    EXPECT_EQ(traffic.unusedBytes, c.unused) << c.type << " " << c.stride << " " << c.first;
  }
}

TEST_F(Traffic, TheEndOfABufferIsNotWasted) {
  GlobalTraffic traffic = load("f32", 4, 0, 40, 10).loads;
  EXPECT_EQ(traffic.sectors, 2);
  EXPECT_EQ(traffic.unusedBytes, 0);
}

TEST_F(Traffic, WarpsAndExecutionsAreRequestsOfTheirOwn) {
  // Each thread loops three times; the last warp has eight lanes.
  std::string body =
      "    %c0 = arith.constant 0 : i32\n    %c1 = arith.constant 1 : i32\n    %c3 = arith.constant 3 : i32\n"
      "    scf.for %i = %c0 to %c3 step %c1 : i32 {\n"
      "      %p = llvm.getelementptr %x[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32\n"
      "      %v = llvm.load %p : !llvm.ptr<1> -> f32\n    }\n";
  for (Interleaving interleaving : everyInterleaving) {
    options.interleaving = interleaving;
    KernelReport report = run(kernel("%x: !llvm.ptr<1>", body), {2, 72, 0, {{&buffer, 0}}});
    EXPECT_TRUE(report.passed()) << toText(report);
    EXPECT_EQ(report.loads.requests, 2 * 3 * 3);
    EXPECT_EQ(report.loads.sectors, 2 * 3 * (4 + 4 + 1));
  }
}

TEST_F(Traffic, TablesAreCountedApart) {
  std::string table = "  llvm.mlir.global internal constant @table(dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>) "
                      "{addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<4 x f32>\n";
  std::string body =
      "    %table = llvm.mlir.addressof @table : !llvm.ptr<1>\n    %v = llvm.load %table : !llvm.ptr<1> -> f32\n";
  KernelReport report = run(kernel("%x: !llvm.ptr<1>", body, table), {1, 32, 0, {{&buffer, 0}}});
  EXPECT_EQ(report.loads.requests, 0);
  EXPECT_EQ(report.tables.requests, 1);
  EXPECT_EQ(report.tables.bytes, 4);
}

TEST_F(Traffic, ArithmeticAndBarriers) {
  std::string body =
      "    %c = arith.constant 2.0 : f32\n    %a = arith.addf %c, %c : f32\n    %m = arith.mulf %a, %c : f32\n"
      "    %f = math.fma %a, %m, %c : f32\n    %g = math.fma %f, %m, %c : f32\n    machine.barrier\n"
      "    machine.warp_barrier\n";
  KernelReport report = run(kernel("%x: !llvm.ptr<1>", body), {3, 64, 0, {{&buffer, 0}}});
  EXPECT_EQ(report.add, 192);
  EXPECT_EQ(report.mul, 192);
  EXPECT_EQ(report.fma, 384);
  EXPECT_EQ(report.barriers, 192);
  EXPECT_EQ(report.warpBarriers, 192);
  EXPECT_NE(toText(report).find("fma 2"), std::string::npos) << toText(report);
  EXPECT_NE(toJson({report}).find("\"fma\": 384"), std::string::npos) << toJson({report});
}

} // namespace
