//===- ElementText.cpp - elements of an operand for people ----------------===//

#include "host/ElementText.h"
#include "host/ArrayNumbers.h"

#include <cstdio>

namespace idc::host {

std::vector<int> digitsOf(int64_t index, const std::vector<int> &radices) {
  std::vector<int> digits;
  for (int radix : radices) {
    digits.push_back(int(index % radix));
    index /= radix;
  }
  return digits;
}

std::string digitsText(const std::vector<int> &digits) {
  std::string text;
  for (size_t i = digits.size(); i-- > 0;)
    text += std::to_string(digits[i]) + (i ? " " : "");
  return text;
}

std::string digitNames(int high, int low) {
  auto name = [](int digit) { return "i_" + std::to_string(digit); };
  return high == low ? name(low) : name(high) + (high == low + 1 ? " " : "…") + name(low);
}

static std::string numberText(const npy::Array &array, const npy::Field &field, int64_t entry, int digits) {
  const long double value = part(array, field, entry, 0);
  if (isComplex(field.type))
    return complexText(value, part(array, field, entry, 1), digits);
  if (isReal(field.type))
    return realText(value, digits);
  char text[64];
  std::snprintf(text, sizeof text, "%.0Lf", value);
  return text;
}

std::string elementText(const npy::Array &array, int64_t element, int64_t components, int digits) {
  const std::vector<npy::Field> numbers = numbersOf(array);
  std::string text;
  for (int64_t entry = element * components; entry < (element + 1) * components; ++entry) {
    if (!text.empty())
      text += ", ";
    if (array.fields.empty()) {
      text += numberText(array, numbers[0], entry, digits);
      continue;
    }
    for (const npy::Field &field : numbers)
      text += (&field == &numbers[0] ? "{" : ", ") + field.name + ": " + numberText(array, field, entry, digits);
    text += "}";
  }
  return components > 1 ? "[" + text + "]" : text;
}

} // namespace idc::host
