#include "id/BitForm.h"

#include "id/IndexCode.h"

#include "dialect/digits/IndexBits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/bit.h"

#include <array>

using namespace mlir;
using namespace idc;
using namespace idc::id;
using digits::gf2::Vector;

namespace {

/// A bit: the sum, modulo 2, of some bits of k, and of a constant.
struct Bit {
  Vector of = 0;
  bool constant = false;

  bool isZero() const { return of == 0 && !constant; }
  bool isConstant() const { return of == 0; }
};

/// A number of 64 bits; nothing for those that are no sums.
using Bits = std::array<std::optional<Bit>, 64>;

Bits filled(bool bit) {
  Bits bits;
  bits.fill(Bit{0, bit});
  return bits;
}

Bits ofConstant(const APInt &value) {
  Bits bits = filled(value.isNegative());
  for (unsigned i = 0; i < std::min(64U, value.getBitWidth()); ++i)
    bits[i] = Bit{0, value[i]};
  return bits;
}

std::optional<Bit> sum(const std::optional<Bit> &x, const std::optional<Bit> &y) {
  return x && y ? std::optional(Bit{x->of ^ y->of, x->constant != y->constant}) : std::nullopt;
}
std::optional<Bit> product(const std::optional<Bit> &x, const std::optional<Bit> &y) {
  if ((x && x->isZero()) || (y && y->isZero()))
    return Bit{};
  if (x && x->isConstant())
    return y;
  if (y && y->isConstant())
    return x;
  return std::nullopt;
}

/// x + y: bits are sums up to the first place that carries.
Bits added(const Bits &x, const Bits &y) {
  Bits bits;
  std::optional<Bit> carry = Bit{};
  for (size_t i = 0; i < bits.size(); ++i) {
    bits[i] = sum(sum(x[i], y[i]), carry);
    // Of x, y and the carry two are needed, and not three: the sum of the products of two.
    carry = sum(sum(product(x[i], y[i]), product(x[i], carry)), product(y[i], carry));
  }
  return bits;
}

Bits inverted(Bits bits) {
  for (std::optional<Bit> &bit : bits)
    bit = sum(bit, Bit{0, true});
  return bits;
}

/// Towards higher places; negative: lower ones, with the sign.
Bits shifted(const Bits &x, int64_t by) {
  Bits bits;
  for (int64_t i = 0; i < 64; ++i) {
    const int64_t from = i - by;
    bits[static_cast<size_t>(i)] = from < 0 ? Bit{} : x[static_cast<size_t>(std::min<int64_t>(from, 63))];
  }
  return bits;
}

Bits masked(const Bits &x, int64_t count) {
  Bits bits = filled(false);
  std::copy_n(x.begin(), count, bits.begin());
  return bits;
}

/// The numbers of a body's ops.
class BitForms {
public:
  explicit BitForms(size_t digits) : digits(digits) {}

  /// Takes the next op; what needs one that has no form has none.
  void add(Operation &op) {
    if (op.getNumResults() == 1 && op.getResult(0).getType().isInteger(64))
      if (std::optional<Bits> bits = of(op))
        numbers[op.getResult(0)] = *bits;
  }
  const Bits *find(Value value) const {
    auto found = numbers.find(value);
    return found == numbers.end() ? nullptr : &found->second;
  }

private:
  const size_t digits;
  llvm::DenseMap<Value, Bits> numbers;

  std::optional<Bits> of(Operation &op) const {
    if (auto digit = dyn_cast<DigitOp>(op)) {
      const auto number = static_cast<size_t>(digit.getDigit());
      if (number > digits)
        return std::nullopt;
      Bits bits = filled(false);
      bits[0] = Bit{Vector(1) << (number - 1), false};
      return bits;
    }
    APInt value;
    if (matchPattern(&op, m_ConstantInt(&value)))
      return ofConstant(value);
    if (op.getNumOperands() != 2)
      return std::nullopt;
    const Bits *x = find(op.getOperand(0)), *y = find(op.getOperand(1));
    if (!x || !y)
      return std::nullopt;
    if (isa<arith::AddIOp>(op))
      return added(*x, *y);
    if (isa<arith::SubIOp>(op)) // ~(~x + y)
      return inverted(added(inverted(*x), *y));
    if (isa<arith::XOrIOp>(op))
      return eachBit(*x, *y, [](auto &a, auto &b) { return sum(a, b); });
    if (isa<arith::AndIOp>(op))
      return eachBit(*x, *y, [](auto &a, auto &b) { return product(a, b); });
    if (isa<arith::OrIOp>(op))
      return eachBit(*x, *y, [](auto &a, auto &b) { return sum(sum(a, b), product(a, b)); });
    return byConstant(op, *x, *y);
  }

