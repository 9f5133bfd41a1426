// Instructions compute what their ops mean.
#include "EmulatorFixture.h"

#include <cstring>

using namespace idc::emulator;

namespace {

class Instructions : public EmulatorFixture {
protected:
  /// Runs `body`, which defines %r of type `type`, on `threads` threads that store it, and returns what they stored.
  template <class T> std::vector<T> results(const std::string &type, const std::string &body, int64_t threads = 1) {
    std::vector<T> values(static_cast<size_t>(threads));
    Buffer out("out", reinterpret_cast<char *>(values.data()), static_cast<int64_t>(threads * sizeof(T)), false);
    std::string store = "    %p = llvm.getelementptr %out[%t] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, " + type +
                        "\n    llvm.store %r, %p : " + type + ", !llvm.ptr<1>\n";
    KernelReport report = run(kernel("%out: !llvm.ptr<1>", body + store), {1, threads, 256, {{&out, 0}}});
    EXPECT_TRUE(report.passed()) << toText(report);
    return values;
  }
  template <class T> T result(const std::string &type, const std::string &body) { return results<T>(type, body)[0]; }
};

TEST_F(Instructions, Integers) {
  auto binary = [&](const std::string &op, const std::string &a, const std::string &b) {
    return result<int32_t>("i32", "    %a = arith.constant " + a + " : i32\n    %b1 = arith.constant " + b +
                                      " : i32\n    %r = arith." + op + " %a, %b1 : i32\n");
  };
  EXPECT_EQ(binary("addi", "2147483647", "1"), INT32_MIN);
  EXPECT_EQ(binary("subi", "1", "2"), -1);
  EXPECT_EQ(binary("muli", "-3", "5"), -15);
  EXPECT_EQ(binary("divsi", "-7", "2"), -3);
  EXPECT_EQ(binary("remsi", "-7", "2"), -1);
  EXPECT_EQ(binary("divui", "-1", "2"), 0x7fffffff);
  EXPECT_EQ(binary("shrui", "-1", "4"), 0x0fffffff);
  EXPECT_EQ(binary("shrsi", "-16", "2"), -4);
  EXPECT_EQ(binary("shli", "1", "31"), INT32_MIN);
  EXPECT_EQ(binary("xori", "5", "6"), 3);
  EXPECT_EQ(binary("minsi", "-1", "1"), -1);
  EXPECT_EQ(binary("minui", "-1", "1"), 1);
}

TEST_F(Instructions, ComparisonsOfIntegers) {
  for (auto [predicate, a, b, expected] : {std::tuple("eq", 1, 1, true),
                                           {"ne", 1, 1, false},
                                           {"slt", -1, 1, true},
                                           {"ult", -1, 1, false},
                                           {"sge", -1, 1, false},
                                           {"uge", -1, 1, true},
                                           {"sle", 1, 1, true},
                                           {"ugt", 1, 1, false}}) {
    std::string body = "    %a = arith.constant " + std::to_string(a) + " : i32\n    %c = arith.constant " +
                       std::to_string(b) + " : i32\n    %cmp = arith.cmpi " + predicate +
                       ", %a, %c : i32\n    %r = arith.extui %cmp : i1 to i32\n";
    EXPECT_EQ(result<int32_t>("i32", body), expected) << predicate;
  }
}

TEST_F(Instructions, ComparisonsOfNumbers) {
  const std::string nan = "0x7FC00000", one = "1.0", two = "2.0";
  for (auto [predicate, a, b, expected] : {std::tuple("oeq", one, one, true),
                                           {"une", one, nan, true},
                                           {"olt", one, two, true},
                                           {"olt", nan, two, false},
                                           {"ult", nan, two, true},
                                           {"oge", two, two, true},
                                           {"uno", nan, one, true},
                                           {"ord", nan, one, false},
                                           {"ueq", one, two, false},
                                           {"ogt", two, one, true},
                                           {"one", one, two, true}}) {
    std::string body = "    %a = arith.constant " + a + " : f32\n    %c = arith.constant " + b +
                       " : f32\n    %cmp = arith.cmpf " + predicate +
                       ", %a, %c : f32\n    %r = arith.extui %cmp : i1 to i32\n";
    EXPECT_EQ(result<int32_t>("i32", body), expected) << predicate << " " << a << " " << b;
  }
}

TEST_F(Instructions, FusedMultiplyAddRoundsOnce) {
  // (1 + 2^-12)^2 - (1 + 2^-11) = 2^-24, which a rounded product loses.
  std::string body = "    %a = arith.constant 1.000244140625 : f32\n    %c = arith.constant -1.00048828125 : f32\n"
                     "    %r = math.fma %a, %a, %c : f32\n";
  EXPECT_EQ(result<float>("f32", body), 0x1p-24f);
}

TEST_F(Instructions, Conversions) {
  EXPECT_EQ(result<int64_t>("i64", "    %a = arith.constant -5 : i32\n    %r = arith.extsi %a : i32 to i64\n"), -5);
  EXPECT_EQ(result<int64_t>("i64", "    %a = arith.constant -5 : i32\n    %r = arith.extui %a : i32 to i64\n"),
            4294967291);
  EXPECT_EQ(result<int32_t>("i32", "    %a = arith.constant 4294967297 : i64\n    %r = arith.trunci %a : i64 to i32\n"),
            1);
  EXPECT_EQ(result<float>("f32", "    %a = arith.constant -5 : i32\n    %r = arith.sitofp %a : i32 to f32\n"), -5.0f);
  EXPECT_EQ(result<int32_t>("i32", "    %a = arith.constant -5.75 : f64\n    %r = arith.fptosi %a : f64 to i32\n"), -5);
  EXPECT_EQ(result<double>("f64", "    %a = arith.constant 0.1 : f32\n    %r = arith.extf %a : f32 to f64\n"),
            double(0.1f));
  EXPECT_EQ(result<uint16_t>("f16", "    %a = arith.constant 1.5 : f32\n    %r = arith.truncf %a : f32 to f16\n"),
            0x3e00);
  EXPECT_EQ(result<uint32_t>("i32", "    %a = arith.constant 1.0 : f32\n    %r = arith.bitcast %a : f32 to i32\n"),
            0x3f800000u);
}

TEST_F(Instructions, HalfPrecision) {
  std::string body = "    %a = arith.constant 1.0 : f16\n    %c = arith.constant 0.00048828125 : f16\n"
                     "    %r = arith.addf %a, %c : f16\n"; // 1 + 2^-11 rounds to even
  EXPECT_EQ(result<uint16_t>("f16", body), 0x3c00);
}

TEST_F(Instructions, Vectors) {
  std::string body = "    %c0 = arith.constant 0 : i32\n    %c1 = arith.constant 1 : i32\n"
                     "    %v = arith.constant dense<[1.0, 2.0]> : vector<2xf32>\n    %z = arith.constant 8.0 : f32\n"
                     "    %w = llvm.insertelement %z, %v[%c0 : i32] : vector<2xf32>\n"
                     "    %sum = arith.addf %v, %w : vector<2xf32>\n"
                     "    %x = llvm.extractelement %sum[%c0 : i32] : vector<2xf32>\n"
                     "    %y = llvm.extractelement %sum[%c1 : i32] : vector<2xf32>\n"
                     "    %r = arith.subf %x, %y : f32\n";
  EXPECT_EQ(result<float>("f32", body), 5.0f);
}

TEST_F(Instructions, LoopsCarryValuesTogether) {
  // Fibonacci numbers: both values change at once.
  std::string body =
      "    %c0 = arith.constant 0 : i32\n    %c1 = arith.constant 1 : i32\n    %n = arith.constant 10 : i32\n"
      "    %r, %next = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0, %y = %c1) -> (i32, i32) : i32 {\n"
      "      %z = arith.addi %x, %y : i32\n      scf.yield %y, %z : i32, i32\n    }\n";
  EXPECT_EQ(result<int32_t>("i32", body), 55);
  std::string loop =
      "    %c0 = arith.constant 0 : i32\n    %c1 = arith.constant 1 : i32\n    %n = arith.constant 100 : i32\n"
      "    %r, %next = scf.while (%x = %c0, %y = %c1) : (i32, i32) -> (i32, i32) {\n"
      "      %go = arith.cmpi slt, %x, %n : i32\n      scf.condition(%go) %x, %y : i32, i32\n"
      "    } do {\n    ^bb0(%x: i32, %y: i32):\n      %z = arith.addi %x, %y : i32\n"
      "      scf.yield %y, %z : i32, i32\n    }\n";
  EXPECT_EQ(result<int32_t>("i32", loop), 144);
}

TEST_F(Instructions, BranchesGiveTheirValues) {
  std::string body = "    %c2 = arith.constant 2 : i32\n    %c7 = arith.constant 7 : i32\n"
                     "    %low = arith.cmpi ult, %t, %c2 : i32\n    %r = scf.if %low -> (i32) {\n"
                     "      %s = arith.addi %t, %c7 : i32\n      scf.yield %s : i32\n    } else {\n"
                     "      scf.yield %t : i32\n    }\n";
  EXPECT_EQ(results<int32_t>("i32", body, 4), (std::vector<int32_t>{7, 8, 2, 3}));
}

TEST_F(Instructions, Shuffles) {
  auto shuffled = [&](const std::string &kind, int lane) {
    std::string body = "    %l = arith.constant " + std::to_string(lane) + " : i32\n    %r = machine.shuffle %t " +
                       kind + " %l : i32\n";
    return results<int32_t>("i32", body, 32);
  };
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(shuffled("xor", 5)[static_cast<size_t>(lane)], lane ^ 5);
    EXPECT_EQ(shuffled("from", 7)[static_cast<size_t>(lane)], 7);
  }
}

} // namespace
