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

// All comparisons are unsigned. A sum that wraps is as good as one that exceeds P: subtracting P wraps it back.
Value PrimeField::add(Value x, Value y) {
  Value sum = arith::AddIOp::create(builder, loc, x, y), p = constant(modulus);
  Value wrapped = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, sum, x);
  Value large = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::uge, sum, p);
  Value reduce = arith::OrIOp::create(builder, loc, wrapped, large);
  return arith::SelectOp::create(builder, loc, reduce, arith::SubIOp::create(builder, loc, sum, p), sum);
}

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

Value PrimeField::mul(Value x, Value y) {
  if (!wide) {
    Type i64 = builder.getI64Type();
    Value product = arith::MulIOp::create(builder, loc, arith::ExtUIOp::create(builder, loc, i64, x),
                                          arith::ExtUIOp::create(builder, loc, i64, y));
    Value residue = arith::RemUIOp::create(builder, loc, product, constant64(modulus));
    return arith::TruncIOp::create(builder, loc, builder.getI32Type(), residue);
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
