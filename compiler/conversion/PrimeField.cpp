#include "compiler/conversion/PrimeField.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APInt.h"

using namespace mlir;
using namespace idc::conversion;

__extension__ typedef unsigned __int128 Wide;

/// More multiples than sums of any program reach in one kernel.
static constexpr Wide mostMultiples = Wide(1) << 20;

PrimeField::PrimeField(OpBuilder &builder, Location loc, uint64_t modulus, std::function<Type(Type)> wide)
    : builder(builder), loc(loc), wide(std::move(wide)), modulus(modulus), isLong(modulus > (uint64_t(1) << 32)),
      limit(static_cast<int64_t>(std::min((Wide(1) << (isLong ? 64 : 32)) / modulus, mostMultiples))) {}

Type PrimeField::type() const { return builder.getIntegerType(isLong ? 64 : 32); }

uint64_t PrimeField::quotientOf(uint64_t residue, uint64_t modulus) {
  return static_cast<uint64_t>((Wide(residue) << (modulus > (uint64_t(1) << 32) ? 64 : 32)) / modulus);
}

Value PrimeField::integer(uint64_t value, unsigned bits) {
  Type scalar = builder.getIntegerType(bits);
  TypedAttr attribute = builder.getIntegerAttr(scalar, APInt(64, value).trunc(bits));
  if (auto vector = dyn_cast<VectorType>(wide(scalar)))
    attribute = DenseElementsAttr::get(vector, attribute);
  return arith::ConstantOp::create(builder, loc, attribute);
}

Residue PrimeField::constant(uint64_t residue) { return {integer(residue), 1, integer(quotientOf(residue, modulus))}; }

/// The smaller of x and x - kP, which wraps where x < kP.
Residue PrimeField::halved(const Residue &x) {
  int64_t k = (x.bound + 1) / 2;
  Value less = arith::SubIOp::create(builder, loc, x.value, integer(static_cast<uint64_t>(k) * modulus));
  return {arith::MinUIOp::create(builder, loc, x.value, less), k, {}};
}

void PrimeField::fit(Residue &x, Residue &y) {
  while (x.bound + y.bound > std::max<int64_t>(limit, 2))
    (x.bound >= y.bound ? x : y) = halved(x.bound >= y.bound ? x : y);
}

Value PrimeField::canonical(const Residue &x) {
  Residue y = x;
  while (y.bound > 1)
    y = halved(y);
  return y.value;
}

Residue PrimeField::add(const Residue &x, const Residue &y) {
  if (limit < 2) // x - (P - y): the sum itself might wrap
    return {below(x.value, arith::SubIOp::create(builder, loc, integer(modulus), y.value))};
  Residue a = x, b = y;
  fit(a, b);
  return {arith::AddIOp::create(builder, loc, a.value, b.value), a.bound + b.bound, {}};
}

Residue PrimeField::sub(const Residue &x, const Residue &y) {
  if (limit < 2)
    return {below(x.value, y.value)};
  Residue a = x, b = y;
  fit(a, b);
  Value raised = arith::AddIOp::create(builder, loc, a.value, integer(static_cast<uint64_t>(b.bound) * modulus));
  return {arith::SubIOp::create(builder, loc, raised, b.value), a.bound + b.bound, {}};
}

/// x - y mod P for x < P, y <= P.
Value PrimeField::below(Value x, Value y) {
  Value difference = arith::SubIOp::create(builder, loc, x, y);
  Value borrow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, x, y);
  Value raised = arith::AddIOp::create(builder, loc, difference, integer(modulus));
  return arith::SelectOp::create(builder, loc, borrow, raised, difference);
}

std::pair<Value, Value> PrimeField::product(Value x, Value y) {
  if (!isLong || !isOfVectors()) {
    auto both = arith::MulUIExtendedOp::create(builder, loc, x, y);
    return {both.getLow(), both.getHigh()};
  }
  const Value mask = integer(UINT32_MAX), half = integer(32);
  auto low = [&](Value value) -> Value { return arith::AndIOp::create(builder, loc, value, mask); };
  auto high = [&](Value value) -> Value { return arith::ShRUIOp::create(builder, loc, value, half); };
  auto add = [&](Value a, Value b) -> Value { return arith::AddIOp::create(builder, loc, a, b); };
  auto times = [&](Value a, Value b) -> Value { return arith::MulIOp::create(builder, loc, a, b); };
  const Value lowX = low(x), highX = high(x), lowY = low(y), highY = high(y);
  const Value lows = times(lowX, lowY), right = times(lowX, highY), left = times(highX, lowY),
              highs = times(highX, highY);
  const Value middle = add(high(lows), add(low(right), low(left)));
  return {times(x, y), add(add(highs, high(middle)), add(high(right), high(left)))};
}

