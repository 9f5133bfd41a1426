//===- Cases.h - numeric test cases -----------------------------*- C++ -*-===//
//
// A case is one program at one size, type and batch: random input goes through `idc run` as .npy files and the output
// is compared with an oracle.
//
//===----------------------------------------------------------------------===//

#ifndef IDC_TEST_E2E_CASES_H
#define IDC_TEST_E2E_CASES_H

#include "Oracle.h"

#include <string>
#include <vector>

namespace idc::test {

enum class Precision { F32, F64 };

struct Case {
  Oracle oracle = Oracle::Dft;
  Precision precision = Precision::F32;
  int n = 1; ///< 2^n points
  int64_t batch = 1;
};

/// How `idc` is called, the same for every case.
struct Command {
  std::string idc = "idc"; ///< program, searched on the PATH
  std::string program;     ///< .id file
  std::string entry;
  std::string target = "cpu";
  std::string folder = ".";         ///< existing; for the .npy files
  std::vector<std::string> options; ///< appended
};

/// Runs a case and returns the relative L2 error of its output. Throws std::runtime_error when idc fails (its own
/// message is on stderr) or the output has another type or size, and npy::Error.
double relativeError(const Command &command, const Case &test);

/// The largest relative L2 error that passes: 4 u sqrt(n), where u is the unit roundoff of the precision. The error of
/// n additions in a butterfly network grows as u sqrt(n) for random data (Gentleman and Sande 1966; Schatzman 1996).
double errorLimit(const Case &test);

} // namespace idc::test

#endif // IDC_TEST_E2E_CASES_H
