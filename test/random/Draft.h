// A random program before it has text: numbers, step by step.
//
// Every decision about a step is one number, reduced to the alternatives that the values at that place leave open. So
// any draft is a well-typed program: a step can be dropped and any number lowered, and what remains is read anew
// against the values that are there then. 0 is always the simplest alternative; past the end all numbers are 0.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace idc::random {

using Numbers = std::vector<uint32_t>;

struct Draft {
  Numbers size;                // of the program: batch, elements
  std::vector<Numbers> inputs; // each a type and a shape
  std::vector<Numbers> steps;
  Numbers results;
};

/// The program number `index` of a seed.
Draft draftProgram(uint64_t seed, uint64_t index);

/// Reads the numbers of one part and keeps what they came to, so that a draft can be rewritten with the numbers that
/// mattered, each as small as it can be.
class Choices {
public:
  explicit Choices(const Numbers &numbers) : numbers(numbers) {}

  /// 0 … alternatives-1.
  uint32_t pick(uint32_t alternatives) {
    uint32_t value = taken.size() < numbers.size() ? numbers[taken.size()] % alternatives : 0;
    taken.push_back(value);
    return value;
  }
  template <class T> const T &pick(const std::vector<T> &list) {
    return list[pick(static_cast<uint32_t>(list.size()))];
  }
  /// True in one of `n` cases.
  bool oneIn(uint32_t n) { return pick(n) == n - 1; }
  /// first … last
  int between(int first, int last) { return first + static_cast<int>(pick(static_cast<uint32_t>(last - first + 1))); }

  const Numbers &used() const { return taken; }

private:
  const Numbers &numbers;
  Numbers taken;
};

} // namespace idc::random
