// Straight-line code: what is emitted, run on numbers, against complex arithmetic; and how little of it there is.
#include "compiler/conversion/Codelet.h"

#include "id/IdDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace idc;
using conversion::Codelet;
using conversion::Leaf;
using conversion::Real;
using Scalar = std::complex<double>;

namespace {

class CodeletTest : public ::testing::Test {
protected:
  CodeletTest() : b(&context) {
    context.loadDialect<id::IdDialect, mlir::arith::ArithDialect, mlir::complex::ComplexDialect,
                        mlir::math::MathDialect>();
    context.allowUnregisteredDialects();
    b.setInsertionPointToStart(&block);
    codelet.emplace(b, b.getUnknownLoc(), [](mlir::Type type) { return type; });
    codelet->setRealType(b.getF64Type());
  }

  /// A run-time value that is `number` when the code is run.
  Real value(double number) {
    mlir::Value argument = block.addArgument(b.getF64Type(), b.getUnknownLoc());
    numbers[argument] = number;
    return codelet->wrap(argument);
  }
  conversion::Complex constant(Scalar z) { return {codelet->constant(z.real()), codelet->constant(z.imag())}; }
  /// A complex leaf of run-time values.
  Leaf leaf(Scalar z) {
    Leaf result;
    result.kind = Leaf::Kind::Complex;
    result.number.re = value(z.real());
    result.number.im = value(z.imag());
    return result;
  }

  double run(const Real &x) {
    for (mlir::Operation &op : block) {
      if (numbers.count(op.getResult(0)))
        continue;
      auto in = [&](unsigned i) { return numbers.at(op.getOperand(i)); };
      double result = 0;
      if (auto constant = mlir::dyn_cast<mlir::arith::ConstantOp>(op))
        result = mlir::cast<mlir::FloatAttr>(constant.getValue()).getValueAsDouble();
      else if (mlir::isa<mlir::arith::AddFOp>(op))
        result = in(0) + in(1);
      else if (mlir::isa<mlir::arith::SubFOp>(op))
        result = in(0) - in(1);
      else if (mlir::isa<mlir::arith::MulFOp>(op))
        result = in(0) * in(1);
      else if (mlir::isa<mlir::arith::NegFOp>(op))
        result = -in(0);
      else if (mlir::isa<mlir::math::FmaOp>(op))
        result = std::fma(in(0), in(1), in(2));
      else
        ADD_FAILURE() << "unexpected operation " << op.getName().getStringRef().str();
      numbers[op.getResult(0)] = result;
    }
    return x.isConstant() ? x.number : (x.negative ? -1 : 1) * numbers.at(x.value);
  }
  Scalar run(const conversion::Complex &z) { return {run(z.re), run(z.im)}; }

  /// Emitted operations that compute (constants and negations are none).
  int operations() {
    int count = 0;
    for (mlir::Operation &op : block)
      count += !mlir::isa<mlir::arith::ConstantOp, mlir::arith::NegFOp>(op);
    return count;
  }

  /// A node's body of complex operations on %a0, %a1, ….
  mlir::Region &body(int count, const std::string &text, const std::string &results) {
    std::string arguments, types;
    for (int i = 0; i < count; ++i) {
      arguments += (i ? ", %a" : "%a") + std::to_string(i) + ": complex<f64>";
      types += i ? ", complex<f64>" : "complex<f64>";
    }
    std::string sequence = "!id.seq<" + std::to_string(count) + ", complex<f64>>";
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "%x = \"test.input\"() : () -> " + sequence + "\n%y = id.node [1] (%x) : (" + sequence + ") -> " + sequence +
            " {\n^bb0(" + arguments + "):\n" + text + "\nid.yield " + results + " : " + types + "\n}\n",
        &context);
    return (*module->getBody()->getOps<id::NodeOp>().begin()).getBody();
  }

  std::vector<Leaf> execute(mlir::Region &region, const std::vector<Leaf> &arguments) {
    mlir::FailureOr<llvm::SmallVector<Leaf>> leaves = codelet->run(
        region, arguments, [](int) { return mlir::Value(); }, [](int64_t) { return Leaf(); },
        [](mlir::Operation *, mlir::Value) { return std::optional<conversion::Leaf>(); },
        [](mlir::Operation *, mlir::Value) { return Leaf(); });
    if (mlir::failed(leaves)) {
      ADD_FAILURE() << "the body cannot be generated";
      return {};
    }
    return {leaves->begin(), leaves->end()};
  }

