#include "compiler/frontend/Int.h"

#include "llvm/ADT/SmallString.h"

#include <cmath>

using namespace idc;
using namespace idc::frontend;
using llvm::APInt;

APInt Int::fitted(const APInt &value) {
  const unsigned words = (value.getSignificantBits() + 63) / 64;
  return value.sextOrTrunc(64 * words);
}

int Int::compareLarge(const Int &a, const Int &b) {
  const unsigned width = std::max(a.value.getBitWidth(), b.value.getBitWidth());
  const APInt x = a.value.sext(width), y = b.value.sext(width);
  return x.slt(y) ? -1 : x.sgt(y);
}

template <class Operation> Int Int::apply(const Int &a, const Int &b, unsigned more, Operation operation) {
  const unsigned width = std::max(a.value.getBitWidth(), b.value.getBitWidth()) + more;
  return Int(fitted(operation(a.value.sext(width), b.value.sext(width))));
}

namespace idc::frontend {

Int operator+(const Int &a, const Int &b) {
  int64_t sum;
  if (a.isSmall() && b.isSmall() && !__builtin_add_overflow(a.small(), b.small(), &sum))
    return sum;
  return Int::apply(a, b, 64, [](const APInt &x, const APInt &y) { return x + y; });
}

Int operator-(const Int &a, const Int &b) {
  int64_t difference;
  if (a.isSmall() && b.isSmall() && !__builtin_sub_overflow(a.small(), b.small(), &difference))
    return difference;
  return Int::apply(a, b, 64, [](const APInt &x, const APInt &y) { return x - y; });
}

Int operator*(const Int &a, const Int &b) {
  int64_t product;
  if (a.isSmall() && b.isSmall() && !__builtin_mul_overflow(a.small(), b.small(), &product))
    return product;
  const unsigned more = std::min(a.value.getBitWidth(), b.value.getBitWidth());
  return Int::apply(a, b, more, [](const APInt &x, const APInt &y) { return x * y; });
}

Int operator/(const Int &a, const Int &b) {
  if (a.isSmall() && b.isSmall() && b.small() != -1)
    return a.small() / b.small();
  return Int::apply(a, b, 64, [](const APInt &x, const APInt &y) { return x.sdiv(y); });
}

Int operator%(const Int &a, const Int &b) {
  if (a.isSmall() && b.isSmall() && b.small() != -1)
    return a.small() % b.small();
  return Int::apply(a, b, 64, [](const APInt &x, const APInt &y) { return x.srem(y); });
}

Int operator&(const Int &a, const Int &b) {
  if (a.isSmall() && b.isSmall())
    return a.small() & b.small();
  return Int::apply(a, b, 0, [](const APInt &x, const APInt &y) { return x & y; });
}
Int operator|(const Int &a, const Int &b) {
  return Int::apply(a, b, 0, [](const APInt &x, const APInt &y) { return x | y; });
}
Int operator^(const Int &a, const Int &b) {
  return Int::apply(a, b, 0, [](const APInt &x, const APInt &y) { return x ^ y; });
}

Int operator<<(const Int &a, int n) {
  if (a.isSmall() && n < 62 && std::abs(a.small()) < int64_t(1) << (62 - n))
    return a.small() * (int64_t(1) << n);
  const auto bits = static_cast<unsigned>(n);
  return Int(Int::fitted(a.value.sext(a.value.getBitWidth() + bits + 1).shl(bits)));
}

Int operator>>(const Int &a, int n) {
  if (a.isSmall())
    return a.small() >> std::min(n, 63);
  const unsigned bits = std::min(static_cast<unsigned>(n), a.value.getBitWidth() - 1);
  return Int(Int::fitted(a.value.ashr(bits)));
}

} // namespace idc::frontend

Int Int::truncated(long double real) {
  int exponent;
  const long double fraction = std::frexp(std::fabs(real), &exponent);
  const Int digits = static_cast<uint64_t>(std::ldexp(fraction, 64));
  const Int magnitude = exponent > 64 ? digits << (exponent - 64) : digits >> (64 - exponent);
  return real < 0 ? -magnitude : magnitude;
}

Int Int::decimal(llvm::StringRef digits) {
  const auto bits = static_cast<unsigned>(digits.size()) * 10 / 3 + 8; // a digit takes less than 10/3 of them
  return Int(fitted(APInt(bits, digits, 10)));
}

std::string Int::spell() const {
  llvm::SmallString<40> text;
  value.toStringSigned(text);
  return text.str().str();
}

long double Int::toReal() const {
  if (isSmall())
    return static_cast<long double>(small());
  const APInt magnitude = value.abs();
  const unsigned bits = magnitude.getActiveBits();
  // The highest 64 bits, the last one standing for all that are below as well: rounded once, where they become a
  // number.
  const unsigned dropped = bits - 63;
  uint64_t highest = magnitude.lshr(dropped).getZExtValue() << 1;
  highest |= magnitude.countr_zero() < dropped ? 1 : 0;
  const long double real = std::ldexp(static_cast<long double>(highest), static_cast<int>(dropped) - 1);
  return value.isNegative() ? -real : real;
}
