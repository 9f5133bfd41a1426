#include "dialect/digits/IndexBits.h"

#include <algorithm>
#include <map>

namespace idc::digits {

static uint64_t shifted(uint64_t x, int shift) { return shift >= 0 ? x << shift : x >> -shift; }

std::vector<Diagonal> diagonals(const std::vector<uint64_t> &columnTargets) {
  std::map<int, uint64_t> masks; // by shift
  for (size_t from = 0; from < columnTargets.size(); ++from)
    for (int to = 0; to < 64; ++to)
      if (columnTargets[from] >> to & 1)
        masks[to - static_cast<int>(from)] |= uint64_t(1) << from;

  std::vector<Diagonal> result;
  for (const auto &[shift, mask] : masks)
    result.push_back({mask, shift, false});
  std::stable_sort(result.begin(), result.end(), [](const Diagonal &a, const Diagonal &b) {
    return __builtin_popcountll(a.mask) > __builtin_popcountll(b.mask);
  });
  uint64_t written = 0;
  for (Diagonal &term : result) {
    const uint64_t outputs = shifted(term.mask, term.shift);
    term.xorJoin = (written & outputs) != 0;
    written |= outputs;
  }
  return result;
}

uint64_t evaluate(const std::vector<Diagonal> &terms, uint64_t x) {
  uint64_t result = 0;
  for (const Diagonal &term : terms) {
    const uint64_t part = shifted(x & term.mask, term.shift);
    result = term.xorJoin ? result ^ part : result + part;
  }
  return result;
}

} // namespace idc::digits
