#include "compiler/conversion/PrimeField.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace idc::conversion;

PrimeField::PrimeField(OpBuilder &builder, Location loc, uint64_t modulus)
    : builder(builder), loc(loc), modulus(modulus), wide(modulus > (uint64_t(1) << 32)) {}

Type PrimeField::type() const { return builder.getIntegerType(wide ? 64 : 32); }

Value PrimeField::constant64(uint64_t value) {
  return arith::ConstantOp::create(builder, loc, builder.getI64IntegerAttr(static_cast<int64_t>(value)));
}

Value PrimeField::constant(uint64_t residue) {
  if (wide)
    return constant64(residue);
  return arith::ConstantOp::create(builder, loc,
                                   builder.getIntegerAttr(builder.getI32Type(), APInt(32, residue & UINT32_MAX)));
}

/// x - (P - y): the sum itself might wrap.
Value PrimeField::add(Value x, Value y) { return sub(x, arith::SubIOp::create(builder, loc, constant(modulus), y)); }

/// For x < P, y <= P.
Value PrimeField::sub(Value x, Value y) {
  Value difference = arith::SubIOp::create(builder, loc, x, y);
  Value borrow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, x, y);
  Value raised = arith::AddIOp::create(builder, loc, difference, constant(modulus));
  return arith::SelectOp::create(builder, loc, borrow, raised, difference);
}

/// x·y / 2^64 mod P (Montgomery 1985), for odd P, x·y < 2^64·P.
Value PrimeField::montgomery(Value x, Value y) {
  uint64_t inverse = modulus; // P^-1 mod 2^64 by Newton's iteration: right to 3 bits, then 6, 12, …
  for (int i = 0; i < 5; ++i)
    inverse *= 2 - modulus * inverse;
  auto product = arith::MulUIExtendedOp::create(builder, loc, x, y);
  Value quotient = arith::MulIOp::create(builder, loc, product.getLow(), constant64(inverse));
  Value high = arith::MulUIExtendedOp::create(builder, loc, quotient, constant64(modulus)).getHigh();
  return sub(product.getHigh(), high);
}

/// 2^64 = 2^32 - 1 and 2^96 = -1 modulo P = 2^64 - 2^32 + 1, the value of x^2 - x + 1 at x = 2^32.
static constexpr uint64_t foldable = ~uint64_t(0) - UINT32_MAX + 1;

/// low + 2^64·(a + 2^32·b) = low - b + (2^32 - 1)·a mod P for a, b < 2^32. A sum or difference that wraps is off by
/// 2^64, that is by 2^32 - 1 mod P, and putting that right cannot wrap again: low - b + 2^64 >= 2^64 - 2^32 + 1, and
/// (2^32 - 1)·a <= 2^64 - 2^33 + 1.
Value PrimeField::folded(Value low, Value high) {
  Value epsilon = constant64(UINT32_MAX), half = constant64(32);
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
  Value large = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, sum, constant64(modulus));
  Value reduce = arith::OrIOp::create(builder, loc, carry, large);
  return arith::SelectOp::create(builder, loc, reduce, reduced, sum);
}

Value PrimeField::mul(Value x, Value y) {
  if (!wide) {
    Type i64 = builder.getI64Type();
    Value product = arith::MulIOp::create(builder, loc, arith::ExtUIOp::create(builder, loc, i64, x),
                                          arith::ExtUIOp::create(builder, loc, i64, y));
    Value residue = arith::RemUIOp::create(builder, loc, product, constant64(modulus));
    return arith::TruncIOp::create(builder, loc, builder.getI32Type(), residue);
  }
  if (modulus == foldable) {
    auto product = arith::MulUIExtendedOp::create(builder, loc, x, y);
    return folded(product.getLow(), product.getHigh());
  }
  __extension__ typedef unsigned __int128 Wide;
  uint64_t radix = static_cast<uint64_t>((static_cast<Wide>(1) << 64) % modulus);
  uint64_t square = static_cast<uint64_t>(static_cast<Wide>(radix) * radix % modulus); // 2^128 mod P
  return montgomery(montgomery(x, y), constant64(square));
}

Value PrimeField::from(Value integer, bool isSigned) {
  Value p = constant64(modulus), residue;
  if (!isSigned) {
    residue = arith::RemUIOp::create(builder, loc, integer, p);
  } else {
    // The size of a negative integer is reduced and subtracted from P.
    Value zero = constant64(0);
    Value negative = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt, integer, zero);
    Value size =
        arith::SelectOp::create(builder, loc, negative, arith::SubIOp::create(builder, loc, zero, integer), integer);
    Value rest = arith::RemUIOp::create(builder, loc, size, p);
    Value isZero = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rest, zero);
    Value turned = arith::SelectOp::create(builder, loc, isZero, zero, arith::SubIOp::create(builder, loc, p, rest));
    residue = arith::SelectOp::create(builder, loc, negative, turned, rest);
  }
  return wide ? residue : arith::TruncIOp::create(builder, loc, builder.getI32Type(), residue).getResult();
}

Value PrimeField::to(Value residue) {
  return wide ? residue : arith::ExtUIOp::create(builder, loc, builder.getI64Type(), residue).getResult();
}
