//===- NumberText.cpp - numbers for people --------------------------------===//

#include "host/NumberText.h"

#include <cmath>
#include <cstdio>

namespace idc::host {

std::string realText(long double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*Lg", digits, value + 0.0L); // -0 + 0 is 0
  return std::isnan(value) ? "nan" : text;
}

std::string complexText(long double re, long double im, int digits) {
  const long double unit = std::pow(10.0L, -digits);
  auto isBelow = [&](long double part, long double other) {
    return part == 0 || (std::isfinite(other) && std::fabs(part) < unit * std::fabs(other));
  };
  if (isBelow(im, re))
    return realText(re, digits);
  const std::string imaginary = realText(im, digits) + "i";
  if (isBelow(re, im))
    return imaginary;
  return realText(re, digits) + (imaginary[0] == '-' ? "" : "+") + imaginary;
}

} // namespace idc::host
