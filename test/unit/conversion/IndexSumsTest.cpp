// Index sums: what is emitted for random bodies, run for every thread, against the bodies followed number by number.
#include "compiler/conversion/addresses/IndexSums.h"

#include "id/IdDialect.h"
#include "id/IndexCode.h"

#include "mlir/IR/Matchers.h"
#include "gtest/gtest.h"

#include <random>

using namespace idc;
using conversion::IndexSum;
using conversion::IndexSums;
using mlir::Value;

namespace {

/// Runs a block's operations, each folded, on argument `x`.
class Interpreter {
public:
  Interpreter(mlir::Block &block, int64_t x) {
    values[block.getArgument(0)] = mlir::IntegerAttr::get(block.getArgument(0).getType(), x);
    for (mlir::Operation &op : block) {
      llvm::SmallVector<mlir::Attribute> operands;
      for (Value operand : op.getOperands())
        operands.push_back(values.lookup(operand));
      llvm::SmallVector<mlir::OpFoldResult> results;
      mlir::Attribute folded;
      if (mlir::matchPattern(&op, mlir::m_Constant(&folded)))
        values[op.getResult(0)] = folded;
      else if (mlir::succeeded(op.fold(operands, results)) && results.size() == 1)
        values[op.getResult(0)] = llvm::isa<Value>(results[0]) ? values.lookup(llvm::cast<Value>(results[0]))
                                                               : llvm::cast<mlir::Attribute>(results[0]);
      else
        ADD_FAILURE() << "cannot fold " << op.getName().getStringRef().str();
    }
  }
  int64_t operator()(Value value) { return llvm::cast<mlir::IntegerAttr>(values.lookup(value)).getInt(); }

private:
  llvm::DenseMap<Value, mlir::Attribute> values;
};

/// A body of random operations on digits of these radices.
class RandomBody {
public:
  RandomBody(mlir::MLIRContext &context, mlir::Location loc, const std::vector<int64_t> &radices, unsigned seed)
      : b(&context), loc(loc), random(seed) {
    b.createBlock(&region);
    for (size_t digit = 0; digit < radices.size(); ++digit)
      add(id::DigitOp::create(b, loc, b.getI64Type(), digit + 1), true);
    // The index, as programs mostly use it.
    Value index = values[0].value;
    int64_t weight = radices[0];
    for (size_t digit = 1; digit < radices.size(); weight *= radices[digit++])
      index = mlir::arith::AddIOp::create(b, loc, index,
                                          mlir::arith::MulIOp::create(b, loc, values[digit].value, constant(weight)));
    add(index, true);
    for (int i = 0; i < 12; ++i)
      step();
    id::YieldOp::create(b, loc, values.back().value);
  }

  mlir::Region region;

private:
  struct Number {
    Value value;
    bool isCount; // it is not negative
  };
  mlir::OpBuilder b;
  mlir::Location loc;
  std::mt19937 random;
  std::vector<Number> values;

  void add(Value value, bool isCount) { values.push_back({value, isCount}); }
  Value constant(int64_t value) { return mlir::arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value)); }
  int64_t draw(int64_t least, int64_t most) { return std::uniform_int_distribution<int64_t>(least, most)(random); }
  const Number &any() { return values[random() % values.size()]; }

  void step() {
    using namespace mlir::arith;
    const Number x = any(), y = any();
    const int64_t divisors[] = {2, 3, 4, 6, 8, 12, 16, 100};
    Value by = constant(divisors[random() % std::size(divisors)]);
    switch (random() % 12) {
    case 0:
      return add(AddIOp::create(b, loc, x.value, y.value), x.isCount && y.isCount);
    case 1:
      return add(SubIOp::create(b, loc, x.value, y.value), false);
    case 2:
      return add(MulIOp::create(b, loc, x.value, constant(draw(1, 9))), x.isCount);
    case 3:
      return add(SubIOp::create(b, loc, constant(draw(-9, 99)), x.value), false);
    case 4:
      return add(x.isCount ? DivUIOp::create(b, loc, x.value, by).getResult()
                           : DivSIOp::create(b, loc, x.value, by).getResult(),
                 x.isCount);
    case 5:
      return add(x.isCount ? RemUIOp::create(b, loc, x.value, by).getResult()
                           : RemSIOp::create(b, loc, x.value, by).getResult(),
                 x.isCount);
    case 6: { // rounded down
      Value rest = RemSIOp::create(b, loc, x.value, by);
      Value isNegative = CmpIOp::create(b, loc, CmpIPredicate::slt, rest, constant(0));
      return add(SelectOp::create(b, loc, isNegative, AddIOp::create(b, loc, rest, by), rest), true);
    }
    case 7: {
      const auto predicate = static_cast<CmpIPredicate>(random() % 6); // of signed numbers
      Value holds = CmpIOp::create(b, loc, predicate, x.value, random() % 2 ? y.value : constant(draw(0, 40)));
      const Number no = any();
      return add(SelectOp::create(b, loc, holds, x.value, no.value), x.isCount && no.isCount);
    }
    case 8:
      return add(AndIOp::create(b, loc, x.value, constant((int64_t(1) << draw(1, 5)) - 1)), true);
    case 9:
      return add(ShRSIOp::create(b, loc, x.value, constant(draw(0, 4))), x.isCount);
    case 10:
      return add(XOrIOp::create(b, loc, x.value, constant(draw(0, 31))), x.isCount);
    default:
      return add(MulIOp::create(b, loc, x.value, y.value), x.isCount && y.isCount);
    }
  }
};

