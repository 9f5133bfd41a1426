#include "compiler/conversion/addresses/Index.h"

#include "dialect/digits/IndexBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace idc;

Value conversion::scatterBits(OpBuilder &b, Location loc, Value value, const std::vector<uint64_t> &targets) {
  Type type = value.getType();
  auto constant = [&](uint64_t bits) {
    return arith::ConstantOp::create(b, loc,
                                     b.getIntegerAttr(type, APInt(type.getIntOrFloatBitWidth(), bits, false, true)));
  };
  Value sum;
  for (const digits::Diagonal &diagonal : digits::diagonals(targets)) {
    Value part = arith::AndIOp::create(b, loc, value, constant(diagonal.mask));
    if (diagonal.shift > 0)
      part = arith::ShLIOp::create(b, loc, part, constant(diagonal.shift));
    else if (diagonal.shift < 0)
      part = arith::ShRUIOp::create(b, loc, part, constant(-diagonal.shift));
    if (!sum)
      sum = part;
    else
      sum = diagonal.xorJoin ? arith::XOrIOp::create(b, loc, sum, part).getResult()
                             : arith::OrIOp::create(b, loc, sum, part).getResult();
  }
  return sum;
}

std::vector<uint64_t> conversion::columnTargets(const std::vector<digits::Column> &columns,
                                                const std::function<uint64_t(int)> &target) {
  std::vector<uint64_t> targets;
  for (const digits::Column &column : columns) {
    uint64_t bits = 0;
    for (int digit : column.digits)
      bits ^= target(digit);
    targets.push_back(bits);
  }
  return targets;
}

std::vector<uint64_t> conversion::constantTargets(const std::vector<digits::Column> &columns,
                                                  const std::function<uint64_t(int)> &target) {
  std::vector<uint64_t> targets = columnTargets(columns, target);
  std::vector<uint64_t> values(size_t(1) << columns.size());
  for (size_t number = 0; number < values.size(); ++number)
    values[number] = contributionOf(targets, number);
  return values;
}

uint64_t conversion::contributionOf(const std::vector<uint64_t> &columnTargets, uint64_t number) {
  uint64_t bits = 0;
  for (size_t b = 0; b < columnTargets.size(); ++b)
    if (number >> b & 1)
      bits ^= columnTargets[b];
  return bits;
}