  template <class F> static Bits eachBit(const Bits &x, const Bits &y, F each) {
    Bits bits;
    for (size_t i = 0; i < bits.size(); ++i)
      bits[i] = each(x[i], y[i]);
    return bits;
  }

  /// Products, quotients and remainders by powers of two, and shifts.
  std::optional<Bits> byConstant(Operation &op, const Bits &x, const Bits &y) const {
    APInt by;
    if (isa<arith::MulIOp>(op) && matchPattern(op.getOperand(0), m_ConstantInt(&by)))
      return times(y, by);
    if (!matchPattern(op.getOperand(1), m_ConstantInt(&by)))
      return std::nullopt;
    if (isa<arith::MulIOp>(op))
      return times(x, by);
    const bool isShift = by.ult(64);
    if (isa<arith::ShLIOp>(op) && isShift)
      return shifted(x, by.getSExtValue());
    const bool positive = x[63] && x[63]->isZero();
    if (isa<arith::ShRSIOp>(op) || (isa<arith::ShRUIOp>(op) && positive))
      return isShift ? std::optional(shifted(x, -by.getSExtValue())) : std::nullopt;
    if (!positive || !by.isStrictlyPositive() || !by.isPowerOf2())
      return std::nullopt;
    if (isa<arith::DivSIOp, arith::DivUIOp>(op))
      return shifted(x, -static_cast<int64_t>(by.logBase2()));
    if (isa<arith::RemSIOp, arith::RemUIOp>(op))
      return masked(x, by.logBase2());
    return std::nullopt;
  }

  /// Sums of shifted ones.
  static Bits times(const Bits &x, const APInt &by) {
    Bits bits = filled(false);
    for (unsigned i = 0; i < 64; ++i)
      if (by[i])
        bits = added(bits, shifted(x, i));
    return bits;
  }
};

} // namespace

std::optional<BitMap> BitMap::of(Region &body, ArrayRef<int32_t> radices) {
  if (!areBits(radices) || radices.size() > 62)
    return std::nullopt;
  BitForms forms(radices.size());
  for (Operation &op : body.front().without_terminator())
    forms.add(op);
  const Bits *number = forms.find(body.front().getTerminator()->getOperand(0));
  if (!number || !llvm::all_of(*number, [](const std::optional<Bit> &bit) { return bit.has_value(); }))
    return std::nullopt;
  BitMap map{digits::gf2::Matrix(radices.size(), 0)};
  for (size_t i = 0; i < number->size(); ++i) {
    const Bit bit = *(*number)[i];
    map.offset |= Vector(bit.constant) << i;
    for (size_t column = 0; column < map.columns.size(); ++column)
      map.columns[column] |= (bit.of >> column & 1) << i;
  }
  return map;
}

std::optional<BitMap> BitMap::inverse() const {
  const auto bits = columns.size();
  BitMap inverse;
  const bool inside = llvm::all_of(columns, [&](Vector column) { return column >> bits == 0; });
  if (!inside || offset >> bits != 0 || !digits::gf2::invert(columns, inverse.columns))
    return std::nullopt;
  inverse.offset = digits::gf2::apply(inverse.columns, offset);
  return inverse;
}

void id::writeBits(OpBuilder &builder, Location loc, Region &body, const BitMap &map) {
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&body);
  auto constant = [&](uint64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(static_cast<int64_t>(value)));
  };
  Value k = numberOfLowest(builder, loc, SmallVector<int32_t>(map.columns.size(), 2));
  Value number;
  for (const digits::Diagonal &diagonal : digits::diagonals(map.columns)) {
    Value part = k;
    if (llvm::popcount(diagonal.mask) < static_cast<int>(map.columns.size()))
      part = arith::AndIOp::create(builder, loc, k, constant(diagonal.mask));
    if (diagonal.shift > 0)
      part = arith::ShLIOp::create(builder, loc, part, constant(static_cast<uint64_t>(diagonal.shift)));
    else if (diagonal.shift < 0)
      part = arith::ShRSIOp::create(builder, loc, part, constant(static_cast<uint64_t>(-diagonal.shift)));
    number = number ? arith::XOrIOp::create(builder, loc, number, part) : part;
  }
  if (!number)
    number = constant(map.offset);
  else if (map.offset != 0)
    number = arith::XOrIOp::create(builder, loc, number, constant(map.offset));
  YieldOp::create(builder, loc, number);
}
