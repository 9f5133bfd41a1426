//===- Shares.cpp - what each of several devices has of an array ----------===//

#include "Shares.h"

#include <algorithm>
#include <cstring>

using namespace idc::runtime;

int64_t idc::runtime::wholeElements(const Operand &operand) {
  int64_t elements = operand.elements;
  for (const Operand::DeviceDigit &digit : operand.deviceDigits)
    elements *= digit.radix;
  return elements;
}

Manifest idc::runtime::wholeOf(const Manifest &manifest) {
  Manifest whole = manifest;
  for (std::vector<Operand> *side : {&whole.inputs, &whole.outputs})
    for (Operand &operand : *side) {
      operand.elements = operand.batchStride = operand.span = wholeElements(operand);
      operand.sizes = {operand.elements};
      operand.deviceDigits.clear();
    }
  whole.workspaceBytesPerProblem = whole.workspaceFixedBytes = whole.workspaceZeroedBytes = 0;
  whole.devices = 1;
  return whole;
}

namespace {
/// A digit of an element's number in the whole, or several that follow each other, with its value on one device.
struct Digit {
  int64_t below, radix, value;
};
} // namespace

/// The digits that number devices, lowest first; those that follow each other as one.
static std::vector<Digit> digitsOf(const Operand &operand, int32_t device) {
  std::vector<Digit> digits, merged;
  for (const Operand::DeviceDigit &digit : operand.deviceDigits) {
    digits.push_back({digit.below, digit.radix, device % digit.radix});
    device = int32_t(device / digit.radix);
  }
  std::sort(digits.begin(), digits.end(), [](const Digit &a, const Digit &b) { return a.below < b.below; });
  for (const Digit &digit : digits)
    if (!merged.empty() && digit.below == merged.back().below * merged.back().radix)
      merged.back() = {merged.back().below, merged.back().radix * digit.radix,
                       merged.back().value + digit.value * merged.back().radix};
    else
      merged.push_back(digit);
  return merged;
}

idc_status idc::runtime::forEachRectangle(const Operand &operand, int32_t device,
                                          const std::function<idc_status(int64_t, int64_t, const Rectangle &)> &move) {
  const std::vector<Digit> digits = digitsOf(operand, device);
  const int64_t bytes = operand.elementBytes;
  if (digits.empty())
    return move(0, 0, {operand.bytesPerProblem(), 1, 0});
  const int64_t pitch = digits[0].below * digits[0].radix, all = wholeElements(operand),
                rows = (digits.size() > 1 ? digits[1].below : all) / pitch;
  const Rectangle rectangle{digits[0].below * bytes, rows, pitch * bytes};
  const int64_t step = digits[0].below * rows; // elements of a rectangle
  for (int64_t element = 0; element < operand.elements; element += step) {
    int64_t place = element;
    for (const Digit &digit : digits)
      place = (place / digit.below * digit.radix + digit.value) * digit.below + place % digit.below;
    if (idc_status status = move(place * bytes, element * bytes, rectangle))
      return status;
  }
  return IDC_SUCCESS;
}

/// Calls move(byte of the whole, byte of the part, bytes) for runs of one problem.
template <typename Move> static void forEachRun(const Operand &operand, int32_t device, Move move) {
  (void)forEachRectangle(operand, device, [&](int64_t whole, int64_t part, const Rectangle &rectangle) {
    for (int64_t row = 0; row < rectangle.rows; ++row)
      move(whole + row * rectangle.pitch, part + row * rectangle.width, rectangle.width);
    return IDC_SUCCESS;
  });
}

void idc::runtime::takeShare(const Operand &operand, int64_t batch, int32_t device, const char *whole, char *part) {
  const int64_t all = wholeElements(operand) * operand.elementBytes;
  for (int64_t problem = 0; problem < batch; ++problem)
    forEachRun(operand, device, [&](int64_t from, int64_t to, int64_t bytes) {
      std::memcpy(part + problem * operand.bytesPerProblem() + to, whole + problem * all + from, size_t(bytes));
    });
}

void idc::runtime::putShare(const Operand &operand, int64_t batch, int32_t device, const char *part, char *whole) {
  const int64_t all = wholeElements(operand) * operand.elementBytes;
  for (int64_t problem = 0; problem < batch; ++problem)
    forEachRun(operand, device, [&](int64_t to, int64_t from, int64_t bytes) {
      std::memcpy(whole + problem * all + to, part + problem * operand.bytesPerProblem() + from, size_t(bytes));
    });
}
