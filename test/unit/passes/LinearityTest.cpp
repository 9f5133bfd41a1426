// Which bodies are linear, and which of them commute.
#include "compiler/passes/Linearity.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace idc;

namespace {

class Linearity : public ::testing::Test {
protected:
  Linearity() {
    context.loadDialect<id::IdDialect, mlir::arith::ArithDialect, mlir::complex::ComplexDialect,
                        mlir::math::MathDialect>();
  }

  /// Whether a body with `count` arguments %a0, %a1, … of `type` and as many results is linear.
  bool isLinear(const std::string &type, int count, const std::string &body, const std::string &results) {
    mlir::Region *region = parse(type, count, body, results);
    return region && passes::isLinear(*region);
  }

  /// Does a body of two elements of two leaves commute with another?
  bool commute(const std::string &type, const std::string &body, const std::string &results, const std::string &other,
               const std::string &otherResults) {
    auto matrices = [&](const std::string &text, const std::string &yielded) {
      mlir::Region *region = parse(type, 4, text, yielded);
      EXPECT_TRUE(region && passes::isLinear(*region)) << text;
      return passes::LeafMatrices(*region, 2);
    };
    const passes::LeafMatrices a = matrices(body, results), b = matrices(other, otherResults);
    EXPECT_EQ(a.commuteWith(b), b.commuteWith(a));
    return a.commuteWith(b);
  }

  mlir::Region *parse(const std::string &type, int count, const std::string &body, const std::string &results) {
    std::string arguments, types;
    for (int i = 0; i < count; ++i) {
      arguments += (i ? ", %a" : "%a") + std::to_string(i) + ": " + type;
      types += (i ? ", " : "") + type;
    }
    std::string sequence = "!id.seq<" + std::to_string(count) + ", " + type + ">";
    std::string text = "%x = \"test.input\"() : () -> " + sequence + "\n%y = id.node [1] (%x) : (" + sequence +
                       ") -> " + sequence + " {\n^bb0(" + arguments + "):\n" + body + "\nid.yield " + results + " : " +
                       types + "\n}\n";
    context.allowUnregisteredDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << text;
      return nullptr;
    }
    return &(*module->getBody()->getOps<id::NodeOp>().begin()).getBody();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(Linearity, Radix2) {
  EXPECT_TRUE(isLinear("complex<f32>", 2,
                       "%p = complex.add %a0, %a1 : complex<f32>\n%m = complex.sub %a0, %a1 : complex<f32>", "%p, %m"));
  EXPECT_TRUE(isLinear("f64", 2, "%p = arith.addf %a0, %a1 : f64\n%m = arith.subf %a0, %a1 : f64", "%p, %m"));
}

TEST_F(Linearity, Radix3) {
  EXPECT_TRUE(isLinear("complex<f64>", 3, R"(
    %w = complex.constant [-0.5 : f64, -0.86602540378443864676 : f64] : complex<f64>
    %v = complex.constant [-0.5 : f64, 0.86602540378443864676 : f64] : complex<f64>
    %s = complex.add %a1, %a2 : complex<f64>
    %r0 = complex.add %a0, %s : complex<f64>
    %w1 = complex.mul %a1, %w : complex<f64>
    %v2 = complex.mul %v, %a2 : complex<f64>
    %t = complex.add %a0, %w1 : complex<f64>
    %r1 = complex.add %t, %v2 : complex<f64>
    %v1 = complex.mul %a1, %v : complex<f64>
    %w2 = complex.mul %a2, %w : complex<f64>
    %u = complex.add %v1, %w2 : complex<f64>
    %r2 = complex.add %a0, %u : complex<f64>)",
                       "%r0, %r1, %r2"));
}

TEST_F(Linearity, Radix4) {
  EXPECT_TRUE(isLinear("complex<f32>", 4, R"(
    %i = complex.constant [0.0 : f32, -1.0 : f32] : complex<f32>
    %s = complex.add %a0, %a2 : complex<f32>
    %d = complex.sub %a0, %a2 : complex<f32>
    %t = complex.add %a1, %a3 : complex<f32>
    %e = complex.sub %a1, %a3 : complex<f32>
    %f = complex.mul %e, %i : complex<f32>
    %r0 = complex.add %s, %t : complex<f32>
    %r1 = complex.add %d, %f : complex<f32>
    %r2 = complex.sub %s, %t : complex<f32>
    %r3 = complex.sub %d, %f : complex<f32>)",
                       "%r0, %r1, %r2, %r3"));
}

