#include "id/ResidueSum.h"

#include "id/IndexCode.h"
#include "id/LinearForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace idc;
using namespace idc::id;

namespace {

/// Adds the terms of a number to a sum.
class Terms {
public:
  explicit Terms(ResidueSum &sum) : sum(sum) {}

  /// False where the number is no sum that is understood.
  bool add(Value number, int64_t factor) {
    llvm::APInt value;
    Operation *op = number.getDefiningOp();
    if (!op)
      return false;
    if (matchPattern(op, m_ConstantInt(&value))) {
      sum.constant = (sum.constant + product(value.getSExtValue(), factor)) % sum.length;
      return true;
    }
    if (auto digit = dyn_cast<DigitOp>(op))
      return static_cast<size_t>(digit.getDigit()) <= sum.multiples.size() &&
             addTo(sum.multiples[static_cast<size_t>(digit.getDigit()) - 1], factor);
    if (isa<arith::ExtSIOp, arith::ExtUIOp>(op))
      return addScalar(op->getOperand(0).getDefiningOp<ParameterOp>(), isa<arith::ExtSIOp>(op), factor);
    if (isa<arith::AddIOp, arith::SubIOp>(op)) {
      int64_t right = 0;
      return !llvm::MulOverflow<int64_t>(factor, isa<arith::SubIOp>(op) ? -1 : 1, right) &&
             add(op->getOperand(0), factor) && add(op->getOperand(1), right);
    }
    if (!isa<arith::MulIOp, arith::RemSIOp>(op) || !matchPattern(op->getOperand(1), m_ConstantInt(&value)))
      return false;
    const int64_t by = value.getSExtValue();
    if (isa<arith::MulIOp>(op)) {
      int64_t multiple = 0;
      return !llvm::MulOverflow(factor, by, multiple) && add(op->getOperand(0), multiple);
    }
    ++sum.remainders;
    return by > 0 && by % sum.length == 0 && add(op->getOperand(0), factor);
  }

private:
  ResidueSum &sum;

  /// Modulo the length.
  int64_t product(int64_t x, int64_t y) const {
    const auto rest = static_cast<int64_t>(static_cast<__int128>(x) * y % sum.length);
    return rest < 0 ? rest + sum.length : rest;
  }
  static bool addTo(int64_t &multiple, int64_t more) { return !llvm::AddOverflow(multiple, more, multiple); }

  bool addScalar(ParameterOp parameter, bool isSigned, int64_t factor) {
    constexpr unsigned mostBits = 32;
    auto type = parameter ? dyn_cast<IntegerType>(parameter.getType()) : IntegerType();
    if (!type || type.getWidth() > mostBits)
      return false;
    for (ResidueSum::Scalar &scalar : sum.scalars)
      if (scalar.number == parameter.getNumber() && scalar.isSigned == isSigned)
        return addTo(scalar.multiple, factor);
    sum.scalars.push_back({parameter.getNumber(), type, isSigned, factor});
    return true;
  }
};

} // namespace

std::optional<ResidueSum> ResidueSum::of(Region &body, size_t digits, int64_t length) {
  ResidueSum sum{length, SmallVector<int64_t>(digits, 0), {}};
  if (!Terms(sum).add(body.front().getTerminator()->getOperand(0), 1))
    return std::nullopt;
  // As near to 0 as there are any.
  for (Scalar &scalar : sum.scalars) {
    scalar.multiple %= length;
    if (std::abs(scalar.multiple) > length / 2)
      scalar.multiple += scalar.multiple < 0 ? length : -length;
  }
  llvm::erase_if(sum.scalars, [](const Scalar &scalar) { return scalar.multiple == 0; });
  return sum;
}

bool ResidueSum::write(OpBuilder &builder, Location loc, Region &body, ArrayRef<int32_t> radices, size_t lowest) const {
  auto below = [&](int64_t multiple) { return (multiple % length + length) % length; };
  // The digits that count elements as one number, where they are a multiple of it.
  const LinearForm counted{SmallVector<int64_t>(ArrayRef(multiples).take_front(lowest))};
  const std::optional<int64_t> factor = counted.factor(radices.take_front(lowest));
  __int128 least = 0, greatest = 0;
  if (factor)
    greatest = static_cast<__int128>(below(*factor)) * (elementsOf(radices.take_front(lowest)) - 1);
  for (size_t i = factor ? lowest : 0; i < multiples.size(); ++i)
    greatest += static_cast<__int128>(below(multiples[i])) * (radices[i] - 1);
  for (const Scalar &scalar : scalars) {
    const unsigned bits = scalar.type.getWidth() - scalar.isSigned;
    const __int128 most = (__int128(1) << bits) - 1, fewest = scalar.isSigned ? -most - 1 : 0;
    least += scalar.multiple * (scalar.multiple < 0 ? most : fewest);
    greatest += scalar.multiple * (scalar.multiple < 0 ? fewest : most);
  }
  const __int128 offset = constant + (least < 0 ? (-least + length - 1) / length * length : 0);
  if (greatest + offset > std::numeric_limits<int64_t>::max() / 2)
    return false;
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&body);
  Value number;
  auto add = [&](Value term, int64_t multiple) {
    if (multiple == 0)
      return;
    term = multipleOf(builder, loc, term, multiple, 0);
    number = number ? arith::AddIOp::create(builder, loc, number, term).getResult() : term;
  };
  if (factor && below(*factor) != 0)
    add(numberOfLowest(builder, loc, radices.take_front(lowest)), below(*factor));
  for (size_t i = factor ? lowest : 0; i < multiples.size(); ++i)
    if (below(multiples[i]) != 0)
      add(DigitOp::create(builder, loc, builder.getI64Type(), i + 1), below(multiples[i]));
  for (const Scalar &scalar : scalars) {
    Value parameter = ParameterOp::create(builder, loc, scalar.type, scalar.number);
    Value wide = scalar.isSigned ? arith::ExtSIOp::create(builder, loc, builder.getI64Type(), parameter).getResult()
                                 : arith::ExtUIOp::create(builder, loc, builder.getI64Type(), parameter).getResult();
    add(wide, scalar.multiple);
  }
  auto constantOf = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(value));
  };
  const auto shift = static_cast<int64_t>(offset);
  number = number ? multipleOf(builder, loc, number, 1, shift) : constantOf(shift);
  if (greatest + offset >= length)
    number = arith::RemSIOp::create(builder, loc, number, constantOf(length));
  YieldOp::create(builder, loc, number);
  return true;
}
