//===- NumberText.h - numbers for people ------------------------*- C++ -*-===//

#ifndef IDC_HOST_NUMBERTEXT_H
#define IDC_HOST_NUMBERTEXT_H

#include <string>

namespace idc::host {

/// Significant digits that people are shown unless more are needed to tell two numbers apart.
constexpr int shownDigits = 6;

/// A real number with so many significant digits: "0.707107", "-3", "1e-09", "inf", "nan". Never "-0".
std::string realText(long double value, int digits = shownDigits);

/// A complex number as programs' examples have it: "1+2i", "-0.5i", "3". A part that lies below the last significant
/// digit of the other one is left out.
std::string complexText(long double re, long double im, int digits = shownDigits);

} // namespace idc::host

#endif // IDC_HOST_NUMBERTEXT_H