TEST(IndexSums, BodiesOfRandomOperations) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::arith::ArithDialect, id::IdDialect>();
  mlir::OpBuilder b(&context);
  const mlir::Location loc = b.getUnknownLoc();
  std::mt19937 random(3);
  for (unsigned seed = 0; seed < 400; ++seed) {
    const int64_t choices[] = {2, 3, 4, 5, 8};
    std::vector<int64_t> radices;
    for (int digit = 0; digit < 4; ++digit)
      radices.push_back(choices[random() % std::size(choices)]);
    RandomBody body(context, loc, radices, seed);
    std::optional<id::IndexCode> oracle = id::IndexCode::of(body.region);
    ASSERT_TRUE(oracle);

    // One digit is a register's, the others are the thread's.
    const size_t inRegister = random() % radices.size();
    int64_t threads = 1;
    for (size_t digit = 0; digit < radices.size(); ++digit)
      threads *= digit == inRegister ? 1 : radices[digit];
    mlir::Block block;
    block.addArgument(b.getI32Type(), loc);
    b.setInsertionPointToStart(&block);
    IndexSums sums(b, loc);
    std::vector<Value> results;
    std::vector<std::optional<IndexSums::Bounds>> bounds;
    for (int64_t r = 0; r < radices[inRegister]; ++r) {
      auto digitOf = [&](int digit) -> IndexSum {
        const auto own = static_cast<size_t>(digit) - 1;
        if (own == inRegister)
          return {r, {}};
        int64_t weight = 1;
        for (size_t below = 0; below < own; ++below)
          weight *= below == inRegister ? 1 : radices[below];
        const IndexSum thread = sums.term(block.getArgument(0), IndexSums::Bounds{0, threads - 1});
        return sums.remainder(sums.quotient(thread, weight), radices[own]);
      };
      auto nothing = [](auto...) { return Value(); };
      std::optional<std::vector<IndexSum>> yielded = sums.run(body.region, digitOf, nothing, nothing);
      ASSERT_TRUE(yielded);
      results.push_back(sums.value(yielded->front()));
      bounds.push_back(sums.boundsOf(yielded->front()));
    }
    for (int64_t thread = 0; thread < threads; ++thread) {
      Interpreter run(block, thread);
      for (int64_t r = 0; r < radices[inRegister]; ++r) {
        std::vector<int64_t> digits;
        int64_t rest = thread;
        for (size_t digit = 0; digit < radices.size(); ++digit) {
          digits.push_back(digit == inRegister ? r : rest % radices[digit]);
          rest /= digit == inRegister ? 1 : radices[digit];
        }
        const std::optional<int64_t> expected = oracle->at(digits);
        ASSERT_TRUE(expected);
        const auto own = static_cast<size_t>(r);
        ASSERT_EQ(run(results[own]), *expected) << "seed " << seed << ", thread " << thread << ", register " << r;
        if (bounds[own]) {
          ASSERT_LE(bounds[own]->least, *expected) << "seed " << seed;
          ASSERT_GE(bounds[own]->most, *expected) << "seed " << seed;
        }
      }
    }
  }
}

// What registers have in common is computed once: the places of a padded row, mirrored.
TEST(IndexSums, RegistersDifferByConstants) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::arith::ArithDialect, id::IdDialect>();
  mlir::OpBuilder b(&context);
  const mlir::Location loc = b.getUnknownLoc();
  mlir::Block block;
  block.addArgument(b.getI32Type(), loc);
  b.setInsertionPointToStart(&block);
  IndexSums sums(b, loc);
  const IndexSum thread = sums.term(block.getArgument(0), IndexSums::Bounds{0, 143});
  std::vector<IndexSum> places;
  for (int64_t r = 1; r < 8; ++r) {
    const IndexSum mirrored = IndexSums::add({2048 - 144 * r, {}}, thread, -1);
    places.push_back(IndexSums::add(mirrored, sums.quotient(mirrored, 16)));
  }
  for (const IndexSum &place : places) {
    EXPECT_EQ(place.terms, places.front().terms);
    EXPECT_EQ((place.constant - places.front().constant) % 153, 0);
  }
  // The digits of a number add up to it.
  const std::vector<IndexSum> digits = sums.digitsOf(thread, {3, 4, 12});
  IndexSum whole = IndexSums::add(digits[0], digits[1], 3);
  whole = IndexSums::add(whole, digits[2], 12);
  EXPECT_EQ(whole, thread);
  // No comparison that bounds decide.
  EXPECT_EQ(sums.isBelow(places.front(), 4096).known, true);
  EXPECT_FALSE(sums.isBelow(thread, 100).known.has_value());
}

} // namespace