  mlir::MLIRContext context;
  mlir::OpBuilder b;
  mlir::Block block;
  std::optional<Codelet> codelet;
  mlir::OwningOpRef<mlir::ModuleOp> module;

private:
  struct Less {
    bool operator()(mlir::Value x, mlir::Value y) const { return x.getAsOpaquePointer() < y.getAsOpaquePointer(); }
  };
  std::map<mlir::Value, double, Less> numbers;
};

TEST_F(CodeletTest, ConstantsCostNothing) {
  Real x = value(3);
  EXPECT_EQ(run(codelet->mul(x, codelet->constant(1))), 3);
  EXPECT_EQ(run(codelet->mul(codelet->constant(-1), x)), -3);
  EXPECT_TRUE(codelet->mul(x, codelet->constant(0)).is(0));
  EXPECT_EQ(run(codelet->add(x, codelet->constant(0))), 3);
  EXPECT_EQ(codelet->add(codelet->constant(2), codelet->constant(5)).number, 7);
  EXPECT_EQ(codelet->mul(codelet->constant(2), codelet->constant(5)).number, 10);
  EXPECT_EQ(run(codelet->fma(codelet->constant(0), x, x)), 3);
  EXPECT_EQ(run(codelet->negate(codelet->negate(x))), 3);
  EXPECT_EQ(operations(), 0);
}

TEST_F(CodeletTest, SignsOfEveryCombination) {
  for (int signs = 0; signs < 8; ++signs) {
    auto signedValue = [&](double number, int bit) {
      Real x = value(number);
      return signs >> bit & 1 ? codelet->negate(x) : x;
    };
    double x = signs & 1 ? -3 : 3, y = signs & 2 ? -5 : 5, z = signs & 4 ? -7 : 7;
    EXPECT_EQ(run(codelet->add(signedValue(3, 0), signedValue(5, 1))), x + y);
    EXPECT_EQ(run(codelet->sub(signedValue(3, 0), signedValue(5, 1))), x - y);
    EXPECT_EQ(run(codelet->mul(signedValue(3, 0), signedValue(5, 1))), x * y);
    EXPECT_EQ(run(codelet->fma(signedValue(3, 0), signedValue(5, 1), signedValue(7, 2))), x * y + z);
    EXPECT_EQ(run(codelet->mul(signedValue(3, 0), codelet->constant(y))), x * y);
    EXPECT_EQ(run(codelet->add(codelet->constant(y), signedValue(3, 0))), x + y);
    EXPECT_EQ(run(codelet->sub(codelet->constant(y), signedValue(3, 0))), y - x);
    EXPECT_EQ(run(codelet->fma(signedValue(3, 0), codelet->constant(y), signedValue(7, 2))), x * y + z);
    EXPECT_EQ(run(codelet->fma(codelet->constant(y), signedValue(3, 0), codelet->constant(z))), x * y + z);
    EXPECT_EQ(run(codelet->fma(codelet->constant(y), codelet->constant(x), signedValue(7, 2))), x * y + z);
    EXPECT_EQ(run(codelet->wrap(codelet->materialize(signedValue(3, 0)))), x);
  }
}

TEST_F(CodeletTest, QuarterTurnsCostNothing) {
  Leaf x = leaf({3, 4});
  for (Scalar w : {Scalar(1, 0), Scalar(-1, 0), Scalar(0, 1), Scalar(0, -1)}) {
    Leaf turned = codelet->scale(x, constant(w));
    EXPECT_EQ(run(codelet->resolve(turned)), w * Scalar(3, 4));
  }
  EXPECT_EQ(operations(), 0);
}

TEST_F(CodeletTest, FactorsWait) {
  Leaf x = codelet->scale(leaf({3, 4}), constant({0.6, -0.8}));
  EXPECT_EQ(operations(), 0) << "not multiplied yet";
  Leaf turned = codelet->scale(x, constant({0, 1}));
  EXPECT_EQ(operations(), 0);
  EXPECT_LT(std::abs(run(codelet->resolve(x)) - Scalar(0.6, -0.8) * Scalar(3, 4)), 1e-14);
  EXPECT_LT(std::abs(run(codelet->resolve(turned)) - Scalar(0, 1) * Scalar(0.6, -0.8) * Scalar(3, 4)), 1e-14);
  Leaf twice = codelet->scale(x, constant({0.8, 0.6}));
  EXPECT_LT(std::abs(run(codelet->resolve(twice)) - Scalar(0.8, 0.6) * Scalar(0.6, -0.8) * Scalar(3, 4)), 1e-14);
}

