// How a tile lies in a buffer: the address bit of every digit, vectors, and the part of the batch a kernel covers.
#pragma once

#include "dialect/digits/ArrayLayout.h"
#include "dialect/digits/Mapping.h"
#include "dialect/digits/Permutation.h"

#include <cstdint>
#include <vector>

namespace idc::conversion {

struct Access {
  int numDigits = 0;           // of the sequence; digits above are batch digits
  int addressDigits = 0;       // of them those that the buffer has
  int batchDigits = 0;         // low batch digits the mapping holds by name
  std::vector<int> bit;        // [digit-1] address bit, in elements; -1: the buffer is repeated along the digit
  std::vector<int> device;     // [digit-1] bit of the number of the device that has the element; -1: none
  uint64_t deviceFlipped = 0;  // of these bits those that are complemented
  uint64_t flipped = 0;        // address bits that are complemented
  std::vector<int> vectorBits; // register bits that are the lowest address bits: one wide access
  uint64_t vectorFlip = 0;     // element k of a wide access is the register with vector bits k ^ vectorFlip

  /// The element offset that `digit` contributes (2 to its address bit).
  uint64_t target(int digit) const { return bit[digit - 1] < 0 ? 0 : uint64_t(1) << bit[digit - 1]; }
  /// The part of the device's number that `digit` contributes.
  uint64_t deviceTarget(int digit) const {
    return digit > numDigits || device[digit - 1] < 0 ? 0 : uint64_t(1) << device[digit - 1];
  }
  /// The batch number that `digit` contributes; 0 for digits of the sequence.
  uint64_t batchTarget(int digit) const { return digit > numDigits ? uint64_t(1) << (digit - numDigits - 1) : 0; }
};

/// Address bits low .. high - 1: the index in a dimension of a layout, or the problem's number.
struct AddressField {
  int low, high;
  int64_t stride; // in elements
  bool ofProblems = false;

  /// The part of an address that is in the field, from bit 0 up.
  uint64_t in(uint64_t address) const {
    return (address >> low) & (high - low < 64 ? (uint64_t(1) << (high - low)) - 1 : ~uint64_t(0));
  }
};

/// The fields of the addresses of a buffer of radix 2, the lowest first, that of the problems last.
std::vector<AddressField> addressFields(const Access &access, const digits::ArrayLayout &layout);

/// A tile read from a buffer of `bufferDigits` digits: digit d of the tile is digit map.source(d) of the buffer, which
/// is repeated along digits above its own. `maxVector` is the largest number of elements (a power of two) in one
/// access. `deviceDigits` of the buffer number the device that has an element, and are no part of its address there.
Access loadAccess(const digits::Mapping &mapping, const digits::Permutation &map, int bufferDigits, int64_t maxVector,
                  const std::vector<int> &deviceDigits = {});
/// A tile written to a buffer: place p of the buffer holds digit map.source(p) of the tile.
Access storeAccess(const digits::Mapping &mapping, const digits::Permutation &map, int64_t maxVector,
                   const std::vector<int> &deviceDigits = {});

} // namespace idc::conversion
