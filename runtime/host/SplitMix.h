//===- SplitMix.h - random words from numbers -------------------*- C++ -*-===//

#ifndef IDC_HOST_SPLITMIX_H
#define IDC_HOST_SPLITMIX_H

#include <cstdint>

namespace idc::host {

/// The output function of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): of the
/// numbers base + k·golden it makes independent words.
inline uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}
inline constexpr uint64_t golden = 0x9e3779b97f4a7c15u; ///< the generator's increment

} // namespace idc::host

#endif // IDC_HOST_SPLITMIX_H
