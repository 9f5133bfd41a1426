// What cpu-accuracy and gpu-accuracy write: a line for each system and solver.
#pragma once
#include "HardSystems.h"
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

namespace hard {

/// Comma-separated values on a stream that stays the caller's.
class AccuracyRows {
public:
  explicit AccuracyRows(std::FILE *out) : out(out) {
    std::fputs("matrix,description,dominant,n,type,solver,residual,forward,status\n", out);
  }

  /// `n` is the logarithm of the rows. A solver that reports a status other than 1 (no solution) for an x that is not
  /// finite breaks its word: then failed() is true from there on.
  void add(const Matrix &matrix, int n, const std::string &type, const std::string &solver, const Errors &errors,
           std::optional<int> status = std::nullopt) {
    std::fprintf(out, "\"%s\",\"%s\",%d,%d,%s,%s,%.3g,%.3g,", matrix.name.c_str(), matrix.description.c_str(),
                 int(matrix.dominant), n, type.c_str(), solver.c_str(), errors.residual, errors.forward);
    if (status)
      std::fprintf(out, "%d", *status);
    std::fputc('\n', out);
    if (status && !std::isfinite(errors.residual) && *status != 1) {
      std::fprintf(stderr, "%s on '%s', 2^%d rows of %s: not finite, but the status is %d\n", solver.c_str(),
                   matrix.name.c_str(), n, type.c_str(), *status);
      silentFailure = true;
    }
  }

  bool failed() const { return silentFailure; }

private:
  std::FILE *out;
  bool silentFailure = false;
};

} // namespace hard
