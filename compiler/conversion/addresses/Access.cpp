#include "compiler/conversion/addresses/Access.h"

#include <algorithm>

using namespace idc;
using namespace idc::conversion;
using digits::Field;

/// Bits of the address become bits of the device's number, and those above them move down.
static void divide(Access &access, const std::vector<int> &deviceDigits) {
  const uint64_t flipped = access.flipped;
  access.flipped = 0;
  for (int &bit : access.bit) {
    access.device.push_back(-1);
    if (bit < 0)
      continue;
    const bool isFlipped = flipped >> bit & 1;
    const auto found = std::find(deviceDigits.begin(), deviceDigits.end(), bit + 1);
    if (found != deviceDigits.end()) {
      access.device.back() = static_cast<int>(found - deviceDigits.begin());
      access.deviceFlipped |= uint64_t(isFlipped) << access.device.back();
      bit = -1;
      continue;
    }
    const int own = bit;
    bit -= static_cast<int>(
        std::count_if(deviceDigits.begin(), deviceDigits.end(), [&](int digit) { return digit <= own; }));
    access.flipped |= uint64_t(isFlipped) << bit;
  }
  access.addressDigits -= static_cast<int>(deviceDigits.size());
}

static Access finish(Access access, const digits::Mapping &mapping, int64_t maxVector,
                     const std::vector<int> &deviceDigits) {
  divide(access, deviceDigits);
  std::vector<int> held = mapping.digits();
  access.batchDigits = std::max(0, static_cast<int>(held.size()) - access.numDigits);
  for (int i = 0; i < access.batchDigits; ++i)
    access.bit.push_back(access.addressDigits + i);
  // Wide accesses: the lowest address bits that are register digits, in order; a complemented one reverses the
  // elements.
  for (int low = 0; low < access.addressDigits && (int64_t(2) << low) <= maxVector; ++low) {
    auto digit = std::find(access.bit.begin(), access.bit.begin() + access.numDigits, low);
    digits::Place place;
    if (!mapping.find(static_cast<int>(digit - access.bit.begin()) + 1, place) || place.field != Field::Reg)
      break;
    access.vectorBits.push_back(place.position);
    access.vectorFlip |= access.flipped & (uint64_t(1) << low);
  }
  return access;
}

Access conversion::loadAccess(const digits::Mapping &mapping, const digits::Permutation &map, int bufferDigits,
                              int64_t maxVector, const std::vector<int> &deviceDigits) {
  Access access;
  access.numDigits = map.size();
  access.addressDigits = bufferDigits;
  for (int digit = 1; digit <= map.size(); ++digit) {
    access.bit.push_back(map.source(digit) <= bufferDigits ? map.source(digit) - 1 : -1);
    if (map.complemented(digit))
      access.flipped |= access.target(digit);
  }
  return finish(access, mapping, maxVector, deviceDigits);
}

Access conversion::storeAccess(const digits::Mapping &mapping, const digits::Permutation &map, int64_t maxVector,
                               const std::vector<int> &deviceDigits) {
  Access access;
  access.numDigits = access.addressDigits = map.size();
  for (int digit = 1; digit <= map.size(); ++digit) {
    int place = map.destination(digit);
    access.bit.push_back(place - 1);
    if (map.complemented(place))
      access.flipped |= access.target(digit);
  }
  return finish(access, mapping, maxVector, deviceDigits);
}

std::vector<AddressField> conversion::addressFields(const Access &access, const digits::ArrayLayout &layout) {
  std::vector<AddressField> fields;
  int low = 0;
  for (const digits::ArrayLayout::Dimension &dimension : layout.dimensions) {
    int high = low;
    while (int64_t(1) << (high - low) < dimension.size)
      ++high;
    if (high > low)
      fields.push_back({low, high, dimension.stride});
    low = high;
  }
  fields.push_back({access.addressDigits, 64, layout.batchStride, true});
  return fields;
}
