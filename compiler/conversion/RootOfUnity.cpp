#include "compiler/conversion/RootOfUnity.h"

#include <cmath>

std::complex<double> idc::conversion::rootOfUnity(int64_t n, int64_t e) {
  using Wide = __int128;
  e %= n;
  if (e < 0)
    e += n;
  // e/N of a turn = quarters + rest, rest in (-1/8, 1/8] of a turn, all in units of 1/(4N).
  Wide scaled = static_cast<Wide>(4) * e;
  int64_t quarters = static_cast<int64_t>((scaled + n / 2) / n);
  Wide rest = scaled - static_cast<Wide>(quarters) * n; // in units of 1/(4N) turn, |rest| <= N/2
  const long double halfPi = 1.57079632679489661923132169163975144L;
  long double angle = halfPi * (static_cast<long double>(rest) / static_cast<long double>(n));
  long double c = std::cos(angle), s = -std::sin(angle);
  switch (quarters & 3) { // times (-i)^quarters
  case 0:
    return {static_cast<double>(c), static_cast<double>(s)};
  case 1:
    return {static_cast<double>(s), static_cast<double>(-c)};
  case 2:
    return {static_cast<double>(-c), static_cast<double>(-s)};
  default:
    return {static_cast<double>(-s), static_cast<double>(c)};
  }
}
