// The results file: one comma-separated line per program and batch, appended as the check goes on.
#pragma once
#include "Check.h"
#include "Cuda.h"
#include <cstdio>
#include <set>
#include <string>

namespace gpucheck {

class ResultsFile {
public:
  /// Opens for appending and remembers which programs (by the hash of their files) are in it already. An empty path
  /// keeps no file. Throws std::runtime_error when the file cannot be opened.
  ResultsFile(const std::string &path, const Machine &machine, uint64_t seed);
  ~ResultsFile();
  ResultsFile(const ResultsFile &) = delete;
  ResultsFile &operator=(const ResultsFile &) = delete;

  bool contains(const KernelFile &file) const { return done.count(file.hash) != 0; }
  /// Writes and flushes all lines of one program together, so that a broken run never leaves a part of them.
  void append(const KernelFile &file, const std::vector<CaseResult> &results);

private:
  std::FILE *out = nullptr;
  std::set<std::string> done;
  Machine machine;
  uint64_t seed;
};

} // namespace gpucheck
