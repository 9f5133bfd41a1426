//===- Oracle.h - what programs are compared with ---------------*- C++ -*-===//
//
// Reference results in extended precision, so that their own error stays below that of an f64 program.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_TEST_E2E_ORACLE_H
#define IDC_TEST_E2E_ORACLE_H

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace idc::test {

using Values = std::vector<std::complex<long double>>;

enum class Oracle {
  Dft,           ///< sum over j of x[j] exp(-2 pi i j k / N)
  InverseDft,    ///< 1/N times the sum over j of x[j] exp(+2 pi i j k / N)
  WalshHadamard, ///< sum over j of x[j] (-1)^popcount(j & k), of real numbers
};

/// The oracle called `name`: dft, inverse-dft or walsh-hadamard.
std::optional<Oracle> oracleNamed(const std::string &name);

/// Whether the oracle's programs have complex elements.
bool isComplex(Oracle oracle);

/// Applies the oracle to each row of `points` values of `values`, in place. `points` is a power of two for
/// WalshHadamard.
void apply(Oracle oracle, int64_t points, Values &values);

} // namespace idc::test

#endif // IDC_TEST_E2E_ORACLE_H
