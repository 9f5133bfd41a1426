#include "dialect/digits/Permutation.h"

#include <algorithm>
#include <numeric>

namespace idc::digits {

Permutation Permutation::identity(int n) {
  Permutation p;
  p.sources.resize(std::max(n, 0));
  std::iota(p.sources.begin(), p.sources.end(), 1);
  p.complements.assign(p.sources.size(), false);
  return p;
}

/// The digits at `places` (most significant first) taken as one string: the last comes first, the others move one down.
static std::vector<int> rotateString(std::vector<int> sources, const std::vector<int> &places) {
  if (places.empty())
    return sources;
  const int last = sources[places.back() - 1];
  for (size_t m = places.size() - 1; m > 0; --m)
    sources[places[m] - 1] = sources[places[m - 1] - 1];
  sources[places.front() - 1] = last;
  return sources;
}

Permutation Permutation::unshuffle(int n, int i, int j) {
  Permutation p = identity(n);
  std::vector<int> places;
  for (int place = i; place >= j; --place)
    places.push_back(place);
  p.sources = rotateString(std::move(p.sources), places);
  return p;
}

Permutation Permutation::unshuffle(int n, int i, int j, int k, int l) {
  Permutation p = identity(n);
  std::vector<int> places;
  for (int place = i; place >= j; --place)
    places.push_back(place);
  for (int place = k; place >= l; --place)
    places.push_back(place);
  p.sources = rotateString(std::move(p.sources), places);
  return p;
}

Permutation Permutation::reverse(int n, int i, int j) {
  Permutation p = identity(n);
  if (i > j)
    std::reverse(p.sources.begin() + (j - 1), p.sources.begin() + i);
  return p;
}

Permutation Permutation::complement(int n, int i) {
  Permutation p = identity(n);
  p.complements[i - 1] = true;
  return p;
}

Permutation Permutation::fromSources(std::vector<int> sources) {
  Permutation p;
  p.complements.assign(sources.size(), false);
  p.sources = std::move(sources);
  return p;
}

bool Permutation::isBijection(const std::vector<int> &sources) {
  std::vector<bool> seen(sources.size(), false);
  for (int digit : sources) {
    if (digit < 1 || digit > static_cast<int>(sources.size()) || seen[digit - 1])
      return false;
    seen[digit - 1] = true;
  }
  return true;
}

int Permutation::destination(int digit) const {
  return static_cast<int>(std::find(sources.begin(), sources.end(), digit) - sources.begin()) + 1;
}

Permutation Permutation::then(const Permutation &next) const {
  Permutation p;
  p.sources.reserve(sources.size());
  for (int place = 1; place <= next.size(); ++place) {
    const int middle = next.source(place);
    p.sources.push_back(source(middle));
    p.complements.push_back(complemented(middle) != next.complemented(place));
  }
  return p;
}

Permutation Permutation::inverse() const {
  Permutation p = identity(size());
  for (int place = 1; place <= size(); ++place) {
    p.sources[source(place) - 1] = place;
    p.complements[source(place) - 1] = complemented(place);
  }
  return p;
}

Permutation Permutation::power(int64_t m) const {
  Permutation square = m < 0 ? inverse() : *this;
  uint64_t count = m < 0 ? uint64_t(0) - static_cast<uint64_t>(m) : static_cast<uint64_t>(m);
  Permutation result = identity(size());
  for (; count; count >>= 1) {
    if (count & 1)
      result = result.then(square);
    square = square.then(square);
  }
  return result;
}

Permutation Permutation::extended(int n) const {
  Permutation result = *this;
  for (int digit = size() + 1; digit <= n; ++digit) {
    result.sources.push_back(digit);
    result.complements.push_back(false);
  }
  return result;
}

bool Permutation::isIdentity() const { return *this == identity(size()); }

bool Permutation::hasComplement() const {
  return std::find(complements.begin(), complements.end(), true) != complements.end();
}

int64_t Permutation::destinationIndex(const std::vector<int> &radices, int64_t index) const {
  std::vector<int64_t> values;
  values.reserve(radices.size());
  for (int radix : radices) {
    values.push_back(index % radix);
    index /= radix;
  }
  int64_t result = 0, weight = 1;
  for (int place = 1; place <= size(); ++place) {
    const int digit = source(place), radix = radices[digit - 1];
    const int64_t value = values[digit - 1];
    result += weight * (complemented(place) ? radix - 1 - value : value);
    weight *= radix;
  }
  return result;
}

std::string Permutation::str() const {
  std::string text = "[";
  for (int place = size(); place >= 1; --place) {
    if (place != size())
      text += ' ';
    if (complemented(place))
      text += '~';
    text += std::to_string(source(place));
  }
  return text + "]";
}

} // namespace idc::digits
