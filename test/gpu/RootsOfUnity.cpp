#include "RootsOfUnity.h"
#include <cmath>
#include <numeric>
#include <utility>

namespace gpucheck {
namespace {

struct LongComplex {
  long double re, im;
};

/// exp(-2 pi i j / 2^n): the angle is reduced to the first octant in integers, so that no reduction error arises.
LongComplex rootOfUnity(uint64_t j, int n) {
  const uint64_t turn = uint64_t(1) << 30;
  uint64_t k = (j << (30 - n)) & (turn - 1);
  bool lower = 2 * k > turn; // below the real axis
  if (lower)
    k = turn - k;
  bool left = 4 * k > turn; // left of the imaginary axis
  if (left)
    k = turn / 2 - k;
  bool steep = 8 * k > turn; // above the diagonal
  if (steep)
    k = turn / 4 - k;
  const long double angle = 2 * std::acos(-1.0L) * static_cast<long double>(k) / static_cast<long double>(turn);
  long double cosine = std::cos(angle), sine = std::sin(angle);
  if (steep)
    std::swap(cosine, sine);
  return {left ? -cosine : cosine, lower ? sine : -sine};
}

/// Sums blocks of 1024 terms, so that rounding grows with the root of a block and of the number of blocks only.
class BlockedSum {
public:
  void add(long double term) {
    block += term;
    if (++terms % 1024 == 0) {
      sum += block;
      block = 0;
    }
  }
  long double total() const { return sum + block; }

private:
  long double sum = 0, block = 0;
  size_t terms = 0;
};

/// The exponent, in units of 2^-n of a turn, of input j in output k: the sum of the dimensions' products of
/// coordinates.
uint64_t exponentOf(uint64_t j, uint64_t k, const std::vector<int> &exponents, int n) {
  uint64_t sum = 0;
  for (auto e = exponents.rbegin(); e != exponents.rend(); ++e) {
    const uint64_t mask = (uint64_t(1) << *e) - 1;
    sum += (j & mask) * (k & mask) << (n - *e);
    j >>= *e;
    k >>= *e;
  }
  return sum & ((uint64_t(1) << n) - 1);
}

} // namespace

SplitRoot splitRootOfUnity(uint64_t j, int n) {
  const LongComplex root = rootOfUnity(j, n);
  SplitRoot split;
  split.re[0] = static_cast<double>(root.re);
  split.re[1] = static_cast<double>(root.re - split.re[0]);
  split.im[0] = static_cast<double>(root.im);
  split.im[1] = static_cast<double>(root.im - split.im[0]);
  return split;
}

double naiveError(int sign, const std::vector<int> &exponents, const double *input, const double *output,
                  std::vector<size_t> picks) {
  const int n = std::accumulate(exponents.begin(), exponents.end(), 0);
  const size_t length = size_t(1) << n;
  if (picks.empty()) {
    picks.resize(length);
    std::iota(picks.begin(), picks.end(), size_t(0));
  }
  long double difference = 0, norm = 0;
  auto compare = [&](long double exact, const double *pair) {
    const long double d = exact - pair[0] - pair[1];
    difference += d * d;
    norm += exact * exact;
  };
  for (size_t k : picks) {
    if (sign == 0) {
      BlockedSum sum;
      for (size_t j = 0; j < length; j++)
        sum.add(__builtin_parityll(j & k) ? -static_cast<long double>(input[j]) : static_cast<long double>(input[j]));
      compare(sum.total(), output + 2 * k);
      continue;
    }
    BlockedSum re, im;
    for (size_t j = 0; j < length; j++) {
      LongComplex w = rootOfUnity(exponentOf(j, k, exponents, n), n);
      w.im *= -sign;
      const long double x = input[2 * j], y = input[2 * j + 1];
      re.add(x * w.re - y * w.im);
      im.add(x * w.im + y * w.re);
    }
    compare(re.total(), output + 4 * k);
    compare(im.total(), output + 4 * k + 2);
  }
  return static_cast<double>(std::sqrt(difference / norm));
}

} // namespace gpucheck