TEST_F(Linearity, ConstantsNegationDivisionFma) {
  EXPECT_TRUE(isLinear("f32", 2, R"(
    %two = arith.constant 2.0 : f32
    %three = arith.constant 3.0 : f32
    %six = arith.mulf %two, %three : f32
    %n = arith.negf %a0 : f32
    %h = arith.divf %a1, %two : f32
    %r = math.fma %six, %n, %h : f32
    %zero = arith.subf %a0, %a0 : f32)",
                       "%r, %zero"));
  EXPECT_TRUE(isLinear("f32", 2, "", "%a1, %a0"));
}

TEST_F(Linearity, ConstantResults) {
  EXPECT_FALSE(isLinear("f32", 2, "%c = arith.constant 1.0 : f32", "%a0, %c")) << "not zero";
  EXPECT_FALSE(isLinear("f32", 2, "%c = arith.constant 1.0 : f32\n%s = arith.addf %a0, %c : f32", "%s, %a1"));
  EXPECT_TRUE(isLinear("f32", 2, "%c = arith.constant 0.0 : f32", "%a0, %c"));
}

TEST_F(Linearity, Nonlinear) {
  EXPECT_FALSE(isLinear("complex<f32>", 2, "%c = complex.conj %a0 : complex<f32>", "%c, %a1"));
  EXPECT_FALSE(isLinear("complex<f32>", 2,
                        "%c = complex.re %a0 : complex<f32>\n%d = complex.create %c, %c : complex<f32>", "%d, %a1"));
  EXPECT_FALSE(isLinear("f32", 2, "%c = arith.minimumf %a0, %a1 : f32", "%c, %a1"));
  EXPECT_FALSE(isLinear("f32", 2, "%c = arith.mulf %a0, %a1 : f32", "%c, %a1"));
  EXPECT_FALSE(isLinear("f32", 2, "%c = arith.mulf %a0, %a0 : f32", "%c, %a1"));
  EXPECT_FALSE(isLinear("f32", 2, "%c = arith.divf %a0, %a1 : f32", "%c, %a1"));
  EXPECT_FALSE(isLinear("f32", 2, "%o = arith.constant 1.0 : f32\n%c = arith.divf %o, %a1 : f32", "%c, %a1"));
  EXPECT_FALSE(isLinear("f32", 2, "%c = math.fma %a0, %a1, %a0 : f32", "%c, %a1"));
  EXPECT_FALSE(isLinear("f32", 2, "%c = math.sqrt %a0 : f32", "%c, %a1"));
  EXPECT_FALSE(isLinear("i32", 2, "%c = arith.addi %a0, %a1 : i32", "%c, %a1")) << "not proved for integers";
}

TEST_F(Linearity, LooksAtDigits) {
  EXPECT_FALSE(isLinear("complex<f32>", 2,
                        "%w = id.omega (8, t2) : complex<f32>\n%c = complex.mul %a0, %w : complex<f32>", "%c, %a1"));
}

// A result that is constant 0 by accident of a zero factor.
TEST_F(Linearity, ZeroFactor) {
  EXPECT_TRUE(isLinear("f32", 2, "%z = arith.constant 0.0 : f32\n%c = arith.mulf %a0, %z : f32", "%c, %a1"));
}

TEST_F(Linearity, PrimeFields) {
  EXPECT_TRUE(isLinear("!id.mod<17>", 2, R"(
    %c = id.mod_constant 5 : !id.mod<17>
    %w = id.omega (4, 1) : !id.mod<17>
    %s = id.mod_mul %a1, %c : !id.mod<17>
    %t = id.mod_mul %w, %s : !id.mod<17>
    %p = id.mod_add %a0, %t : !id.mod<17>
    %m = id.mod_sub %a0, %t : !id.mod<17>)",
                       "%p, %m"));
  EXPECT_FALSE(isLinear("!id.mod<17>", 2, "%s = id.mod_mul %a0, %a1 : !id.mod<17>", "%s, %a1"));
  EXPECT_FALSE(isLinear("!id.mod<17>", 2, "%c = id.mod_constant 5 : !id.mod<17>\n%s = id.mod_add %a0, %c : !id.mod<17>",
                        "%s, %a1"));
}

