// Index arithmetic: the emitted operations, run on numbers, against the bit matrix they stand for.
#include "compiler/conversion/addresses/Index.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Block.h"
#include "gtest/gtest.h"

#include <random>

using namespace idc;
using digits::Column;

namespace {

/// Runs the block's integer operations on argument `x`.
uint64_t interpret(mlir::Block &block, mlir::Value result, uint64_t x) {
  llvm::DenseMap<mlir::Value, uint64_t> values;
  values[block.getArgument(0)] = x;
  uint64_t mask = result.getType().isInteger(64) ? ~uint64_t(0) : 0xffffffff;
  for (mlir::Operation &op : block) {
    auto in = [&](unsigned i) { return values.lookup(op.getOperand(i)); };
    uint64_t value = 0;
    if (auto constant = llvm::dyn_cast<mlir::arith::ConstantOp>(op))
      value = llvm::cast<mlir::IntegerAttr>(constant.getValue()).getValue().getZExtValue();
    else if (llvm::isa<mlir::arith::AndIOp>(op))
      value = in(0) & in(1);
    else if (llvm::isa<mlir::arith::OrIOp>(op))
      value = in(0) | in(1);
    else if (llvm::isa<mlir::arith::XOrIOp>(op))
      value = in(0) ^ in(1);
    else if (llvm::isa<mlir::arith::ShLIOp>(op))
      value = in(0) << in(1);
    else if (llvm::isa<mlir::arith::ShRUIOp>(op))
      value = in(0) >> in(1);
    else
      ADD_FAILURE() << "unexpected operation " << op.getName().getStringRef().str();
    values[op.getResult(0)] = value & mask;
  }
  return values.lookup(result);
}

TEST(Index, ScatterBits) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::arith::ArithDialect>();
  std::mt19937_64 random(8);
  for (int i = 0; i < 200; ++i) {
    unsigned width = i % 2 ? 32 : 64;
    mlir::Block block;
    mlir::OpBuilder b(&context);
    mlir::Location loc = b.getUnknownLoc();
    block.addArgument(b.getIntegerType(width), loc);
    b.setInsertionPointToStart(&block);
    std::vector<uint64_t> targets(random() % 14);
    for (uint64_t &target : targets) // bits of an address, a swizzle's several bits, or nothing
      target = i % 3 ? uint64_t(1) << random() % width : (random() & random() & random()) >> (64 - width);
    mlir::Value result = conversion::scatterBits(b, loc, block.getArgument(0), targets);
    bool any = std::any_of(targets.begin(), targets.end(), [](uint64_t target) { return target != 0; });
    ASSERT_EQ(static_cast<bool>(result), any);
    if (!any)
      continue;
    for (int sample = 0; sample < 20; ++sample) {
      uint64_t x = random() >> (64 - width);
      EXPECT_EQ(interpret(block, result, x),
                conversion::contributionOf(targets, x & ((uint64_t(1) << targets.size()) - 1)));
    }
  }
}

TEST(Index, OneShiftForARun) {
  mlir::MLIRContext context;
  context.loadDialect<mlir::arith::ArithDialect>();
  mlir::Block block;
  mlir::OpBuilder b(&context);
  block.addArgument(b.getI32Type(), b.getUnknownLoc());
  b.setInsertionPointToStart(&block);
  conversion::scatterBits(b, b.getUnknownLoc(), block.getArgument(0), {8, 16, 32, 64, 128});
  auto shifts = block.getOps<mlir::arith::ShLIOp>();
  auto masks = block.getOps<mlir::arith::AndIOp>();
  EXPECT_EQ(std::distance(shifts.begin(), shifts.end()), 1);
  EXPECT_EQ(std::distance(masks.begin(), masks.end()), 1);
}

TEST(Index, TargetsOfColumns) {
  std::vector<Column> columns{Column{{3}, 2}, Column{{1, 2}, 2}, Column{{}, 2}};
  auto target = [](int digit) { return uint64_t(1) << (4 * digit); };
  EXPECT_EQ(conversion::columnTargets(columns, target), (std::vector<uint64_t>{0x1000, 0x110, 0}));
  EXPECT_EQ(conversion::constantTargets(columns, target),
            (std::vector<uint64_t>{0, 0x1000, 0x110, 0x1110, 0, 0x1000, 0x110, 0x1110}));
  EXPECT_EQ(conversion::contributionOf({0x1000, 0x110, 0}, 7), 0x1110u);
  EXPECT_EQ(conversion::constantTargets({}, target), (std::vector<uint64_t>{0}));
}

} // namespace
