// The digits that steps act on, and those of runs of steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace idc::passes {

/// A set of digits: digit d is bit d. Sequences have at most 62 digits.
using DigitSet = uint64_t;

/// The digits of a list as a set.
DigitSet digitSetOf(const std::vector<int> &digits);
/// The digits of a set, ascending.
std::vector<int> digitsIn(DigitSet set);

/// The digits of every step of a program. To look up those of a run of steps takes as long whatever its length: the
/// unions of all runs of 1, 2, 4, 8 … steps are kept, and every run is the union of two of them, which may overlap. To
/// find where a run of so many digits ends takes one look for each doubling of the steps.
class StepDigits {
public:
  StepDigits() = default;
  StepDigits(const std::vector<std::vector<int>> &steps);
  StepDigits(std::initializer_list<std::vector<int>> steps) : StepDigits(std::vector<std::vector<int>>(steps)) {}

  /// Adds a step behind the others.
  void append(std::vector<int> digits);

  size_t size() const { return steps.size(); }
  /// The digits of a step, counted from 0, in the order in which they were given.
  const std::vector<int> &operator[](size_t step) const { return steps[step]; }
  auto begin() const { return steps.begin(); }
  auto end() const { return steps.end(); }

  /// The digits of steps `first` … `last`, counted from 1; none when there are no such steps.
  DigitSet ofRun(int first, int last) const { return runOf(first, last).digits; }
  /// The most digits that one of these steps acts on; 0 when there are no such steps.
  int widestOfRun(int first, int last) const { return runOf(first, last).widest; }
  /// The last one of the steps `first` … `last` that, with those before it, act on at most `size` digits; `first` where
  /// it acts on more alone.
  int endOfRun(int first, int last, int size) const;

private:
  struct Run {
    DigitSet digits = 0;
    int widest = 0;
    Run with(const Run &other) const;
  };
  Run runOf(int first, int last) const;

  std::vector<std::vector<int>> steps;
  std::vector<std::vector<Run>> runs; // [k][i]: of the 2^k steps from i on
};

} // namespace idc::passes
