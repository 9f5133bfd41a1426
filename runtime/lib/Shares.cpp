//===- Shares.cpp - what each of several devices has of an array ----------===//

#include "Shares.h"

#include <algorithm>
#include <cstring>

using namespace idc::runtime;

static int64_t wholeElements(const Operand &operand) {
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

/// Calls move(element of the whole, element of the part, elements) for runs of one problem.
template <typename Move> static void forEachRun(const Operand &operand, int32_t device, Move move) {
  struct Digit {
    int64_t below, radix, value;
  };
  std::vector<Digit> digits;
  for (const Operand::DeviceDigit &digit : operand.deviceDigits) {
    digits.push_back({digit.below, digit.radix, device % digit.radix});
    device = int32_t(device / digit.radix);
  }
  std::sort(digits.begin(), digits.end(), [](const Digit &a, const Digit &b) { return a.below < b.below; });
  const int64_t run = digits.empty() ? operand.elements : digits.front().below;
  for (int64_t element = 0; element < operand.elements; element += run) {
    int64_t place = element;
    for (const Digit &digit : digits)
      place = (place / digit.below * digit.radix + digit.value) * digit.below + place % digit.below;
    move(place, element, run);
  }
}

void idc::runtime::takeShare(const Operand &operand, int64_t batch, int32_t device, const char *whole, char *part) {
  const int64_t bytes = operand.elementBytes, all = wholeElements(operand);
  for (int64_t problem = 0; problem < batch; ++problem)
    forEachRun(operand, device, [&](int64_t from, int64_t to, int64_t count) {
      std::memcpy(part + (problem * operand.elements + to) * bytes, whole + (problem * all + from) * bytes,
                  size_t(count * bytes));
    });
}

void idc::runtime::putShare(const Operand &operand, int64_t batch, int32_t device, const char *part, char *whole) {
  const int64_t bytes = operand.elementBytes, all = wholeElements(operand);
  for (int64_t problem = 0; problem < batch; ++problem)
    forEachRun(operand, device, [&](int64_t to, int64_t from, int64_t count) {
      std::memcpy(whole + (problem * all + to) * bytes, part + (problem * operand.elements + from) * bytes,
                  size_t(count * bytes));
    });
}
