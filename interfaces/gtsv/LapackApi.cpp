// LAPACK's ?gtsv: one matrix, any number of right sides, on the CPU. (LAPACK Users' Guide, 3rd edition.) The diagonals
// are left as they are, where LAPACK leaves factors.
#include "interfaces/compiled/Failure.h"
#include "interfaces/compiled/Scratch.h"
#include "interfaces/gtsv/Systems.h"

#include <algorithm>
#include <complex>
#include <cstdio>
#include <vector>

using namespace idc::interfaces;

namespace {

/// info as LAPACK's, but for a singular matrix: then it is n, whichever pivot is 0.
template <typename T>
void solve(const char *number, const int *n, const int *nrhs, const T *dl, const T *d, const T *du, T *b,
           const int *ldb, int *info) {
  *info = *n < 0 ? -1 : *nrhs < 0 ? -2 : *ldb < std::max(1, *n) ? -7 : 0;
  if (*info || *n == 0 || *nrhs == 0)
    return;
  try {
    const SystemsShape shape{number, sizeof(T), *n, *nrhs, 1, 0, *ldb};
    const std::shared_ptr<const Systems> systems = Systems::find(shape, "cpu", /*checked=*/true);
    // Rows have all three coefficients, those of the first and the last row, too.
    std::vector<T> below(static_cast<size_t>(*n)), main(d, d + *n), above(static_cast<size_t>(*n));
    std::copy(dl, dl + *n - 1, below.begin() + 1);
    std::copy(du, du + *n - 1, above.begin());
    std::vector<int32_t> status(static_cast<size_t>(*nrhs));
    const Scratch scratch("cpu", systems->scratchBytes());
    systems->solve(below.data(), main.data(), above.data(), b, status.data(), scratch.data(), nullptr);
    if (std::any_of(status.begin(), status.end(), [](int32_t one) { return one != 0; }))
      *info = *n;
  } catch (const std::exception &failure) {
    std::fprintf(stderr, "gtsv: %s\n", failure.what());
    std::abort();
  }
}

} // namespace

extern "C" {
void sgtsv_(const int *n, const int *nrhs, float *dl, float *d, float *du, float *b, const int *ldb, int *info) {
  solve("f32", n, nrhs, dl, d, du, b, ldb, info);
}
void dgtsv_(const int *n, const int *nrhs, double *dl, double *d, double *du, double *b, const int *ldb, int *info) {
  solve("f64", n, nrhs, dl, d, du, b, ldb, info);
}
void cgtsv_(const int *n, const int *nrhs, std::complex<float> *dl, std::complex<float> *d, std::complex<float> *du,
            std::complex<float> *b, const int *ldb, int *info) {
  solve("complex<f32>", n, nrhs, dl, d, du, b, ldb, info);
}
void zgtsv_(const int *n, const int *nrhs, std::complex<double> *dl, std::complex<double> *d, std::complex<double> *du,
            std::complex<double> *b, const int *ldb, int *info) {
  solve("complex<f64>", n, nrhs, dl, d, du, b, ldb, info);
}
}
