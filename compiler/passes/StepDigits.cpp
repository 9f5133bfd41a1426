#include "compiler/passes/StepDigits.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <utility>

using namespace idc;
using namespace idc::passes;

DigitSet passes::digitSetOf(const std::vector<int> &digits) {
  DigitSet set = 0;
  for (int d : digits)
    set |= DigitSet(1) << d;
  return set;
}

std::vector<int> passes::digitsIn(DigitSet set) {
  std::vector<int> digits;
  for (; set; set &= set - 1)
    digits.push_back(llvm::countr_zero(set));
  return digits;
}

StepDigits::StepDigits(const std::vector<std::vector<int>> &given) {
  for (const std::vector<int> &digits : given)
    append(digits);
}

StepDigits::Run StepDigits::Run::with(const Run &other) const {
  return {digits | other.digits, std::max(widest, other.widest)};
}

void StepDigits::append(std::vector<int> digits) {
  Run run{digitSetOf(digits), static_cast<int>(digits.size())};
  steps.push_back(std::move(digits));
  for (size_t k = 0, length = 1; length <= steps.size(); ++k, length *= 2) {
    if (k == runs.size())
      runs.emplace_back();
    if (k > 0) // the run of half the length that ends here, and the one before it
      run = run.with(runs[k - 1][steps.size() - length]);
    runs[k].push_back(run);
  }
}

StepDigits::Run StepDigits::runOf(int first, int last) const {
  if (first > last)
    return {};
  const unsigned k = llvm::Log2_32(static_cast<uint32_t>(last - first + 1));
  return runs[k][first - 1].with(runs[k][last - (1 << k)]);
}

int StepDigits::endOfRun(int first, int last, int size) const {
  DigitSet digits = ofRun(first, first);
  int end = first;
  for (size_t k = runs.size(); k-- > 0;)
    if (end + (1 << k) <= last)
      if (const DigitSet more = digits | runs[k][end].digits; llvm::popcount(more) <= size) {
        digits = more;
        end += 1 << k;
      }
  return end;
}