const char *const sumAndDifference = "%p = complex.add %a0, %a1 : complex<f64>\n"
                                     "%m = complex.sub %a0, %a1 : complex<f64>";

TEST_F(CodeletTest, SumAndDifference) {
  std::vector<Leaf> results = execute(body(2, sumAndDifference, "%p, %m"), {leaf({1, 2}), leaf({3, 5})});
  EXPECT_EQ(run(codelet->resolve(results[0])), Scalar(4, 7));
  EXPECT_EQ(run(codelet->resolve(results[1])), Scalar(-2, -3));
  EXPECT_EQ(operations(), 4);
}

// a + w·b and a - w·b: four fused operations and two.
TEST_F(CodeletTest, SumAndDifferenceWithAFactor) {
  for (int which = 0; which < 3; ++which) {
    int before = operations();
    Scalar w(0.6, -0.8), a(1, 2), c(3, 5);
    Leaf x = leaf(a), y = leaf(c);
    conversion::Complex factor = {value(w.real()), value(w.imag())};
    if (which != 1)
      y = codelet->scale(y, factor);
    if (which != 0)
      x = codelet->scale(x, factor);
    Scalar wa = which != 0 ? w * a : a, wc = which != 1 ? w * c : c;
    std::vector<Leaf> results = execute(body(2, sumAndDifference, "%p, %m"), {x, y});
    if (which == 2) { // the same factor of both waits on
      EXPECT_EQ(operations() - before, 4);
    } else {
      EXPECT_EQ(operations() - before, 6);
    }
    EXPECT_LT(std::abs(run(codelet->resolve(results[0])) - (wa + wc)), 1e-14);
    EXPECT_LT(std::abs(run(codelet->resolve(results[1])) - (wa - wc)), 1e-14);
  }
}

// The difference first, then the sum.
TEST_F(CodeletTest, DifferenceBeforeSum) {
  const char *text = "%m = complex.sub %a0, %a1 : complex<f64>\n%p = complex.add %a0, %a1 : complex<f64>";
  Scalar w(0.6, -0.8), a(1, 2), c(3, 5);
  for (bool left : {false, true}) {
    int before = operations();
    Leaf x = leaf(a), y = leaf(c);
    (left ? x : y) = codelet->scale(left ? x : y, {value(w.real()), value(w.imag())});
    std::vector<Leaf> results = execute(body(2, text, "%p, %m"), {x, y});
    EXPECT_EQ(operations() - before, 6);
    Scalar wa = left ? w * a : a, wc = left ? c : w * c;
    EXPECT_LT(std::abs(run(codelet->resolve(results[0])) - (wa + wc)), 1e-14);
    EXPECT_LT(std::abs(run(codelet->resolve(results[1])) - (wa - wc)), 1e-14);
  }
}

// With a factor that is ±1 or ±i, sum and difference are rounded once each; 2a - (a + w·b) would be rounded twice.
TEST_F(CodeletTest, FactorsThatOftenAreQuarterTurns) {
  const Scalar a(1, 0x1p-1), c(0x1.8p-53, 0x1.8p-53);
  for (Scalar w : {Scalar(1, 0), Scalar(0, -1), Scalar(-1, 0), Scalar(0, 1)})
    for (bool left : {false, true}) {
      Leaf x = leaf(a), y = leaf(c);
      Leaf &scaled = left ? x : y;
      scaled = codelet->scale(scaled, {value(w.real()), value(w.imag())}, /*oftenTurn=*/true);
      std::vector<Leaf> results = execute(body(2, sumAndDifference, "%p, %m"), {x, y});
      Scalar p = left ? w * a : a, q = left ? c : w * c;
      EXPECT_EQ(run(codelet->resolve(results[0])), p + q);
      EXPECT_EQ(run(codelet->resolve(results[1])), p - q);
    }
}