// Elements of leaves (a, b): x[0] is %a0, %a1; x[1] is %a2, %a3.
TEST_F(Linearity, LeavesOfRecords) {
  const std::string sums = "%p = arith.addf %a0, %a2 : f32\n%q = arith.addf %a1, %a3 : f32\n"
                           "%r = arith.subf %a0, %a2 : f32\n%s = arith.subf %a1, %a3 : f32";
  const std::string exchanged = "%a0, %a1, %a3, %a2"; // the leaves of x[1]
  const std::string negated = "%n = arith.negf %a3 : f32";
  EXPECT_TRUE(commute("f32", sums, "%p, %q, %r, %s", "", exchanged)) << "alike in all leaves";
  EXPECT_FALSE(commute("f32", "", exchanged, negated, "%a0, %a1, %a2, %n"));
  EXPECT_TRUE(commute("f32", "", exchanged, "", exchanged));
  EXPECT_TRUE(commute("f32", "%m = arith.negf %a0 : f32", "%m, %a1, %a2, %a3", negated, "%a0, %a1, %a2, %n"))
      << "diagonal ones";
  EXPECT_FALSE(commute("f32", "%s = arith.addf %a0, %a1 : f32", "%s, %a1, %a2, %a3", negated, "%a0, %a1, %a2, %n"));
}

// [[c, -s], [s, c]] of different angles.
TEST_F(Linearity, RotationsOfLeaves) {
  auto rotation = [](const std::string &c, const std::string &s) {
    return "%c = arith.constant " + c + " : f64\n%s = arith.constant " + s +
           " : f64\n%t = arith.mulf %s, %a3 : f64\n%m = arith.negf %t : f64\n"
           "%u = math.fma %c, %a2, %m : f64\n%v = arith.mulf %a2, %s : f64\n%w = math.fma %c, %a3, %v : f64";
  };
  EXPECT_TRUE(commute("f64", rotation("0.8", "0.6"), "%a0, %a1, %u, %w", rotation("0.3", "-0.1"), "%a0, %a1, %u, %w"));
  EXPECT_FALSE(commute("f64", rotation("0.8", "0.6"), "%a0, %a1, %u, %w", rotation("0.3", "-0.1"), "%a0, %a1, %w, %u"));
}

TEST_F(Linearity, ComplexAndPrimeLeaves) {
  const std::string product = "%c = complex.constant [0.0 : f32, 1.0 : f32] : complex<f32>\n"
                              "%p = complex.mul %a2, %c : complex<f32>";
  EXPECT_TRUE(commute("complex<f32>", product, "%a0, %a1, %p, %a3", product, "%p, %a1, %a2, %a3"));
  EXPECT_FALSE(commute("complex<f32>", product, "%a0, %a1, %p, %a3", "", "%a0, %a1, %a3, %a2"));
  // mod 17: [[1, a], [0, 1]] among each other; with [[1, 0], [1, 1]] only if a is 0, and 4 + 13 is.
  auto shear = [](int a, int b, bool lower) {
    return "%c = id.mod_constant " + std::to_string(a) + " : !id.mod<17>\n%d = id.mod_constant " + std::to_string(b) +
           " : !id.mod<17>\n%e = id.mod_add %c, %d : !id.mod<17>\n%f = id.mod_mul %e, " + (lower ? "%a2" : "%a3") +
           " : !id.mod<17>\n%g = id.mod_add %f, " + (lower ? "%a3" : "%a2") + " : !id.mod<17>";
  };
  const std::string upper = "%a0, %a1, %g, %a3", lower = "%a0, %a1, %a2, %g";
  EXPECT_TRUE(commute("!id.mod<17>", shear(3, 5, false), upper, shear(9, 4, false), upper));
  EXPECT_FALSE(commute("!id.mod<17>", shear(3, 5, false), upper, shear(9, 4, true), lower));
  EXPECT_TRUE(commute("!id.mod<17>", shear(4, 13, false), upper, shear(9, 4, true), lower));
}

} // namespace
