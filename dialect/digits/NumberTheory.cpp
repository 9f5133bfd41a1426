// Primes and primitive roots for mod<P>.
#include "dialect/digits/NumberTheory.h"

#include <numeric>
#include <set>
#include <utility>

namespace idc::digits {

namespace {
__extension__ typedef unsigned __int128 Wide;

uint64_t multiplyMod(uint64_t a, uint64_t b, uint64_t modulus) {
  return static_cast<uint64_t>(static_cast<Wide>(a) * b % modulus);
}

/// A proper divisor of a composite number by Pollard's rho method with Floyd's cycle search.
uint64_t properDivisor(uint64_t composite) {
  if (composite % 2 == 0)
    return 2;
  for (uint64_t shift = 1;; ++shift) {
    uint64_t slow = 2, fast = 2, divisor = 1;
    auto next = [&](uint64_t x) {
      return static_cast<uint64_t>((static_cast<Wide>(multiplyMod(x, x, composite)) + shift) % composite);
    };
    while (divisor == 1) {
      slow = next(slow);
      fast = next(next(fast));
      divisor = std::gcd(slow > fast ? slow - fast : fast - slow, composite);
    }
    if (divisor != composite)
      return divisor;
  }
}

void primeFactors(uint64_t value, std::set<uint64_t> &factors) {
  for (uint64_t small = 2; small < 1000 && small * small <= value; ++small)
    while (value % small == 0) {
      factors.insert(small);
      value /= small;
    }
  if (value == 1)
    return;
  if (isPrime(value)) {
    factors.insert(value);
    return;
  }
  uint64_t divisor = properDivisor(value);
  primeFactors(divisor, factors);
  primeFactors(value / divisor, factors);
}
} // namespace

uint64_t powerMod(uint64_t base, uint64_t exponent, uint64_t modulus) {
  uint64_t result = 1 % modulus;
  for (base %= modulus; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = multiplyMod(result, base, modulus);
    base = multiplyMod(base, base, modulus);
  }
  return result;
}

// Miller-Rabin with the first twelve primes as bases, which is a proof below 2^64.
bool isPrime(uint64_t value) {
  const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  for (uint64_t base : bases)
    if (value % base == 0)
      return value == base;
  if (value < 2)
    return false;
  uint64_t odd = value - 1;
  int twos = 0;
  for (; odd % 2 == 0; odd /= 2)
    ++twos;
  for (uint64_t base : bases) {
    uint64_t x = powerMod(base, odd, value);
    bool witness = x != 1 && x != value - 1;
    for (int i = 1; witness && i < twos; ++i) {
      x = multiplyMod(x, x, value);
      witness = x != value - 1;
    }
    if (witness)
      return false;
  }
  return true;
}

int64_t inverseMod(int64_t a, int64_t modulus) {
  int64_t r = modulus, next = a % modulus, x = 0, nextX = 1;
  while (next != 0) {
    const int64_t quotient = r / next;
    r -= quotient * next;
    std::swap(r, next);
    x -= quotient * nextX;
    std::swap(x, nextX);
  }
  return r == 1 ? (x % modulus + modulus) % modulus : 0;
}

uint64_t primitiveRoot(uint64_t modulus) {
  if (modulus == 2)
    return 1;
  std::set<uint64_t> factors;
  primeFactors(modulus - 1, factors);
  for (uint64_t candidate = 2;; ++candidate) {
    bool generates = true;
    for (uint64_t factor : factors)
      generates &= powerMod(candidate, (modulus - 1) / factor, modulus) != 1;
    if (generates)
      return candidate;
  }
}

} // namespace idc::digits
