// Compile-time integers of any size.
#pragma once

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <type_traits>

namespace idc::frontend {

/// An integer of as many bits as it needs; division rounds toward zero, and its divisor is not zero.
class Int {
public:
  Int() : value(64, 0) {}
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  Int(T number) // NOLINT: as among the built-in integers
      : value(std::is_signed_v<T> || sizeof(T) < 8 ? llvm::APInt(64, static_cast<uint64_t>(number), true)
                                                   : fitted(llvm::APInt(128, static_cast<uint64_t>(number)))) {}
  /// The integer next to a finite number toward zero.
  static Int truncated(long double real);
  /// The number of decimal digits.
  static Int decimal(llvm::StringRef digits);
  /// 2^bits.
  static Int powerOfTwo(unsigned bits) { return Int(fitted(llvm::APInt::getOneBitSet(bits + 2, bits))); }

  /// The lowest bits, or the nearest floating-point number.
  template <class T, class = std::enable_if_t<std::is_arithmetic_v<T>>> explicit operator T() const {
    if constexpr (std::is_same_v<T, bool>)
      return !value.isZero();
    else if constexpr (std::is_floating_point_v<T>)
      return static_cast<T>(toReal());
    else
      return static_cast<T>(value.getRawData()[0]);
  }
  /// In decimal.
  std::string spell() const;
  /// The bits that it takes, with its sign.
  unsigned bits() const { return value.getSignificantBits(); }
  /// The bits that are 1, of a number that is not negative.
  unsigned popcount() const { return value.popcount(); }

  Int operator-() const { return 0 - *this; }
  Int &operator+=(const Int &b) { return *this = *this + b; }
  Int &operator-=(const Int &b) { return *this = *this - b; }
  Int &operator*=(const Int &b) { return *this = *this * b; }
  Int &operator/=(const Int &b) { return *this = *this / b; }
  Int &operator%=(const Int &b) { return *this = *this % b; }
  Int &operator>>=(int n) { return *this = *this >> n; }
  Int &operator++() { return *this += 1; }
  Int &operator--() { return *this -= 1; }

  friend Int operator+(const Int &a, const Int &b);
  friend Int operator-(const Int &a, const Int &b);
  friend Int operator*(const Int &a, const Int &b);
  friend Int operator/(const Int &a, const Int &b);
  friend Int operator%(const Int &a, const Int &b);
  /// Of the numbers in two's complement with endless signs.
  friend Int operator&(const Int &a, const Int &b);
  friend Int operator|(const Int &a, const Int &b);
  friend Int operator^(const Int &a, const Int &b);
  friend Int operator<<(const Int &a, int n);
  friend Int operator>>(const Int &a, int n); // rounds down
  friend bool operator==(const Int &a, const Int &b) { return compare(a, b) == 0; }
  friend bool operator!=(const Int &a, const Int &b) { return compare(a, b) != 0; }
  friend bool operator<(const Int &a, const Int &b) { return compare(a, b) < 0; }
  friend bool operator>(const Int &a, const Int &b) { return compare(a, b) > 0; }
  friend bool operator<=(const Int &a, const Int &b) { return compare(a, b) <= 0; }
  friend bool operator>=(const Int &a, const Int &b) { return compare(a, b) >= 0; }

private:
  llvm::APInt value; // signed, of as few words as possible

  explicit Int(llvm::APInt value) : value(std::move(value)) {}
  bool isSmall() const { return value.getBitWidth() == 64; }
  int64_t small() const { return value.getSExtValue(); }
  static llvm::APInt fitted(const llvm::APInt &value);
  /// Negative, zero or positive, as a is below, equal to or above b.
  static int compare(const Int &a, const Int &b) {
    if (a.isSmall() && b.isSmall())
      return a.small() < b.small() ? -1 : a.small() > b.small();
    return compareLarge(a, b);
  }
  static int compareLarge(const Int &a, const Int &b);
  /// The operation on numbers of as many bits as both have, and `more`.
  template <class Operation> static Int apply(const Int &a, const Int &b, unsigned more, Operation operation);
  long double toReal() const;
};

inline std::string spell(const Int &value) { return value.spell(); }

} // namespace idc::frontend
