// Bit forms of random bodies, against the bodies evaluated number by number.
#include "id/BitForm.h"
#include "id/IndexCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "gtest/gtest.h"

#include <random>

using namespace idc;
using mlir::Value;

namespace {

class BitForm : public ::testing::Test {
protected:
  BitForm() : b(&context) { context.loadDialect<id::IdDialect, mlir::arith::ArithDialect>(); }

  mlir::MLIRContext context;
  mlir::OpBuilder b;
  mlir::Region body;

  Value constant(int64_t value) { return mlir::arith::ConstantOp::create(b, loc(), b.getI64IntegerAttr(value)); }
  Value digit(int number) { return id::DigitOp::create(b, loc(), b.getI64Type(), number); }
  mlir::Location loc() { return b.getUnknownLoc(); }
  void begin() {
    body.getBlocks().clear();
    b.createBlock(&body);
  }
  void end(Value number) { id::YieldOp::create(b, loc(), number); }

  /// A number of some digits, computed by random ops on numbers that are not negative.
  void writeRandom(std::mt19937 &random, int digits) {
    begin();
    std::vector<Value> values;
    for (int i = 1; i <= digits; ++i)
      values.push_back(mlir::arith::MulIOp::create(b, loc(), digit(i), constant(int64_t(1) << (i - 1))));
    auto any = [&] { return values[random() % values.size()]; };
    for (int op = 0; op < 12; ++op) {
      const auto bit = static_cast<int64_t>(random() % 8);
      switch (random() % 9) {
      case 0:
        values.push_back(mlir::arith::AddIOp::create(b, loc(), any(), any()));
        break;
      case 1:
        values.push_back(mlir::arith::XOrIOp::create(b, loc(), any(), any()));
        break;
      case 2:
        values.push_back(mlir::arith::OrIOp::create(b, loc(), any(), constant(1 << bit)));
        break;
      case 3:
        values.push_back(mlir::arith::AndIOp::create(b, loc(), any(), constant(static_cast<int64_t>(random() % 256))));
        break;
      case 4:
        values.push_back(mlir::arith::ShLIOp::create(b, loc(), any(), constant(bit % 4)));
        break;
      case 5:
        values.push_back(mlir::arith::ShRSIOp::create(b, loc(), any(), constant(bit)));
        break;
      case 6:
        values.push_back(mlir::arith::DivSIOp::create(b, loc(), any(), constant(1 << bit)));
        break;
      case 7:
        values.push_back(mlir::arith::RemSIOp::create(b, loc(), any(), constant(1 << bit)));
        break;
      default: // 2^20 - 1 - x
        values.push_back(mlir::arith::AndIOp::create(
            b, loc(), mlir::arith::SubIOp::create(b, loc(), constant((1 << 20) - 1), any()), constant(0xffff)));
      }
    }
    Value number = values.back();
    for (int more = 0; more < 3; ++more)
      number = mlir::arith::XOrIOp::create(b, loc(), number, any());
    end(number);
  }
};

TEST_F(BitForm, AgreesWithEveryNumber) {
  std::mt19937 random(1);
  int found = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const int digits = 1 + static_cast<int>(random() % 6);
    writeRandom(random, digits);
    const llvm::SmallVector<int32_t> radices(static_cast<size_t>(digits), 2);
    const std::optional<id::BitMap> map = id::BitMap::of(body, radices);
    if (!map)
      continue;
    ++found;
    std::optional<id::IndexCode> code = id::IndexCode::of(body);
    ASSERT_TRUE(code);
    llvm::SmallVector<int64_t> places(radices.size(), 0);
    uint64_t k = 0;
    do
      ASSERT_EQ(code->at(places), static_cast<int64_t>(map->at(k++))) << "trial " << trial;
    while (id::countUp(places, radices));
  }
  EXPECT_GT(found, 1000);
}

TEST_F(BitForm, IsWhatWasWritten) {
  std::mt19937 random(2);
  int inverted = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const size_t digits = 1 + random() % 40;
    id::BitMap map;
    for (size_t i = 0; i < digits; ++i)
      map.columns.push_back(((uint64_t(random()) << 32) + random()) >> (64 - digits));
    map.offset = ((uint64_t(random()) << 32) + random()) >> (64 - digits);
    body.getBlocks().clear();
    id::writeBits(b, loc(), body, map);
    const std::optional<id::BitMap> read = id::BitMap::of(body, llvm::SmallVector<int32_t>(digits, 2));
    ASSERT_TRUE(read && *read == map) << "trial " << trial;
    if (const std::optional<id::BitMap> inverse = map.inverse()) {
      ++inverted;
      for (int i = 0; i < 10; ++i) {
        const uint64_t k = ((uint64_t(random()) << 32) + random()) >> (64 - digits);
        ASSERT_EQ(inverse->at(map.at(k)), k);
      }
    }
  }
  EXPECT_GT(inverted, 50);
}

TEST_F(BitForm, CarriesAreNoSums) {
  const llvm::SmallVector<int32_t> radices(3, 2);
  begin();
  end(mlir::arith::AddIOp::create(b, loc(), digit(1), digit(2)));
  EXPECT_FALSE(id::BitMap::of(body, radices));
  // But the lowest bit of a sum is one.
  begin();
  Value sum =
      mlir::arith::AddIOp::create(b, loc(), mlir::arith::AddIOp::create(b, loc(), digit(1), digit(2)), digit(3));
  end(mlir::arith::RemSIOp::create(b, loc(), sum, constant(2)));
  const std::optional<id::BitMap> parity = id::BitMap::of(body, radices);
  ASSERT_TRUE(parity);
  for (uint64_t k = 0; k < 8; ++k)
    EXPECT_EQ(parity->at(k), k % 2 ^ k / 2 % 2 ^ k / 4);
  // Digits above, other radices, and quotients of what may be negative have no form.
  begin();
  end(digit(4));
  EXPECT_FALSE(id::BitMap::of(body, radices));
  EXPECT_FALSE(id::BitMap::of(body, {2, 3, 2, 2}));
  begin();
  end(mlir::arith::DivSIOp::create(b, loc(), mlir::arith::SubIOp::create(b, loc(), digit(1), constant(1)),
                                   constant(2)));
  EXPECT_FALSE(id::BitMap::of(body, radices));
}

} // namespace
