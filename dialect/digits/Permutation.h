// Permutations of index digits: the index maps of the language (kind "digit permutation" with complements).
//
// Digits are numbered from 1, the least significant. A permutation says for each place which digit comes there and
// whether it arrives complemented (t becomes r-1-t). Composition is left to right, as in the papers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace idc::digits {

class Permutation {
public:
  Permutation() = default;
  static Permutation identity(int n);
  /// Γ i,j (n >= i >= j-1 >= 0): the digit at place j moves to place i, digits i … j+1 one place down.
  static Permutation unshuffle(int n, int i, int j);
  /// Γ i,j,k,l (i >= j > k >= l, either field may be empty): the same over the fields {i…j} and {k…l} as one string.
  static Permutation unshuffle(int n, int i, int j, int k, int l);
  /// ρ i,j: digits i … j reversed.
  static Permutation reverse(int n, int i, int j);
  /// t_i becomes r-1-t_i.
  static Permutation complement(int n, int i);
  /// For each place, least significant first, the digit that comes there. Empty optional-style result
  /// (size() == -1 is never produced): callers check isBijection first.
  static Permutation fromSources(std::vector<int> sources);
  static bool isBijection(const std::vector<int> &sources);

  int size() const { return static_cast<int>(sources.size()); }
  /// The digit that comes to `place` (both from 1).
  int source(int place) const { return sources[place - 1]; }
  bool complemented(int place) const { return complements[place - 1]; }
  /// The place that `digit` goes to.
  int destination(int digit) const;

  /// This permutation, then `next`.
  Permutation then(const Permutation &next) const;
  Permutation inverse() const;
  /// m-fold; negative m: of the inverse; 0: the identity.
  Permutation power(int64_t m) const;
  bool isIdentity() const;
  bool hasComplement() const;

  /// The same on n >= size() digits: those above its own stay.
  Permutation extended(int n) const;

  /// What the places have after the move of what they have before, radices for example; least significant first.
  template <class T> std::vector<T> applyTo(const std::vector<T> &before) const {
    std::vector<T> after;
    for (int source : sources)
      after.push_back(before[static_cast<size_t>(source) - 1]);
    return after;
  }
  /// Radices after the move (least significant first, as the input).
  std::vector<int> apply(const std::vector<int> &radices) const { return applyTo(radices); }
  /// Where the element at linear index `index` of a sequence with `radices` goes.
  int64_t destinationIndex(const std::vector<int> &radices, int64_t index) const;

  bool operator==(const Permutation &o) const { return sources == o.sources && complements == o.complements; }
  bool operator!=(const Permutation &o) const { return !(*this == o); }
  /// Most significant place first, `~` before complemented digits: "[1 3 ~2]".
  std::string str() const;

private:
  std::vector<int> sources;      // [place-1] -> digit
  std::vector<bool> complements; // [place-1]
};

} // namespace idc::digits
