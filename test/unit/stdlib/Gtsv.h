// LAPACK's solver of tridiagonal systems (xGTSV, elimination with partial pivoting): the oracle of the library's.
#pragma once

#include <vector>

extern "C" {
void sgtsv_(const int *n, const int *nrhs, float *dl, float *d, float *du, float *b, const int *ldb, int *info);
void dgtsv_(const int *n, const int *nrhs, double *dl, double *d, double *du, double *b, const int *ldb, int *info);
}

namespace idc::test {

/// Solves a[i]·x[i-1] + b[i]·x[i] + c[i]·x[i+1] = d[i] for n = b.size() rows of one right side; a[0] and c[n-1] are not
/// read. The solution, or nothing where LAPACK finds the matrix singular.
template <class T> std::vector<T> gtsv(std::vector<T> a, std::vector<T> b, std::vector<T> c, std::vector<T> d) {
  const int n = static_cast<int>(b.size()), one = 1;
  int info = 0;
  if constexpr (sizeof(T) == sizeof(float))
    sgtsv_(&n, &one, a.data() + 1, b.data(), c.data(), d.data(), &n, &info);
  else
    dgtsv_(&n, &one, a.data() + 1, b.data(), c.data(), d.data(), &n, &info);
  return info == 0 ? d : std::vector<T>();
}

} // namespace idc::test