/// x·y / 2^w mod P (Montgomery 1985), for odd P, x·y < 2^w·P.
Value PrimeField::montgomery(Value x, Value y) {
  const unsigned bits = isLong ? 64 : 32;
  const uint64_t inverse = llvm::APInt(bits, modulus).multiplicativeInverse().getZExtValue(); // P^-1 mod 2^w
  const auto [low, high] = product(x, y);
  Value quotient = arith::MulIOp::create(builder, loc, low, integer(inverse));
  return below(high, product(quotient, integer(modulus)).second);
}

/// 2^64 = 2^32 - 1 and 2^96 = -1 modulo P = 2^64 - 2^32 + 1, the value of x^2 - x + 1 at x = 2^32.
static constexpr uint64_t foldable = ~uint64_t(0) - UINT32_MAX + 1;

/// low + 2^64·(a + 2^32·b) = low - b + (2^32 - 1)·a mod P for a, b < 2^32. A sum or difference that wraps is off by
/// 2^64, that is by 2^32 - 1 mod P, and putting that right cannot wrap again: low - b + 2^64 >= 2^64 - 2^32 + 1, and
/// (2^32 - 1)·a <= 2^64 - 2^33 + 1.
Value PrimeField::folded(Value low, Value high) {
  Value epsilon = integer(UINT32_MAX), half = integer(32);
  Value a = arith::AndIOp::create(builder, loc, high, epsilon);
  Value b = arith::ShRUIOp::create(builder, loc, high, half);
  Value difference = arith::SubIOp::create(builder, loc, low, b);
  Value borrow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, low, b);
  Value lowered = arith::SubIOp::create(builder, loc, difference, epsilon);
  difference = arith::SelectOp::create(builder, loc, borrow, lowered, difference);
  Value fold = arith::SubIOp::create(builder, loc, arith::ShLIOp::create(builder, loc, a, half), a);
  Value sum = arith::AddIOp::create(builder, loc, difference, fold);
  Value carry = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, sum, fold);
  // sum + 2^32 - 1 is sum - P mod 2^64: one correction serves a carry and a sum of P or more, which exclude each other.
  Value reduced = arith::AddIOp::create(builder, loc, sum, epsilon);
  Value large = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, sum, integer(modulus));
  Value reduce = arith::OrIOp::create(builder, loc, carry, large);
  return arith::SelectOp::create(builder, loc, reduce, reduced, sum);
}

Residue PrimeField::mul(const Residue &x, const Residue &y) {
  if (x.quotient && !y.quotient)
    return mul(y, x);
  if (y.quotient && limit >= 2) {
    // The estimate of floor(x·y / P) is short by at most one.
    Value estimate = product(x.value, y.quotient).second;
    Value whole = arith::MulIOp::create(builder, loc, x.value, y.value);
    Value multiple = arith::MulIOp::create(builder, loc, estimate, integer(modulus));
    return {arith::SubIOp::create(builder, loc, whole, multiple), 2, {}};
  }
  if (!isLong && (!isOfVectors() || modulus == 2)) {
    Type i64 = wide(builder.getI64Type());
    Value product = arith::MulIOp::create(builder, loc, arith::ExtUIOp::create(builder, loc, i64, x.value),
                                          arith::ExtUIOp::create(builder, loc, i64, y.value));
    Value residue = arith::RemUIOp::create(builder, loc, product, integer(modulus, 64));
    return {arith::TruncIOp::create(builder, loc, wide(builder.getI32Type()), residue)};
  }
  if (modulus == foldable) {
    const auto [low, high] = product(x.value, y.value);
    return {folded(low, high)};
  }
  uint64_t radix = static_cast<uint64_t>((Wide(1) << (isLong ? 64 : 32)) % modulus);
  uint64_t square = static_cast<uint64_t>(Wide(radix) * radix % modulus); // 2^(2w) mod P
  return {montgomery(montgomery(x.value, canonical(y)), integer(square))};
}

Residue PrimeField::from(Value integer64, bool isSigned) {
  Value p = integer(modulus, 64), residue;
  if (!isSigned) {
    residue = arith::RemUIOp::create(builder, loc, integer64, p);
  } else {
    // The size of a negative integer is reduced and subtracted from P.
    Value zero = integer(0, 64);
    Value negative = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, integer64, zero);
    Value size = arith::SelectOp::create(builder, loc, negative, arith::SubIOp::create(builder, loc, zero, integer64),
                                         integer64);
    Value rest = arith::RemUIOp::create(builder, loc, size, p);
    Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest, zero);
    Value turned = arith::SelectOp::create(builder, loc, isZero, zero, arith::SubIOp::create(builder, loc, p, rest));
    residue = arith::SelectOp::create(builder, loc, negative, turned, rest);
  }
  if (!isLong)
    residue = arith::TruncIOp::create(builder, loc, wide(builder.getI32Type()), residue);
  return {residue};
}

Value PrimeField::to(const Residue &residue) {
  Value value = canonical(residue);
  return isLong ? value : arith::ExtUIOp::create(builder, loc, wide(builder.getI64Type()), value).getResult();
}
