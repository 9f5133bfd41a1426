// What an integer that a body computes may be, for the digits of a part of a sequence.
#pragma once

#include "compiler/frontend/Elaborated.h"

#include <vector>

namespace idc::frontend {

/// An element of a sequence, and the integer that a body has there.
struct IndexedInteger {
  int64_t element = 0, value = 0;
};

/// Looks for the first element whose integer is not from 0 to `length` - 1.
class OutsideSearch {
public:
  enum class Answer { Inside, Outside, Unknown };

  /// `body`: of one I64, made of the digits of a sequence, whose radices begin with the lowest digit.
  OutsideSearch(const Body &body, const std::vector<int> &radices, int64_t length);

  /// By interval arithmetic on boxes of digits, halved from the highest digit on until the bounds of each decide.
  /// Unknown: more than `most` boxes would have to be looked at, a divisor may be zero, or the body has an operation
  /// whose bounds are not known.
  Answer search(int64_t most);
  /// Where the answer was Outside.
  IndexedInteger first() const { return found; }

private:
  __extension__ typedef __int128 Wide;
  struct Interval {
    Wide low = 0, high = 0;
    bool single() const { return low == high; }
  };

  const Body &body;
  int64_t length;
  std::vector<int> radices;
  std::vector<Interval> ranges; // of each value's type
  std::vector<Interval> digits, values;
  IndexedInteger found;
  int64_t left = 0;

  Answer searchBox();
  bool bound();
  bool boundOf(const Instr &instr, Interval &result) const;
};

} // namespace idc::frontend