// Random bodies of every complex operation that is linear over the reals, on leaves with and without factors.
TEST_F(CodeletTest, RandomBodies) {
  std::mt19937 random(9);
  std::uniform_real_distribution<double> uniform(-1, 1);
  auto scalar = [&] {
    static const Scalar special[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}, {0, 0}, {0.5, 0}, {0, 2}};
    return random() % 3 ? Scalar(uniform(random), uniform(random)) : special[random() % 7];
  };
  for (int trial = 0; trial < 200; ++trial) {
    int count = 2 + static_cast<int>(random() % 3);
    std::vector<Leaf> arguments;
    std::vector<Scalar> expected;
    std::vector<std::string> names;
    for (int i = 0; i < count; ++i) {
      Scalar z = scalar(), w = scalar();
      arguments.push_back(leaf(z));
      if (random() % 2) {
        bool atRunTime = random() % 2;
        arguments.back() = codelet->scale(
            arguments.back(), atRunTime ? conversion::Complex{value(w.real()), value(w.imag())} : constant(w));
        z *= w;
      }
      expected.push_back(z);
      names.push_back("%a" + std::to_string(i));
    }
    std::string text;
    for (int k = 0; k < 12; ++k) {
      size_t x = random() % expected.size(), y = random() % expected.size();
      std::string name = "%v" + std::to_string(k), line;
      Scalar result;
      switch (random() % 6) {
      case 0:
      case 1:
        line = "complex.add " + names[x] + ", " + names[y];
        result = expected[x] + expected[y];
        break;
      case 2:
      case 3:
        line = "complex.sub " + names[x] + ", " + names[y];
        result = expected[x] - expected[y];
        break;
      case 4:
        line = "complex.mul " + names[x] + ", " + names[y];
        result = expected[x] * expected[y];
        break;
      default:
        line = random() % 2 ? "complex.neg " + names[x] : "complex.conj " + names[x];
        result = line[8] == 'n' ? -expected[x] : std::conj(expected[x]);
      }
      text += name + " = " + line + " : complex<f64>\n";
      names.push_back(name);
      expected.push_back(result);
    }
    std::string results;
    for (int i = 0; i < count; ++i)
      results += (i ? ", " : "") + names[names.size() - 1 - i];
    std::vector<Leaf> leaves = execute(body(count, text, results), arguments);
    ASSERT_EQ(leaves.size(), static_cast<size_t>(count));
    double scale = 1;
    for (Scalar z : expected)
      scale = std::max(scale, std::abs(z));
    for (int i = 0; i < count; ++i)
      ASSERT_LT(std::abs(run(codelet->resolve(leaves[i])) - expected[expected.size() - 1 - i]), 1e-13 * scale) << text;
  }
}

TEST_F(CodeletTest, RealBodies) {
  mlir::OwningOpRef<mlir::ModuleOp> text = mlir::parseSourceString<mlir::ModuleOp>(
      R"(%x = "test.input"() : () -> !id.seq<2, f64>
         %y = id.node [1] (%x) : (!id.seq<2, f64>) -> !id.seq<2, f64> {
         ^bb0(%a: f64, %b: f64):
           %c = arith.constant 0.25 : f64
           %d = arith.mulf %a, %c : f64
           %e = arith.negf %b : f64
           %f = math.fma %d, %e, %a : f64
           %g = arith.subf %d, %e : f64
           id.yield %f, %g : f64, f64
         })",
      &context);
  ASSERT_TRUE(text);
  std::vector<Leaf> arguments(2);
  for (int i = 0; i < 2; ++i) {
    arguments[i].kind = Leaf::Kind::Real;
    arguments[i].number.re = value(i ? 3 : 8);
  }
  std::vector<Leaf> results = execute((*text->getBody()->getOps<id::NodeOp>().begin()).getBody(), arguments);
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(run(results[0].number.re), 2);
  EXPECT_EQ(run(results[1].number.re), 5);
  EXPECT_EQ(operations(), 3);
}

TEST_F(CodeletTest, UnknownOperation) {
  mlir::Region &region = body(2, "%p = complex.exp %a0 : complex<f64>", "%p, %a1");
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &diagnostic) {
    EXPECT_EQ(diagnostic.str(), "this operation cannot be generated yet");
    return mlir::success();
  });
  EXPECT_TRUE(mlir::failed(codelet->run(
      region, {leaf({1, 2}), leaf({3, 5})}, [](int) { return mlir::Value(); }, [](int64_t) { return Leaf(); },
      [](mlir::Operation *, mlir::Value) { return std::optional<conversion::Leaf>(); },
      [](mlir::Operation *, mlir::Value) { return Leaf(); })));
}

// A body may mix types: what is folded has the type of its operands, whatever type is set when it is needed.
TEST_F(CodeletTest, FoldedConstantsKeepTheirType) {
  conversion::Complex x = constant({1, 1});
  codelet->setRealType(b.getF32Type());
  conversion::Complex product = codelet->mul(x, x);
  for (const Real &part : {product.re, product.im, codelet->mul(x.re, codelet->sub(x.re, x.re))})
    EXPECT_TRUE(codelet->materialize(part).getType().isF64());
}

} // namespace
