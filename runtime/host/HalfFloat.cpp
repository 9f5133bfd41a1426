//===- HalfFloat.cpp - 16-bit floating point on the host ------------------===//

#include "host/HalfFloat.h"

#include <cmath>
#include <cstring>

namespace idc::host {

static uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

/// Drops the low `count` bits, rounding to nearest, ties to even. A carry into the exponent is the right result.
static uint32_t roundAway(uint32_t bits, int count) {
  return (bits + ((1u << (count - 1)) - 1) + (bits >> count & 1)) >> count;
}

uint16_t toHalf(float value) {
  uint16_t sign = uint16_t(bitsOf(value) >> 16 & 0x8000);
  float magnitude = std::fabs(value);
  if (std::isnan(value))
    return sign | 0x7e00;
  if (magnitude >= 65520.0f)
    return sign | 0x7c00;
  if (magnitude < 0x1p-14f) // subnormal: a multiple of 2^-24
    return sign | uint16_t(std::nearbyint(magnitude * 0x1p24f));
  constexpr uint32_t biasDifference = uint32_t(127 - 15) << 23;
  return sign | uint16_t(roundAway(bitsOf(magnitude) - biasDifference, 13));
}

float fromHalf(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float magnitude;
  if (exponent == 31)
    magnitude = fraction ? NAN : INFINITY;
  else if (exponent == 0)
    magnitude = std::ldexp(float(fraction), -24);
  else
    magnitude = std::ldexp(float(1024 + fraction), exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

uint16_t toBFloat16(float value) {
  if (std::isnan(value))
    return uint16_t(bitsOf(value) >> 16 | 0x0040);
  return uint16_t(roundAway(bitsOf(value), 16));
}

float fromBFloat16(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

} // namespace idc::host
