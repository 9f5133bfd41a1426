// How sequences lie in memory: every element of a view of a buffer has an address that is a linear form in its digits,
// and may lie outside of the buffer, which is a comparison of such a form.
#pragma once

#include "dialect/digits/ArrayLayout.h"
#include "dialect/digits/Permutation.h"

#include <cstdint>
#include <vector>

namespace idc::digits {

/// constant + the sum of weight times value over the digits.
struct LinearForm {
  int64_t constant = 0;
  std::vector<int64_t> weight; // [digit-1]

  int64_t at(const std::vector<int> &digits) const;
};

/// A sequence made from the elements of a buffer by steps that compute nothing.
struct BufferView {
  /// Only elements at which `index` is below `limit` are in the buffer.
  struct Bound {
    LinearForm index;
    int64_t limit;
  };
  int64_t problem = 0;      // elements from a problem's to the next one's
  std::vector<int> radices; // of the view, least significant first
  LinearForm address;       // in elements
  LinearForm device;        // number of the device that has the element, where devices have a part each
  std::vector<Bound> bounds;

  /// All elements of a buffer in their order.
  static BufferView whole(const std::vector<int> &radices);
  /// The same of a buffer that is laid out; each dimension has the elements of some digits.
  static BufferView whole(const std::vector<int> &radices, const ArrayLayout &layout);
  /// The same of a buffer of which each device has the elements with one value of `deviceDigits` (least significant
  /// first), one after another.
  static BufferView divided(const std::vector<int> &radices, const std::vector<int> &deviceDigits);
  /// The elements whose digit has the value; the digits above move down by one.
  void part(int digit, int64_t value);
  /// The sequence moved by a permutation.
  void move(const Permutation &map);
  /// The same elements for every value of a new highest digit.
  void repeat(int radix);
  /// Other digits in the place of the `lowest` lowest: the element with number k among the new ones is the one with
  /// number k among the old ones. Where these are fewer there is a new bound; where they are more, those beyond are
  /// left out. Returns false, with nothing changed, when the old digits do not count elements at equal distances.
  bool resize(int lowest, const std::vector<int> &now);

  /// Other digits in the place of the `lowest` lowest, at least one: they count on from the distance of the lowest,
  /// whatever elements they really stand for.
  void recount(int lowest, const std::vector<int> &now);

  /// Other digits in the place of the `lowest` lowest, which stand for elements at no known distances: their weights
  /// are 0.
  void forget(int lowest, const std::vector<int> &now);

  /// The digits from the lowest address up; those along which elements are repeated come last.
  std::vector<int> addressOrder() const;
};

} // namespace idc::digits
