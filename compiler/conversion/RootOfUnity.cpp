#include "compiler/conversion/RootOfUnity.h"

#include "llvm/ADT/DenseMap.h"

#include <mpfr.h>
#include <numeric>

using Complex = std::complex<double>;

static_assert(sizeof(unsigned long) == sizeof(int64_t), "MPFR takes orders as unsigned long");

namespace {

/// MPFR keeps π for each thread, and does not see threads end.
struct Constants {
  ~Constants() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
};

} // namespace

/// For 0 <= e < n without a common divisor.
static Complex evaluate(int64_t n, int64_t e) {
  thread_local Constants constants;
  MPFR_DECL_INIT(exponent, 64); // exact
  MPFR_DECL_INIT(part, 53);     // as in double, whose range has all of them: none but 0 is below 2^-63
  mpfr_set_si(exponent, e, MPFR_RNDN);
  mpfr_cosu(part, exponent, static_cast<unsigned long>(n), MPFR_RNDN);
  const double real = mpfr_get_d(part, MPFR_RNDN);
  mpfr_sinu(part, exponent, static_cast<unsigned long>(n), MPFR_RNDN);
  return {real + 0.0, 0.0 - mpfr_get_d(part, MPFR_RNDN)}; // no negative zeros
}

/// The same for any of 0 <= e < n, remembered: tables of a transform have most of their entries in common.
static Complex remembered(int64_t n, int64_t e) {
  constexpr unsigned most = 1 << 16;
  thread_local llvm::DenseMap<std::pair<int64_t, int64_t>, Complex> known;
  const int64_t divisor = std::gcd(n, e);
  auto [entry, isNew] = known.try_emplace({n / divisor, e / divisor});
  if (isNew)
    entry->second = evaluate(n / divisor, e / divisor);
  const Complex root = entry->second;
  if (known.size() == most)
    known.clear();
  return root;
}

Complex idc::conversion::rootOfUnity(int64_t n, int64_t e) {
  e %= n;
  return remembered(n, e < 0 ? e + n : e);
}
